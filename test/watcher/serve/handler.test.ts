import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { REPORT_PATH, reportHandler } from '../../../src/watcher/serve/handler.ts';
import { PARAMETERS, parseQuestion } from '../../../src/watcher/serve/question.ts';
import { ReportServer } from '../../../src/watcher/serve/server.ts';
import { SiteInMemory, sourceOf } from '../report/site-in-memory.ts';
import { ask, linesOf, localReport } from './local-report.ts';

const head = (body: Buffer) => linesOf(body)[0]!;

test('the first report is a listing, the next has the changes since, and the next is empty', async () => {
  const { site, get } = await localReport();
  const all = await get();
  assert.equal(all.status, 200);
  assert.equal(all.headers['content-type'], 'application/jsonl');
  assert.equal(all.headers['x-content-type-options'], 'nosniff');
  assert.equal(Number(all.headers['content-length']), all.body.length);
  assert.deepEqual(
    linesOf(all.body).map(({ url, end }) => url ?? end),
    [undefined, '/', '/a.html', '/b.html', true],
  );
  await site.put('/a.html', 'new');
  const changed = linesOf((await get(`?since=${head(all.body).cursor}`)).body);
  assert.deepEqual(
    changed.slice(1).map(({ url, change, entries }) => [url ?? entries, change]),
    [
      ['/a.html', 'updated'],
      [1, undefined],
    ],
  );
  assert.equal(changed[0]!.listing, false);
  assert.deepEqual(linesOf((await get(`?since=${changed[0]!.cursor}`)).body).length, 2);
  const alone = linesOf((await get('?limit=0')).body);
  assert.deepEqual([alone.length, alone[0]!.cursor, alone[0]!.more], [2, changed[0]!.cursor, false]);
});

test('the report is gzipped if the client accepts it, with the same bytes for all clients', async () => {
  const { get } = await localReport();
  const plain = await get();
  for (const coding of ['gzip', 'br, GZIP;q=0.5', '*']) {
    const answer = await get('', { 'Accept-Encoding': coding });
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.equal(answer.headers.vary, 'Accept-Encoding');
    assert.equal(Number(answer.headers['content-length']), answer.body.length);
    assert.deepEqual(gunzipSync(answer.body), plain.body);
  }
  for (const coding of ['gzip;q=0', 'identity', 'gzip;q=0.000, br']) {
    assert.equal((await get('', { 'Accept-Encoding': coding })).headers['content-encoding'], undefined);
  }
});

test('an ETag is valid until something changes; HEAD has the same headers as GET', async () => {
  const { site, get } = await localReport();
  const { etag } = (await get()).headers;
  assert.equal((await get('', { 'If-None-Match': `"other", ${etag}` })).status, 304);
  assert.equal((await get('?limit=2', { 'If-None-Match': etag! })).status, 200, 'another question');
  const asked = await get('', {}, 'HEAD');
  const { body, headers } = await get();
  assert.deepEqual([asked.status, asked.body.length, asked.headers['content-length']], [200, 0, String(body.length)]);
  assert.equal(headers['cache-control'], 'no-cache');
  await site.put('/a.html', 'new');
  assert.equal((await get('', { 'If-None-Match': etag! })).status, 200);
});

test('invalid parameters get 400, and no file is read', async () => {
  const { get, faults } = await localReport();
  const long = 'x'.repeat(7_000);
  const wrong = [
    'x=1',
    'since=',
    'since=../../etc/passwd',
    'since=k3f9x2.1&since=k3f9x2.1',
    'limit=-1',
    'limit=10001',
    'limit=1e3',
    'limit=',
    'limit',
    '&',
    'limit=1&',
    '=',
    '%',
    'since=%ff',
    `since=k3f9x2.${long}`,
    'take=',
    'take=a%20b',
    `take=${'x'.repeat(65)}`,
    'take=a/b',
    'for=5',
    'take=a&for=0',
    'take=a&for=x',
    'token=abc',
    'take=a&token=',
    'release=',
    'release=a&take=b',
    'release=a&limit=1',
    'LIMIT=1',
    '__proto__=1',
    'constructor=1',
    'limit=1?limit=2',
  ];
  for (const query of wrong) {
    assert.equal((await get(`?${query}`)).status, 400, query);
    assert.equal(parseQuestion(query), null);
  }
  assert.equal((await get('?take=a', {}, 'HEAD')).status, 400, 'HEAD takes no lease');
  for (const query of ['', 'since=k3f9x2%2E0', 'limit=0010', 'take=a&for=5&token=t&since=k3f9x2.0&limit=1']) {
    assert.notEqual(parseQuestion(query), null, query);
  }
  assert.equal(PARAMETERS.length, 6);
  assert.deepEqual(faults, []);
});

test('other methods get 405, and other paths are not handled', async () => {
  const { port, get } = await localReport();
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const answer = await get('', {}, method);
    assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD'], method);
  }
  for (const path of [
    '/',
    `${REPORT_PATH}/`,
    `/.${REPORT_PATH}`,
    '/.well-known/../etc/passwd',
    `/${REPORT_PATH}`,
    '/.well-known/orbweaver-sitemap-0.xml',
    '/.well-known/orbweaver-sitemap-x.xml',
  ]) {
    assert.equal((await ask(port, path)).status, 404, path);
  }
});

test('there is no report before the first sweep is done', async () => {
  const { site, port, get } = await localReport();
  site.isComplete = false;
  const answer = await get('?take=one');
  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '30']);
  assert.equal((await ask(port, '/.well-known/orbweaver-sitemap.xml')).status, 503);
  site.isComplete = true;
  assert.equal((await get()).status, 200);
});

test('the Host header selects one of several sites; a single site answers to any name', async () => {
  const sites = ['https://one.example', 'http://two.example:8080'].map((site) => {
    const memory = new SiteInMemory();
    memory.begin(['/']);
    return { source: sourceOf(memory, site), lease: null };
  });
  const server = await ReportServer.listen(reportHandler(sites), { host: '127.0.0.1', port: 0 });
  const siteOf = async (host: string) => {
    const { status, body } = await ask(server.port, REPORT_PATH, { Host: host });
    return status === 200 ? head(body).site : status;
  };
  assert.equal(await siteOf('one.example'), 'https://one.example');
  assert.equal(await siteOf('ONE.example:443'), 'https://one.example');
  assert.equal(await siteOf('two.example:8080'), 'http://two.example:8080');
  assert.equal(await siteOf('two.example'), 404);
  assert.equal(await siteOf('evil.example'), 404);
  assert.deepEqual(
    (head((await ask(server.port, `${REPORT_PATH}?take=a`, { Host: 'one.example' })).body) as { lease: unknown }).lease,
    { by: 'none', held: false },
  );
  await server.close();
  assert.throws(() => reportHandler([sites[0]!, sites[0]!]), /same authority/);
});

test('a client that asks too often gets Retry-After, counted by the address that a trusted proxy reports', async () => {
  let now = 0;
  const { get } = await localReport({ handler: { perClient: { burst: 3, perSecond: 0.5 }, steadyMs: () => now } });
  const from = async (address: string) => (await get('?limit=0', { 'X-Forwarded-For': address })).status;
  for (let i = 0; i < 3; i++) assert.equal(await from('6.6.6.6, 203.0.113.5'), 200);
  const refused = await get('', { 'X-Forwarded-For': '7.7.7.7, 203.0.113.5' });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '2']);
  assert.equal(await from('203.0.113.6'), 200);
  for (let i = 0; i < 3; i++) assert.equal(await from(`2001:db8:0:1::${i}`), 200);
  assert.equal(await from('2001:db8::1:0:0:0:9'), 429, 'the same network');
  assert.equal(await from('2001:db8:0:2::1'), 200);
  now += 2_000;
  assert.equal(await from('203.0.113.5'), 200);
  assert.equal(await from('203.0.113.5'), 429);
});

test('the header of an untrusted proxy is ignored, and all clients together have a limit', async () => {
  const { get } = await localReport({
    handler: { perClient: { burst: 2, perSecond: 1e-9 }, trustedProxies: ['10.0.0.0/8'], localProxies: [] },
  });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await get('', { 'X-Forwarded-For': `203.0.113.${i}` })).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  const all = await localReport({ handler: { overall: { burst: 2, perSecond: 1e-9 } } });
  const together = [];
  for (let i = 0; i < 3; i++) together.push((await all.get('', { 'X-Forwarded-For': `203.0.113.${i}` })).status);
  assert.deepEqual(together, [200, 200, 429]);
});

test('an internal error is not described in the response', async () => {
  const { site, get, faults } = await localReport();
  site.pages = () => Promise.reject(new Error('ENOENT: /secret/folder/state.db'));
  const { status, body } = await get();
  assert.equal(status, 500);
  assert.doesNotMatch(body.toString(), /secret|ENOENT/);
  assert.equal(faults.length, 1);
});

test('sitemaps are served with absolute, escaped URLs', async () => {
  const { port } = await localReport({ urls: ['/', "/a?b=1&c='2'", '/z.html'] });
  const index = (await ask(port, '/.well-known/orbweaver-sitemap.xml')).body.toString();
  assert.match(index, /<loc>https:\/\/www\.example\.org\/\.well-known\/orbweaver-sitemap-1\.xml<\/loc>/);
  const part = await ask(port, '/.well-known/orbweaver-sitemap-1.xml', { 'Accept-Encoding': 'gzip' });
  assert.match(
    gunzipSync(part.body).toString(),
    /<loc>https:\/\/www\.example\.org\/a\?b=1&amp;c=&apos;2&apos;<\/loc><lastmod>1970-01-01T00:33:20\.000Z</,
  );
  assert.equal((await ask(port, '/.well-known/orbweaver-sitemap-2.xml')).status, 404);
  assert.equal((await ask(port, '/.well-known/orbweaver-sitemap.xml?x=1')).status, 400);
});

test('a client that disconnects before the response gets no lease', async () => {
  const { site, port, lease } = await localReport();
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
  const pages = site.pages.bind(site);
  site.pages = async (...given) => {
    begin();
    await goOn;
    return pages(...given);
  };
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${REPORT_PATH}?take=gone HTTP/1.1\r\nHost: x\r\n\r\n`);
  await began;
  socket.destroy();
  await once(socket, 'close');
  // When the server has answered a request on a later connection, it has also noticed the end of this one.
  site.isComplete = false;
  for (let i = 0; i < 3; i++) await ask(port, REPORT_PATH);
  site.isComplete = true;
  const takenBack = new Promise<string>((resolve) => {
    const takeBack = lease.takeBack.bind(lease);
    lease.takeBack = async (token) => {
      await takeBack(token);
      resolve(token);
    };
  });
  letGo();
  assert.match(await takenBack, /^[\w-]{22}$/);
  assert.equal(lease.view().held, false);
});
