/** The ways to serve the report that docs/watcher.md shows, with its exact lines of configuration. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, RunningWatcher, readReport } from '../../testbed/watcher/running-watcher.ts';
import { bundle } from './built-watcher.ts';
import { HOST, type NginxSite, nginx, SITE, serveAsShown, shownIn } from './nginx-site.ts';

const REPORT = '/.well-known/orbweaver-report';
const skip = nginx === undefined && 'nginx is not installed: npm test installs it';

let folder: string;
let root: string;
let watcher: RunningWatcher | null = null;
let server: NginxSite | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watcher-nginx-'));
  root = join(folder, 'www');
  await mkdir(root);
  await writeFile(join(root, 'index.html'), '<h1>Main</h1>');
});
afterEach(async () => {
  await server?.stop();
  await watcher?.stop('SIGKILL');
  [server, watcher] = [null, null];
  await rm(folder, { recursive: true, force: true });
});

function words(...more: string[]): string[] {
  return [root, '--url', SITE, '--state', join(folder, 'state'), '--cpu', '100%', '--every', '200ms', ...more];
}

async function until<Value>(look: () => Promise<Value | null>): Promise<Value> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await look();
    if (found !== null) return found;
    await sleep(20);
  }
  throw new Error(`it did not happen in time: ${watcher?.stderr}`);
}

describe('behind nginx', { skip }, () => {
  test('nginx as a reverse proxy forwards report, changes, lease, sitemap, 304 and gzip', async () => {
    watcher = await RunningWatcher.start({
      node: process.execPath,
      file: bundle.path,
      words: words('--listen', '127.0.0.1:0'),
      cwd: folder,
      env: {},
    });
    await watcher.ready(SITE);
    server = await serveAsShown(folder, 'Behind the web server', {
      '/var/www/html': root,
      'http://127.0.0.1:8970': `http://127.0.0.1:${watcher.port}`,
    });
    const { port } = server;
    const listing = await ask(port, HOST, REPORT);
    assert.deepEqual([listing.status, listing.headers['content-type']], [200, 'application/jsonl']);
    const { head } = readReport(listing.body);
    assert.deepEqual([head.site, head.pages], [SITE, 1]);
    const takes = await Promise.all(
      Array.from({ length: 20 }, (_, crawler) => ask(port, HOST, `${REPORT}?take=crawler-${crawler}&for=60`)),
    );
    assert.deepEqual(
      takes.map(({ status }) => status).sort(),
      [200, ...Array.from({ length: 19 }, () => 409)],
      'W7 exactly one has it',
    );
    assert.equal((await ask(port, HOST, '/.well-known/orbweaver-sitemap.xml')).status, 200);
    assert.equal((await ask(port, HOST, `${REPORT}?file=/etc/passwd`)).status, 400);
    assert.equal((await ask(port, HOST, REPORT, 'POST')).status, 405);
    const packed = await fetch(`http://127.0.0.1:${port}${REPORT}`, { headers: { 'accept-encoding': 'gzip' } });
    const etag = packed.headers.get('etag')!;
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.equal(readReport(await packed.text()).head.pages, 1);
    const again = await fetch(`http://127.0.0.1:${port}${REPORT}`, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    await writeFile(join(root, 'new.html'), 'new');
    const entries = await until(async () => {
      const answer = await ask(port, HOST, `${REPORT}?since=${head.cursor}`);
      // nginx passes the client's address on, and the rate limit for one client may refuse this request.
      const found = answer.status === 200 ? readReport(answer.body).entries : [];
      return found.length > 0 ? found : null;
    });
    assert.deepEqual([entries[0]!.url, entries[0]!.change], ['/new.html', 'new']);
  });

  test('with plain files, changes are in the written report and the access log gives the lease', async () => {
    const log = join(folder, 'access.log');
    const shown = shownIn('As plain files', 'sh').trim().split(' ');
    const given = shown.slice(shown.indexOf('--no-listen')).map((word) => (word.startsWith('/var/log') ? log : word));
    assert.deepEqual(given.slice(0, 3), ['--no-listen', '--write-files', '--access-log']);
    server = await serveAsShown(folder, 'As plain files', { '/var/www/html': root, '/var/log/nginx/access.log': log });
    const { port } = server;
    watcher = RunningWatcher.run({
      node: process.execPath,
      file: bundle.path,
      words: words(...given),
      cwd: folder,
      env: {},
    });
    const { head } = await until(async () => {
      const answer = await ask(port, HOST, REPORT);
      return answer.status === 200 ? readReport(answer.body) : null;
    });
    assert.deepEqual([head.pages, head.lease], [1, { by: 'log', held: false }]);
    await writeFile(join(root, 'new.html'), 'new');
    await ask(port, HOST, `${REPORT}?take=early-bird`);
    await ask(port, HOST, `${REPORT}?take=latecomer`);
    const later = await until(async () => {
      const { body, headers } = await ask(port, HOST, REPORT);
      const report = readReport(body);
      return report.entries.length > 0 && report.head.lease.held ? { ...report, headers } : null;
    });
    assert.deepEqual(
      later.entries.map(({ url, change }) => [url, change]),
      [['/new.html', 'new']],
    );
    assert.equal(later.head.lease.holder, 'early-bird');
    assert.equal(later.headers['content-type'], 'application/jsonl');
    assert.match((await ask(port, HOST, '/.well-known/orbweaver-sitemap-1.xml')).body, /www\.example\.org\/</);
  });
});
