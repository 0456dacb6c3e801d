/** The watcher inside a program: `createWatcher`, as docs/watcher.md shows it. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWatcher, type Watcher, type WatcherSettings } from '../../src/watcher/create-watcher.ts';
import { ask, type ReportEntry, readReport } from '../../testbed/watcher/running-watcher.ts';

const SITE = 'http://www.example.org';
const REPORT = '/.well-known/orbweaver-report';

let folder: string;
let pages: Record<string, string>;
let watcher: Watcher;
let server: Server;
let port: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watcher-program-'));
  pages = { '/': '<h1>Main</h1>', '/prices': '<p>10</p>' };
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await watcher.close();
  await rm(folder, { recursive: true, force: true });
});

async function serve(settings: Partial<WatcherSettings> = {}): Promise<void> {
  watcher = createWatcher({ url: SITE, state: join(folder, 'state'), cpu: '100%', every: '200ms', ...settings });
  await watcher.start();
  await watcher.firstSweep;
  server = createServer((request, response) => {
    watcher.middleware(request, response, () => {
      const text = pages[request.url ?? ''];
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(text ?? 'none');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
}

const get = (path: string) => ask(port, 'www.example.org', path);

async function entries(query = ''): Promise<ReportEntry[]> {
  return readReport((await get(`${REPORT}${query}`)).body).entries;
}

async function untilTold(query: string, count: number): Promise<string[]> {
  for (let tries = 0; tries < 500; tries++) {
    const found = await entries(query);
    if (found.length >= count) return found.map(({ change, url }) => `${change} ${url}`).sort();
    await sleep(10);
  }
  throw new Error('the change was not reported');
}

test('pages that a program serves are reported with the sent content, and link to the report', async () => {
  await serve();
  assert.deepEqual(await entries(), []);
  const { head } = readReport((await get(REPORT)).body);
  const { headers } = await get('/');
  assert.equal(headers.link, `<${REPORT}>; rel="orbweaver-report"`);
  await get('/prices');
  assert.deepEqual(await untilTold(`?since=${head.cursor}`, 2), ['new /', 'new /prices']);
  const { head: then } = readReport((await get(REPORT)).body);
  pages['/prices'] = '<p>12</p>';
  await get('/prices');
  assert.deepEqual(await untilTold(`?since=${then.cursor}`, 1), ['updated /prices']);
  assert.equal((await get('/nothing')).status, 404);
});

test('a program can report changed and deleted pages itself', async () => {
  await serve();
  assert.equal(watcher.changed('/prices', '<p>11</p>'), true);
  assert.equal(watcher.changed(`${SITE}/other`), true);
  assert.equal(watcher.changed('http://elsewhere.example/'), false);
  assert.deepEqual(await untilTold('', 2), ['page /other', 'page /prices']);
  const { head } = readReport((await get(REPORT)).body);
  assert.equal(watcher.deleted('/prices'), true);
  assert.deepEqual(await untilTold(`?since=${head.cursor}`, 1), ['deleted /prices']);
});

test('a file that the program serves is reported once, as found by the sweep', async () => {
  const root = join(folder, 'public');
  await mkdir(root);
  await writeFile(join(root, 'index.html'), pages['/']!);
  await serve({ root });
  assert.deepEqual(
    watcher.status().sites.map(({ pages: count }) => count),
    [1],
  );
  await get('/');
  await get('/prices');
  assert.deepEqual(await untilTold('', 2), ['page /', 'page /prices']);
  assert.equal((await watcher.sweep())[0]!.new, 0);
  assert.deepEqual(
    watcher.status().sites.map(({ pages: count }) => count),
    [2],
  );
});

test('invalid settings throw at once', () => {
  server = createServer();
  watcher = createWatcher({ url: SITE });
  assert.throws(() => createWatcher({}), { code: 'ERR_USAGE' });
  assert.throws(() => createWatcher({ url: SITE, evry: '1s' } as WatcherSettings), /did you mean every\?/);
  assert.throws(() => createWatcher({ url: SITE, cpu: '200%' }), { code: 'ERR_BAD_OPTION' });
});

test('a file that is served before a sweep finds it is one page, and is deleted with the file', async () => {
  await mkdir(join(folder, 'public'));
  await serve({ root: join(folder, 'public'), every: '1h', fileEvents: false });
  await writeFile(join(folder, 'public', 'a.html'), '<p>A</p>');
  pages['/a.html'] = '<p>A</p>';
  await get('/a.html');
  await sleep(50);
  await watcher.sweep();
  assert.deepEqual(
    (await entries()).map(({ url }) => url),
    ['/a.html'],
  );
  await rm(join(folder, 'public', 'a.html'));
  await watcher.sweep();
  assert.deepEqual(await entries(), []);
});

test('closing warns if the ranks cannot be written, and still unlocks the state folder', async () => {
  const warnings: string[] = [];
  await serve({ onWarning: (line) => warnings.push(line) });
  const kept = join(folder, 'state', 'http_www.example.org');
  await mkdir(join(kept, 'ranks.json.part'));
  await watcher.close();
  assert.equal(warnings.length, 1);
  assert.ok(!(await readdir(kept)).includes('lock'));
});
