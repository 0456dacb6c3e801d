/**
 * A site of 10,000 files that changes without a pause while the watcher, in its own process, sweeps it
 * and is killed again and again. A reader follows the report over HTTP: in the end it knows exactly
 * the served content, and no report was wrong.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LivingTree } from './living-tree.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'watcher', 'main.ts');
const STEPS = 3_000;
const KILLS = 8;
const SETTLE_MS = 120_000;

interface Entry {
  readonly url: string;
  readonly change: 'new' | 'updated' | 'deleted' | 'page';
  readonly hash?: string;
}

test('W1 all edits of a site of 10,000 files are reported, also during sweeps and after kill -9', async (t) => {
  const work = mkdtempSync(join(tmpdir(), 'orbweaver-ten-thousand-'));
  const tree = new LivingTree(join(work, 'www'), 100, 100, 7);
  const socket = join(work, 'socket');
  let watcher = startWatcher(tree.root, work, socket);
  t.after(async () => {
    await kill(watcher);
    rmSync(work, { recursive: true, force: true });
  });
  const reader = new Reader(tree, socket);
  await reader.untilAnswered();
  assert.deepEqual(sorted(reader.picture), sorted(tree.served()), 'the listing equals the site');
  assert.equal(reader.picture.size, 10_000);

  for (let step = 1; step <= STEPS; step++) {
    tree.step();
    if (step % 25 === 0) await reader.read();
    if (step % Math.floor(STEPS / KILLS) === 0) {
      await kill(watcher);
      // Changes that happen while no watcher runs are found, too.
      for (let i = 0; i < 20; i++) tree.step();
      watcher = startWatcher(tree.root, work, socket);
    }
  }

  await reader.untilEqual(tree);
  assert.deepEqual(reader.falseReports, []);
  assert.ok(reader.reported > STEPS / 3, `${reader.reported} changes were reported`);
  assert.ok(tree.done.size === 13, [...tree.done.keys()].join());
  t.diagnostic(`${STEPS} steps, ${KILLS} kills, ${reader.reported} entries in ${reader.reports} reports`);
});

class Reader {
  readonly picture = new Map<string, string>();
  readonly falseReports: string[] = [];
  reported = 0;
  reports = 0;
  readonly #tree: LivingTree;
  readonly #socket: string;
  #cursor: string | null = null;

  constructor(tree: LivingTree, socket: string) {
    this.#tree = tree;
    this.#socket = socket;
  }

  /** Reads one report with all its parts. Returns false if the watcher is not running or not ready. */
  async read(): Promise<boolean> {
    for (;;) {
      const path = `/.well-known/orbweaver-report${this.#cursor === null ? '' : `?since=${this.#cursor}`}`;
      const text = await get(this.#socket, path);
      if (text === null) return false;
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const [head, ...rest] = lines;
      const end = rest.pop();
      assert.deepEqual(end, { end: true, entries: rest.length });
      if (this.#cursor !== null && head.listing && this.reported > 0) this.falseReports.push('the memory was lost');
      for (const entry of rest as Entry[]) this.#take(entry, head.listing);
      this.#cursor = head.cursor;
      this.reports++;
      if (!head.more) return true;
    }
  }

  #take({ url, change, hash }: Entry, isListing: boolean): void {
    const known = this.picture.get(url);
    if (change === 'deleted') this.picture.delete(url);
    else this.picture.set(url, hash!);
    if (isListing) return;
    this.reported++;
    const wrong = (why: string) => this.falseReports.push(`${change} ${url}: ${why}`);
    if (change === 'deleted' ? known === undefined : known === hash) wrong('no change had happened');
    if ((change === 'new') !== (known === undefined) && change !== 'deleted') wrong('a new page was not known before');
    if (hash !== undefined && !this.#tree.everHad.get(url)?.has(hash)) wrong('the page never had this content');
  }

  async untilAnswered(): Promise<void> {
    await until(() => this.read(), 'no report');
  }

  async untilEqual(tree: LivingTree): Promise<void> {
    const wanted = tree.served();
    await until(
      async () => {
        await this.read();
        return this.picture.size === wanted.size && [...wanted].every(([url, hash]) => this.picture.get(url) === hash);
      },
      () => `${difference(this.picture, wanted)}`,
    );
  }
}

function difference(picture: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): string {
  const lost = [...wanted].filter(([url, hash]) => picture.get(url) !== hash).map(([url]) => url);
  const left = [...picture.keys()].filter((url) => !wanted.has(url));
  return `${lost.length} not reported (${lost.slice(0, 5).join(' ')}), ${left.length} not reported to be gone (${left.slice(0, 5).join(' ')})`;
}

async function until(isSo: () => Promise<boolean>, what: string | (() => string)): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  while (!(await isSo())) {
    assert.ok(Date.now() < deadline, typeof what === 'string' ? what : what());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function startWatcher(root: string, work: string, socket: string): ChildProcess {
  const words = [root, '--url', 'http://site.test/', '--state', join(work, 'state'), '--listen', `unix:${socket}`];
  const watcher = spawn(process.execPath, [MAIN, ...words, '--every', '1s', '--cpu', '100%'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  watcher.stderr!.resume();
  return watcher;
}

async function kill(watcher: ChildProcess): Promise<void> {
  if (watcher.exitCode !== null || watcher.signalCode !== null) return;
  watcher.kill('SIGKILL');
  await once(watcher, 'exit');
}

function get(socketPath: string, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path, headers: { host: 'site.test' } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve(answer.statusCode === 200 ? text : null));
      answer.on('error', () => resolve(null));
    });
    asked.on('error', () => resolve(null));
    asked.end();
  });
}

function sorted(map: ReadonlyMap<string, string>): string[] {
  return [...map].map(([url, hash]) => `${url} ${hash}`).sort();
}
