/**
 * Tests on the real store that delivered changes come from committed changes, and
 * that no end of the process skips any of them.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import type { DeliveredChange } from '../../../src/crawl/delivery/delivered-change.ts';
import { Delivery } from '../../../src/crawl/delivery/delivery.ts';
import { DEFAULT_KINDS } from '../../../src/crawl/delivery/listener.ts';
import { listenersFrom } from '../../../src/crawl/delivery/listeners-from.ts';
import { openSqliteStore, readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { copyOf, HOUR_MS } from '../../store/looking-again.ts';
import { capture, FILE, NOW_MS } from '../../store/rows.ts';

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-deliver-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

interface Arrival {
  readonly id: string;
  readonly body: string;
  readonly seqs: readonly number[];
}

test('each change arrives in order after kill -9 before the delivery, or between delivery and cursor', async (t) => {
  const dir = folder(t);
  const arrivals: Arrival[] = [];
  let child: ChildProcess | null = null;
  /** The request at which the receiver kills the sender instead of answering; 0 means none. */
  let killAt = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const { changes } = JSON.parse(body).data as { changes: DeliveredChange[] };
      arrivals.push({ id: String(request.headers['webhook-id']), body, seqs: changes.map(({ seq }) => seq) });
      killAt--;
      if (killAt === 0) child!.kill('SIGKILL');
      else response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const run = async (receiverKillsAt: number, deadAfter: number): Promise<[string | null, string]> => {
    killAt = receiverKillsAt;
    const script = join(import.meta.dirname, 'refresh-and-deliver.ts');
    child = spawn(process.execPath, [script, dir, url, String(deadAfter)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout!.setEncoding('utf8').on('data', (piece) => {
      stdout += piece;
    });
    const signal = await new Promise<string | null>((resolve) => child!.on('close', (_, by) => resolve(by)));
    return [signal, stdout];
  };

  // Each killed run repeats its last batch later. This list has the position
  // of each such batch in the list of arrivals.
  const repeated: number[] = [];
  for (const [receiverKillsAt, deadAfter] of [
    [2, 0],
    [0, 1],
    [1, 0],
    [0, 3],
  ] as const) {
    assert.equal((await run(receiverKillsAt, deadAfter))[0], 'SIGKILL');
    repeated.push(arrivals.length - 1);
  }
  const [signal, stdout] = await run(0, 0);
  assert.equal(signal, null);
  assert.deepEqual(JSON.parse(stdout).leftovers, []);

  for (const place of repeated) {
    assert.deepEqual(arrivals[place + 1], arrivals[place], 'the same batch again, under the same id');
  }
  const once = [...new Map(arrivals.map((arrival) => [arrival.id, arrival])).values()];
  assert.equal(arrivals.length - once.length, repeated.length, 'nothing else came twice');
  const store = readSqliteStore(dir);
  const told = (await store.changes(0, 10_000))
    .filter(({ kind }) => DEFAULT_KINDS.includes(kind))
    .map(({ seq }) => seq);
  await store.close();
  assert.ok(told.length >= 12, `${told.length} changes`);
  assert.deepEqual(
    once.flatMap(({ seqs }) => seqs),
    told,
  );
});

test('command and feed of a real crawl say what changed, why, and where the archive has it', async (t) => {
  const dir = folder(t);
  const store = openSqliteStore(join(dir, 'copy'), NOW_MS);
  t.after(() => store.close());
  const copy = await copyOf(store, { a: { body: 'a' }, b: { body: 'b' }, c: { body: 'c' } });
  const [feed, read] = [join(dir, 'changes.atom'), join(dir, 'read')];
  const listeners = listenersFrom({ onChange: `cat >> '${read}'`, feed });
  const delivery = await Delivery.open(store, listeners, systemClock);
  const archive = { archive: new Map([[FILE, 5_000]]) };
  const change = JSON.stringify({ kinds: ['text'], band: 'small', shared: 0.75, wordsAdded: 4, wordsRemoved: 1 });
  const seen = capture(200, { fetchedAtMs: NOW_MS + HOUR_MS, offset: 200 });
  const other = { body: 'other', more: { title: 'Another' }, links: ['b', 'c'] };
  await copy.look('a', 'changed', { ...other, change, capture: seen }, archive);
  await copy.look('c', 'noise', { body: 'c ' }, archive);
  await copy.look('b', 'same', { capture: capture(10) }, archive);
  await copy.look('b', 'gone', { reason: 'gone' });
  const later = capture(900, { fetchedAtMs: NOW_MS + 9 * HOUR_MS });
  copy.nowMs = NOW_MS + 8 * HOUR_MS;
  await copy.look('a', 'same', { capture: later }, archive);
  delivery.wake();
  const report = await delivery.finish(20_000);
  assert.deepEqual(
    report.listeners.map(({ name, waiting, failure }) => [name, waiting, failure]),
    [
      ['on-change', 0, null],
      ['feed', 0, null],
    ],
  );
  const told = readFileSync(read, 'utf8').trimEnd().split('\n');
  const [changed, gone, ...rest] = told.map((line) => JSON.parse(line) as DeliveredChange);
  assert.deepEqual(changed, {
    seq: 1,
    url: 'http://a.test/a',
    kind: 'changed',
    at: new Date(NOW_MS + HOUR_MS).toISOString(),
    title: 'Another',
    reason: null,
    change: { ...JSON.parse(change), levels: [], regions: [], image: null },
    archived: { file: FILE, offset: 200, length: 100, at: new Date(NOW_MS + HOUR_MS).toISOString(), status: 200 },
    shownOn: [],
    edit: null,
  });
  assert.deepEqual([gone!.kind, gone!.reason, gone!.archived?.offset], ['gone', 'gone', 10]);
  assert.deepEqual(rest, []);
  const text = readFileSync(feed, 'utf8');
  assert.equal(text.match(/<entry>/g)?.length, told.length);
  assert.match(text, /<title>Changed: Another<\/title>/);
});
