/**
 * Tests that a run never looks better than it was: a crawl without a page and a refresh without an answer have failed,
 * and the reasons are in their summaries. Also tests that one broken connection does not end a run.
 */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { crawl } from '../../src/index.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { BEHAVIOURS } from '../../testbed/web/behaviours.ts';
import { type Behaviour, type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { crawlHere } from './crawl-here.ts';
import { refreshHere } from './refresh/refresh-here.ts';
import { dataFolder } from './stored-crawl.ts';

/** No such host: RFC 6761 reserves the name. */
const UNKNOWN_NAME = 'http://no-such-host.invalid/';

async function web(t: TestContext, options: Parameters<typeof startWeb>[0] = {}): Promise<LocalWeb> {
  const started = await startWeb(options);
  t.after(() => started.close());
  return started;
}

/** The origin of a server that has been closed: nothing listens there. */
async function closedOrigin(): Promise<string> {
  const closed = await startWeb();
  await closed.close();
  return closed.origin;
}

/** The first request is answered in one way, the others in another. */
function once(first: Behaviour, then: Behaviour): Behaviour {
  let requests = 0;
  return (visit) => (requests++ === 0 ? first : then)(visit);
}

test('an unknown name, a refused port and a bad certificate end a crawl as failed, with a reason for each', async (t) => {
  const { origin: badCertificate } = await web(t, { tls: 'http/1.1' });
  const refused = await closedOrigin();
  const running = crawl([UNKNOWN_NAME, `${refused}/`, `${badCertificate}/`], { dir: dataFolder(t), patience: '0s' });
  assert.deepEqual(await Array.fromAsync(running), []);
  const summary = await running.summary;
  assert.deepEqual([summary.ending, summary.pages, summary.waiting], ['failed', 0, 3]);
  const seeds = summary.seedTroubles.map(({ url, state, reason, request }) => [url, state, reason, request]);
  assert.deepEqual(seeds, [
    [UNKNOWN_NAME, 'waiting', 'dns-failed', 'robots.txt'],
    [`${refused}/`, 'waiting', 'connect-failed', 'robots.txt'],
    [`${badCertificate}/`, 'waiting', 'tls-failed', 'robots.txt'],
  ]);
  for (const { nextTryAt } of summary.seedTroubles) assert.ok(Date.parse(nextTryAt!) > Date.now());
  assert.deepEqual(summary.hostTroubles.map(({ reason }) => reason).sort(), [
    'connect-failed',
    'dns-failed',
    'tls-failed',
  ]);
});

test('the same command asks a host again at once that could not be reached before', async (t) => {
  // No other server has this address.
  const address = '127.44.9.3';
  const closed = await startWeb({ address });
  const { port } = new URL(closed.origin);
  await closed.close();
  const dir = dataFolder(t);
  const seeds = [`${closed.origin}/`];
  assert.equal((await crawlHere(dir, seeds, { patience: '0s' })).ending, 'failed');
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>here'));
  await new Promise<void>((resolve) => server.listen(Number(port), address, resolve));
  t.after(() => server.close());
  const { ending, pages, hostTroubles } = await crawlHere(dir, seeds, { patience: '0s' });
  assert.deepEqual([ending, pages, hostTroubles], ['done', 1, []]);
});

test('a seed that the server or robots.txt refuses is named with its reason, behind its redirects', async (t) => {
  const site = await web(t);
  site.on('/robots.txt', reply('User-agent: *\nDisallow: /private', { 'content-type': 'text/plain' }));
  site.on('/moved', reply('', { location: '/private/x' }, 301));
  const seeds = ['/lost', '/moved'].map((path) => site.url(path));
  const { ending, seedTroubles } = await crawlHere(dataFolder(t), seeds, { patience: '0s' });
  assert.equal(ending, 'failed');
  assert.deepEqual(
    seedTroubles.map(({ redirectedTo, state, reason }) => [redirectedTo, state, reason]),
    [
      [null, 'failed', 'not-found'],
      [site.url('/private/x'), 'skipped', 'robots-disallowed'],
    ],
  );
});

test('a seed without a page is named too if the copy has other pages, and the crawl is done', async (t) => {
  const site = await web(t);
  site.on('/', reply('<p>here'));
  const refused = await closedOrigin();
  const { ending, pages, seedTroubles } = await crawlHere(dataFolder(t), [site.url('/'), `${refused}/`], {
    patience: '0s',
  });
  assert.deepEqual([ending, pages], ['done', 1]);
  assert.deepEqual(
    seedTroubles.map(({ url, reason }) => [url, reason]),
    [[`${refused}/`, 'connect-failed']],
  );
});

test('a server error counts as a failure while it is retried, and an unreadable robots.txt has its reason', async (t) => {
  const site = await web(t);
  site.on('/', BEHAVIOURS.Flaky(1_000));
  const dir = dataFolder(t);
  const { failed, retrying, retryReasons, waiting } = await crawlHere(dir, [site.url('/')], { patience: '0s' });
  assert.deepEqual([failed, retrying, retryReasons, waiting], [1, 1, { 'server-error': 1 }, 1]);
  site.on('/robots.txt', BEHAVIOURS.RobotsError());
  const other = dataFolder(t);
  const { seedTroubles } = await crawlHere(other, [site.url('/')], { patience: '0s' });
  assert.deepEqual(
    seedTroubles.map(({ reason, request }) => [reason, request]),
    [['server-error', 'robots.txt']],
  );
  const store = readSqliteStore(other);
  t.after(() => store.close());
  assert.equal((await store.host(site.origin))!.trouble, 'server-error');
});

test('a connection that breaks at robots.txt and at the seed is tried again within the run', async (t) => {
  const site = await web(t);
  const broken = BEHAVIOURS.ResetBeforeHeaders();
  site.on('/robots.txt', once(broken, reply('User-agent: *', { 'content-type': 'text/plain' })));
  site.on('/', once(broken, reply('<p>here')));
  const { ending, pages, failed, hostTroubles } = await crawlHere(dataFolder(t), [site.url('/')], { watchers: false });
  assert.deepEqual([ending, pages, failed, hostTroubles], ['done', 1, 0, []]);
});

test('a server that is out for a moment does not end the crawl', async (t) => {
  // No other server has this address.
  const address = '127.44.9.4';
  const pages = Array.from({ length: 60 }, (_, i) => `/page/${i}`);
  let requests = 0;
  let outage: Promise<void> | null = null;
  const listener: RequestListener = ({ url }, response) => {
    const text = url === '/' ? pages.map((path) => `<a href="${path}">x</a>`).join('') : `<p>page ${url}`;
    response.setHeader('content-type', 'text/html').end(url === '/robots.txt' ? '' : text);
    if (++requests === 20) outage = restart();
  };
  let server = createServer(listener);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, address, resolve));
  const restart = async (): Promise<void> => {
    const { port } = server.address() as AddressInfo;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    await new Promise((resolve) => setTimeout(resolve, 600));
    server = createServer(listener);
    await listen(port);
  };
  await listen(0);
  t.after(async () => {
    await outage;
    server.close();
  });
  const seed = `http://${address}:${(server.address() as AddressInfo).port}/`;
  const summary = await crawlHere(dataFolder(t), [seed], { watchers: false, perHost: 4 });
  assert.notEqual(outage, null);
  assert.deepEqual([summary.pages, summary.waiting, summary.hostTroubles], [61, 0, []]);
});

test('a refresh whose hosts are all down has failed, says why and keeps the pages', async (t) => {
  const site = await startWeb();
  site.on('/', reply('<a href="/a">a</a>'));
  site.on('/a', reply('<p>a'));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.url('/')], { patience: '0s' });
  await site.close();
  const first = await refreshHere(dir);
  assert.deepEqual([first.ending, first.unchanged, first.gone, first.missing, first.returned], ['failed', 0, 0, 0, 0]);
  assert.deepEqual(
    first.hostTroubles.map(({ host, reason }) => [host, reason]),
    [[site.origin, 'connect-failed']],
  );
  assert.equal((await refreshHere(dir)).ending, 'failed', 'it is too early to try again, and nothing was visited');
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  assert.equal((await store.counts()).states.fetched, 2);
});
