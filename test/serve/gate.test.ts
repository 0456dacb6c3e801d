/** Who may ask the web interface for what: names, origins, tokens, limits and bad requests. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OrbweaverError } from '../../src/core/errors.ts';
import { AllowedNames } from '../../src/serve/gate/allowed-names.ts';
import { RateLimit } from '../../src/serve/gate/rate-limit.ts';
import type { RunningServer } from '../../src/serve/serve.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { ask, copyOfSite, type ServedSite, serveHere } from './setup/serve-here.ts';

const cleanUp: (() => Promise<void>)[] = [];
const t = { after: (work: () => Promise<void>): void => void cleanUp.push(work) };
let served: ServedSite;
let server: RunningServer;
let rules: string;

before(async () => {
  served = await copyOfSite(t);
  server = await serveHere(t, [served.dir]);
  rules = `/api/copies/${server.copies.all[0]!.id}/rules`;
});

after(async () => {
  for (const work of cleanUp.reverse()) await work();
});

test('a name that is not the own one is refused: no other site reaches the interface by DNS rebinding', async () => {
  for (const host of ['evil.test', 'evil.test:80', `localhost.evil.test:${server.port}`, '127.0.0.1:1']) {
    assert.equal((await ask(server, '/api/copies', { headers: { host } })).status, 403, host);
    assert.equal((await ask(server, '/', { headers: { host } })).status, 403, host);
  }
  for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`, `LOCALHOST:${server.port}`]) {
    assert.equal((await ask(server, '/api/copies', { headers: { host } })).status, 200, host);
  }
});

test('requests of pages of other sites are refused, also with the token', async () => {
  const { token } = server;
  const own = `http://127.0.0.1:${server.port}`;
  const status = async (headers: Record<string, string>) =>
    (await ask(server, '/api/copies', { headers, token })).status;
  assert.equal(await status({ origin: 'http://evil.test' }), 403);
  assert.equal(await status({ origin: 'null' }), 403);
  assert.equal(await status({ origin: `http://127.0.0.1:${server.port + 1}` }), 403);
  assert.equal(await status({ 'sec-fetch-site': 'cross-site' }), 403);
  assert.equal(await status({ 'sec-fetch-site': 'same-site' }), 403);
  assert.equal(await status({ origin: own, 'sec-fetch-site': 'same-origin' }), 200);
  const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  assert.equal((await ask(server, '/', { headers: opened })).status, 200, 'a link on another site opens the interface');
});

test('a change needs the token, on loopback too, and the right form', async () => {
  const body = { rules: { limit: 7 } };
  const change = (asked: object) => ask(server, rules, { method: 'PATCH', body, ...asked });
  assert.equal((await change({})).status, 401);
  assert.equal((await change({ token: 'wrong-wrong-wrong-wrong' })).status, 401);
  assert.equal((await change({ token: `${server.token}x` })).status, 401);
  assert.equal((await ask(server, `${rules}?token=${server.token}`, { method: 'PATCH', body })).status, 401);
  assert.equal(existsSync(join(served.dir, 'control.json')), false, 'nothing was written');
  const { token } = server;
  const asForm = { 'content-type': 'text/plain' };
  assert.equal((await change({ token, headers: asForm })).status, 415);
  assert.equal((await change({ token, body: '{"rules":' })).status, 400);
  assert.equal((await change({ token, body: { rules: { limit: 7 }, more: 1 } })).status, 400);
  assert.equal((await change({ token })).status, 200);
});

test('only the listed rules can be changed, and patterns are matched in linear time', async () => {
  const { token } = server;
  const change = (changes: unknown) => ask(server, rules, { method: 'PATCH', body: { rules: changes }, token });
  const forbidden = {
    onChange: 'touch /tmp/x',
    proxy: 'http://127.0.0.1:1',
    allowPrivate: true,
    userAgent: 'x',
    ignoreRobots: true,
    header: ['*|a: b'],
    feed: '/etc/x',
    webhook: 'http://127.0.0.1/',
    topicExamples: '/etc/passwd',
    __proto__x: 1,
  };
  for (const [name, value] of Object.entries(forbidden)) {
    const { status, json } = await change({ [name]: value });
    assert.equal(status, 400, name);
    assert.match(json.error.message, /cannot be changed here/);
  }
  assert.equal((await change({ exclude: ['/(a+)+$/'] })).status, 400, 'a regular expression');
  assert.equal((await change({ exclude: Array.from({ length: 300 }, () => 'x') })).status, 400);
  assert.equal((await change({ limit: -1 })).status, 400);
  assert.equal((await change({ delay: 'soon' })).status, 400);
  assert.equal((await change({ exclude: ['*/a/*'], delay: '2s', perHost: null })).status, 200);
});

test('a large body, a wrong length and a slow client are cut off', async () => {
  // Changes are limited for each address, and the tests above have used them up.
  const fresh = await serveHere(t, [served.dir]);
  const { token } = fresh;
  const large = await ask(fresh, rules, { method: 'PATCH', token, body: 'x'.repeat(300_000) }).catch(() => null);
  assert.ok(large === null || large.status === 413);
  const claimed = await ask(fresh, rules, {
    ...{ method: 'PATCH', token, body: '{}' },
    headers: { 'content-length': '1000000000', expect: '100-continue' },
  }).catch(() => ({ status: 413 }));
  assert.equal(claimed.status, 413);
  const header = await ask(fresh, '/', { headers: { 'x-large': 'y'.repeat(20_000) } }).catch(() => ({ status: 431 }));
  assert.notEqual(header.status, 200);
  const garbage = connect(fresh.port, '127.0.0.1');
  const ended = new Promise((resolve) => garbage.on('close', resolve).on('error', () => {}));
  garbage.write('NONSENSE\r\n\r\n');
  await ended;
  assert.equal((await ask(fresh, '/health')).status, 200);
});

test('no path leads out of the folder of the pages', async () => {
  for (const path of [
    '/../package.json',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fetc/passwd',
    '/assets/../../x.js',
    '//etc/passwd',
  ]) {
    const { status, text } = await ask(server, path);
    assert.ok(status === 404 || /<title>Orbweaver/.test(text), `${path}: ${status}`);
    assert.doesNotMatch(text, /root:|"name"/);
  }
  assert.equal((await ask(server, '/app-0123456789ab.js')).status, 200);
  assert.equal((await ask(server, '/app-ffffffffffff.js')).status, 404);
  assert.equal((await ask(server, '/c/some/view')).status, 200, 'a view is the main page');
});

test('every answer has the headers that keep a browser from doing more', async () => {
  for (const path of ['/', '/app-0123456789ab.js', '/api/copies', '/api/nothing', '/health']) {
    const { headers } = await ask(server, path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.match(String(headers['content-security-policy']), /default-src 'none'/, path);
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/, path);
    assert.equal(headers['set-cookie'], undefined, path);
    assert.equal(headers['access-control-allow-origin'], undefined, path);
  }
});

test('a read-only interface changes nothing', async () => {
  const readOnly = await serveHere(t, [served.dir], { readOnly: true });
  const change = { method: 'PATCH', body: { rules: { limit: 3 } }, token: readOnly.token };
  assert.equal((await ask(readOnly, rules, change)).status, 403);
  assert.equal((await ask(readOnly, '/api/copies')).json.isReadOnly, true);
});

test('a read-only interface does not show a copy whose pages were fetched with a login', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-login-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const header = [`${served.site.web.host}|X-Key: secret`];
  await crawlHere(dir, [served.site.web.url('/')], { patience: '0s', header });
  const [open, published] = [await serveHere(t, [dir]), await serveHere(t, [dir, served.dir], { readOnly: true })];
  const shown = async (server: RunningServer) => (await ask(server, '/api/copies')).json.copies.length;
  assert.deepEqual([await shown(open), await shown(published)], [1, 1]);
  assert.notEqual(published.copies.all[0]!.place.dir, dir);
});

test('many wrong tokens of one address are refused for a while, and so are many requests', () => {
  const limit = new RateLimit(1, 3);
  const take = (nowMs: number) => limit.take('a', nowMs);
  assert.deepEqual([take(0), take(0), take(0), take(0)], [true, true, true, false]);
  assert.deepEqual([limit.take('b', 0), take(500), take(1_000), take(1_000)], [true, false, true, false]);
  for (let i = 0; i < 20_000; i++) limit.take(`other ${i}`, 1_000);
  assert.equal(take(1_000), true, 'the table is bounded, so the address was forgotten');
});

test('an address that others can reach needs TLS or a proxy with TLS', async () => {
  const refused = (given: Record<string, unknown>) =>
    assert.rejects(
      () => serveHere(t, [served.dir], given),
      (error) => error instanceof OrbweaverError && error.code === 'ERR_USAGE',
    );
  await refused({ host: '0.0.0.0' });
  await refused({ host: '0.0.0.0', readOnly: true });
  await refused({ tlsCert: 'cert.pem' });
  await refused({ port: server.port });
  const names = new AllowedNames({ host: '0.0.0.0', port: 8420, isTls: false, proxyNames: ['crawl.example.org'] });
  assert.equal(names.hasHost('crawl.example.org'), true);
  assert.equal(names.hasOrigin('https://crawl.example.org'), true);
  assert.equal(names.hasHost('127.0.0.1:8420'), false);
});
