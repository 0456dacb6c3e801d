/** Runs that the interface starts, pauses and stops, and the stream of events that watches them. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readControl } from '../../src/crawl/live/control-file.ts';
import type { RunningServer } from '../../src/serve/serve.ts';
import { refreshHere } from '../crawl/refresh/refresh-here.ts';
import { ask, copyOfSite, serveHere } from './setup/serve-here.ts';

interface Event {
  readonly name: string;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any field.
  readonly data: any;
}

/** Reads events until one fits, and cuts the connection. */
function eventsUntil(
  server: RunningServer,
  copy: string,
  fits: (event: Event, all: readonly Event[]) => boolean,
  lastEventId?: number,
): Promise<readonly Event[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Event[]>();
  const path = `/api/copies/${copy}/events`;
  const headers = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
  const request = get({ host: '127.0.0.1', port: server.port, path, headers, agent: false }, (response) => {
    const all: Event[] = [];
    let rest = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) {
        const event = toEvent(part);
        if (event === null) continue;
        all.push(event);
        if (!fits(event, all)) continue;
        request.destroy();
        return resolve(all);
      }
    });
  });
  request.on('error', (error) => (request.destroyed ? undefined : reject(error)));
  return promise;
}

function toEvent(text: string): Event | null {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  if (!fields.has('event')) return null;
  return { name: fields.get('event')!, id: fields.get('id') ?? null, data: JSON.parse(fields.get('data')!) };
}

test('a refresh is started with the token, reports until it ends, and is in the audit log', async (t) => {
  const { dir, site } = await copyOfSite(t);
  const server = await serveHere(t, [dir]);
  const copy = server.copies.all[0]!.id;
  site.set('/a', '<title>Page A</title><p>The price is 16 euros.</p>');
  const run = `/api/copies/${copy}/run`;
  assert.equal((await ask(server, run, { method: 'POST', body: { action: 'refresh' } })).status, 401);
  assert.equal((await ask(server, run, { method: 'POST', body: { action: 'stop' }, token: server.token })).status, 409);
  const before = (await ask(server, `/api/copies/${copy}/live`)).json.run.id;
  const watching = eventsUntil(server, copy, (_, all) => {
    const last = all.findLast(({ name }) => name === 'live')?.data;
    const hasEnded = last?.state === 'idle' && last.run.id !== before;
    return hasEnded && all.some(({ name }) => name === 'change');
  });
  const { status, json } = await ask(server, run, { method: 'POST', body: { action: 'refresh' }, token: server.token });
  assert.deepEqual([status, json.state, json.command], [200, 'starting', `orbweaver refresh --dir ${dir}`]);
  const again = await ask(server, run, { method: 'POST', body: { action: 'crawl' }, token: server.token });
  assert.equal(again.status, 409, 'one run at a time');
  const events = await watching;
  const changes = events.filter(({ name }) => name === 'change').map(({ data }) => [data.kind, data.url]);
  assert.deepEqual(changes, [['changed', site.web.url('/a')]]);
  const log = readFileSync(join(dir, 'audit.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    log.map(({ route, body, status }) => [route, body.action, status]),
    [
      ['orderRun', 'stop', 409],
      ['orderRun', 'refresh', 200],
      ['orderRun', 'crawl', 409],
    ],
  );
});

test('a stream that is cut again and again gives each change once, in order', async (t) => {
  const { dir, site } = await copyOfSite(t);
  const server = await serveHere(t, [dir]);
  const copy = server.copies.all[0]!.id;
  const first = (await ask(server, `/api/copies/${copy}/changes`)).json.newest;
  const rounds = 4;
  const refreshes = (async () => {
    for (let round = 1; round <= rounds; round++) {
      site.set('/', `<title>Home</title><a href="/a">A</a><p>Welcome for the ${round}. time.</p>`);
      site.set('/a', `<title>Page A</title><p>The price is ${20 + round} euros. <a href="/">back</a></p>`);
      await refreshHere(dir);
    }
  })();
  const seen: number[] = [];
  const wanted = 2 * rounds;
  while (seen.length < wanted) {
    const last = seen.at(-1) ?? first;
    const events = await eventsUntil(server, copy, ({ name }) => name === 'change', last);
    seen.push(...events.filter(({ name }) => name === 'change').map(({ data }) => data.seq));
  }
  await refreshes;
  assert.deepEqual(
    seen,
    Array.from({ length: wanted }, (_, i) => first + 1 + i),
  );
});

test('an order is on the disk before it is confirmed, and waits for the next run', async (t) => {
  const { dir } = await copyOfSite(t);
  const server = await serveHere(t, [dir]);
  const copy = server.copies.all[0]!.id;
  const body = { rules: { limit: 2, exclude: ['*/deep/*'] } };
  const { json } = await ask(server, `/api/copies/${copy}/rules`, { method: 'PATCH', body, token: server.token });
  assert.deepEqual(readControl(dir).rules, body.rules);
  const limit = json.rules.find(({ name }: { name: string }) => name === 'limit');
  assert.deepEqual([limit.value, limit.pending, limit.canChange], [0, '2', true]);
  assert.equal(json.command, `orbweaver crawl --dir ${dir} --limit 2 --exclude '*/deep/*'`);
  const back = await ask(server, `/api/copies/${copy}/rules`, {
    method: 'PATCH',
    body: { rules: { limit: null } },
    token: server.token,
  });
  assert.equal(back.json.rules.find(({ name }: { name: string }) => name === 'limit').pending, '0');
});

test('a new copy needs a folder for it, a fitting name and public seeds', async (t) => {
  const { dir, site } = await copyOfSite(t);
  const newIn = mkdtempSync(join(tmpdir(), 'orbweaver-new-'));
  t.after(() => rmSync(newIn, { recursive: true, force: true }));
  const [closed, open] = [await serveHere(t, [dir]), await serveHere(t, [dir], { newIn })];
  const create = (server: RunningServer, body: unknown) =>
    ask(server, '/api/copies', { method: 'POST', body, token: server.token });
  assert.equal((await create(closed, { seeds: ['https://example.com/'], name: 'x' })).status, 403);
  assert.equal((await ask(open, '/api/copies')).json.canCreate, true);
  for (const name of ['../x', '', 'a/b', '.x', 'x y']) {
    assert.equal((await create(open, { seeds: ['https://8.8.8.8/'], name })).status, 400, name);
  }
  const inside = await create(open, { seeds: [site.web.url('/')], name: 'inside' });
  assert.deepEqual([inside.status, inside.json.error.code], [400, 'ERR_PRIVATE_SEED']);
  assert.equal((await create(open, { seeds: [], name: 'none' })).status, 400);
  assert.equal((await create(open, { seeds: ['not a url'], name: 'bad' })).status, 400);
  assert.equal(existsSync(join(newIn, 'inside')), false);
});
