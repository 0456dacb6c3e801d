/**
 * Tests which private addresses a crawl may reach: how the user's words decide this, how the decision is stored and
 * replaced, and that a crawl that is not entirely private never connects to a private address that the user did not
 * name. (private-network.test.ts shows that this holds for any DNS response.)
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listen } from '../../src/core/events.ts';
import type { AllowPrivate } from '../../src/core/options/allow-private.ts';
import { privateRuleOf, refuseClosedSeeds } from '../../src/crawl/private-seeds.ts';
import { DNS_DEFAULTS } from '../../src/fetch/addresses/dns-cache.ts';
import { PrivateJudge } from '../../src/fetch/addresses/private-rule.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';
import { crawlHere } from './crawl-here.ts';
import { refreshHere } from './refresh/refresh-here.ts';
import { dataFolder, edit, fates, storedUrls } from './stored-crawl.ts';

const PUBLIC = 'http://8.8.8.8/';
/** A name that never resolves stands for a public seed: it makes the crawl public without any traffic. */
const NOWHERE = 'http://no-such-host.invalid/';

const PRIVATE_SEEDS = ['http://127.0.0.1:81/', 'http://10.0.0.1/', 'http://[::1]/', 'http://localhost/'];

test('a crawl with only private seeds may reach private addresses, except special ones that must be named', () => {
  for (const seeds of [...PRIVATE_SEEDS.map((seed) => [seed]), PRIVATE_SEEDS, ['http://a.b.localhost:8080/']]) {
    const judge = new PrivateJudge(privateRuleOf(seeds, null));
    assert.ok(judge.allows('http://intranet.test', '192.168.7.7'), String(seeds));
    assert.ok(!judge.allows('http://intranet.test', '169.254.169.254'), String(seeds));
  }
});

test('a private seed among public seeds allows only its own origin', () => {
  const judge = new PrivateJudge(privateRuleOf(['http://10.0.0.1:81/a', 'http://localhost/', PUBLIC], null));
  assert.ok(judge.allows('http://10.0.0.1:81', '10.0.0.1'));
  assert.ok(judge.allows('http://localhost', '127.0.0.1'));
  // RFC 6761: this name means this machine, whatever a name server says.
  assert.ok(!judge.allows('http://localhost', '10.0.0.1'));
  assert.ok(!judge.allows('http://10.0.0.1:82', '10.0.0.1'));
  assert.ok(!judge.allows('https://10.0.0.1:81', '10.0.0.1'));
  assert.ok(!judge.allows('http://10.0.0.2:81', '10.0.0.2'));
});

test('a host name or a public IP address as a seed does not make a crawl private', () => {
  for (const seed of [PUBLIC, NOWHERE, 'http://intranet.test/', 'http://localhost.test/', 'http://[2606:4700::1]/']) {
    for (const allow of [null, false]) {
      assert.ok(!new PrivateJudge(privateRuleOf([seed], allow)).allows(new URL(seed).origin, '10.0.0.1'), seed);
    }
  }
  assert.deepEqual(privateRuleOf([], null).privateAddresses, 'deny');
});

test('a list of allowed addresses is exhaustive, even if all seeds are private', () => {
  const judge = new PrivateJudge(privateRuleOf(['http://127.0.0.1:81/'], ['10.0.0.0/8', 'intranet.test']));
  assert.ok(judge.allows('http://127.0.0.1:81', '127.0.0.1'), 'the seed itself');
  assert.ok(judge.allows('http://any.test', '10.1.2.3'));
  assert.ok(judge.allows('https://intranet.test:8443', '192.168.1.1'));
  assert.ok(!judge.allows('http://any.test', '192.168.1.1'));
  assert.ok(!judge.allows('http://127.0.0.1:82', '127.0.0.1'));
  assert.ok(!judge.allows('http://intranet.test', '169.254.169.254'), 'a name opens no address that must be named');
});

test('a special address is allowed only if the user names it, or a narrow range around it', () => {
  const allows = (seeds: string[], list: string[] | true | null, address = '169.254.169.254') =>
    new PrivateJudge(privateRuleOf(seeds, list)).allows('http://169.254.169.254', address);
  assert.ok(allows(['http://169.254.169.254/'], null));
  assert.ok(allows(['http://169.254.169.254/', PUBLIC], null));
  for (const entry of ['169.254.169.254', '169.254.0.0/16', '169.254.169.0/24']) assert.ok(allows([PUBLIC], [entry]));
  for (const entry of ['0.0.0.0/0', '168.0.0.0/6', '::/0', '10.0.0.0/8']) assert.ok(!allows([PUBLIC], [entry]), entry);
  assert.ok(!allows([PUBLIC], true));
  assert.ok(allows([PUBLIC], ['fd00:ec2::254'], 'fd00:ec2::254'));
  assert.ok(!allows([PUBLIC], ['fc00::/7'], 'fd00:ec2::254'));
  assert.ok(!allows([PUBLIC], ['100.64.0.0/10'], '100.100.100.200'));
});

test('a crawl with public seeds connects only to private hosts that the user named', async (t) => {
  const named = await startWeb();
  const secret = await startWeb({ address: '127.0.0.7' });
  t.after(() => Promise.all([named.close(), secret.close()]));
  secret.on('/*', reply('secret'));
  named.on('/', reply(`<a href="${secret.url('/link')}">l</a><a href="/redirect">r</a><a href="/page">p</a>`));
  named.on('/redirect', ({ response }) => void response.writeHead(302, { location: secret.url('/target') }).end());
  named.on('/page', reply('a page'));
  const dir = dataFolder(t);
  await crawlHere(dir, [named.url('/'), NOWHERE], { scope: 'any', patience: '0s' });
  const stored = fates((await storedUrls(dir)).values());
  assert.equal(stored[named.url('/page')], 'fetched');
  assert.equal(stored[named.url('/redirect')], 'redirect');
  assert.equal(secret.accepted, 0, 'no connection was made');
  for (const path of ['/link', '/target']) assert.equal(stored[secret.url(path)], 'skipped/private-address');
});

test('a redirect of robots.txt to a private host is not followed', async (t) => {
  const named = await startWeb();
  const secret = await startWeb({ address: '127.0.0.7' });
  t.after(() => Promise.all([named.close(), secret.close()]));
  named.on(
    '/robots.txt',
    ({ response }) => void response.writeHead(302, { location: secret.url('/robots.txt') }).end(),
  );
  named.on('/', reply('home'));
  await crawlHere(dataFolder(t), [named.url('/'), NOWHERE], { patience: '0s' });
  assert.equal(named.ledger.count('/robots.txt'), 1);
  assert.equal(secret.accepted, 0);
});

/** A public crawl with a page that links to a private host, and the warnings of the crawl. */
async function leadingCrawl(t: TestContext) {
  const named = await startWeb();
  const other = await startWeb({ address: '127.0.0.7' });
  t.after(() => Promise.all([named.close(), other.close()]));
  named.on('/', reply(`<a href="${other.url('/')}">l</a>`));
  other.on('/', reply('let in'));
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  const dir = dataFolder(t);
  const fate = async () => fates((await storedUrls(dir)).values())[other.url('/')];
  return { dir, seeds: [named.url('/'), NOWHERE], options: { scope: 'any', patience: '0s' }, other, fate, warnings };
}

test('--allow-private allows links to all private hosts, or to those in its list', async (t) => {
  for (const [allowPrivate, expected] of [
    [['10.0.0.0/8', '127.0.0.0/29'], 'fetched'],
    ['10.0.0.0/8', 'skipped/private-address'],
  ] as const) {
    const { dir, seeds, options, fate } = await leadingCrawl(t);
    await crawlHere(dir, seeds, { ...options, allowPrivate });
    assert.equal(await fate(), expected, String(allowPrivate));
  }
});

test('--allow-private is stored for later runs and refreshes, and a new value is reported once', async (t) => {
  const { dir, seeds, options, other, fate, warnings } = await leadingCrawl(t);
  await crawlHere(dir, seeds, options);
  assert.equal(await fate(), 'skipped/private-address');
  await crawlHere(dir, [], { ...options, allowPrivate: '127.0.0.7' });
  assert.equal(await fate(), 'fetched', 'what was left out is tried again');
  assert.deepEqual(warnings, [
    'the rules of this crawl have changed: --allow-private 127.0.0.7 (was none); 1 URL that was left out before is tried again',
  ]);
  const asked = () => other.ledger.count('/');
  const before = asked();
  // Neither of the two runs gets the option.
  await crawlHere(dir, [], options);
  await refreshHere(dir);
  assert.equal(asked(), before + 1);
  await refreshHere(dir, { allowPrivate: false });
  await refreshHere(dir);
  assert.equal(asked(), before + 1, 'nothing is asked any more');
  assert.deepEqual(warnings.slice(1), ['the rules of this crawl have changed: --allow-private off (was 127.0.0.7)']);
  assert.equal(await fate(), 'fetched', 'the copy keeps its page');
});

test('a data folder of an older version without a stored decision decides by its seeds', async (t) => {
  const { dir, seeds, options, fate } = await leadingCrawl(t);
  await crawlHere(dir, seeds.slice(0, 1), options);
  assert.equal(await fate(), 'fetched', 'all seeds are private');
  edit(dir, `UPDATE notes SET value = json_set(value, '$.allowPrivate', json('false')) WHERE name = 'rules'`);
  assert.equal((await refreshHere(dir)).requests, 2);
  edit(dir, `UPDATE notes SET value = '["${seeds[0]}","${NOWHERE}"]' WHERE name = 'seeds'`);
  const { requests, failed } = await refreshHere(dir);
  assert.deepEqual([requests, failed], [1, 1], 'with a public seed only the private seed itself is asked');
});

/** Makes DNS answer with these addresses, for the thread that judges the seeds. */
function answering(t: TestContext, answers: Readonly<Record<string, readonly string[]>>) {
  t.mock.method(DNS_DEFAULTS, 'resolve', async (name: string) =>
    (answers[name] ?? []).map((address) => ({ address, family: isIP(address) })),
  );
}

test('a seed that resolves only to private addresses is refused, and no file is created', async (t) => {
  answering(t, { 'intranet.test': ['10.9.8.7', 'fd00::7'], 'metadata.test': ['169.254.169.254'] });
  const dir = join(dataFolder(t), 'new');
  const cases = [
    [
      'intranet.test',
      undefined,
      /has only private addresses \(10\.9\.8\.7, fd00::7\).*--allow-private=intranet\.test$/,
    ],
    ['intranet.test', '10.9.8.8,fc00::/8', /--allow-private=intranet\.test$/],
    // Neither the bare option nor the name allows this address, so the message names the address.
    ['metadata.test', undefined, /--allow-private=169\.254\.169\.254$/],
    ['metadata.test', true, /--allow-private=169\.254\.169\.254$/],
    ['metadata.test', 'metadata.test', /--allow-private=169\.254\.169\.254$/],
  ] as const;
  for (const [name, allowPrivate, message] of cases) {
    await assert.rejects(crawlHere(dir, [`http://${name}/`], { allowPrivate }), { code: 'ERR_PRIVATE_SEED', message });
    assert.ok(!existsSync(dir), 'the folder was not made');
  }
});

test('a seed with a public address, no address or an allowed address is not refused', async (t) => {
  const allowed = ['10.9.8.7', 'fd00::7'];
  answering(t, { 'mixed.test': ['8.8.4.4', '10.9.8.7'], 'intranet.test': allowed });
  const refuse = (name: string, allow: AllowPrivate) =>
    refuseClosedSeeds([`http://${name}/`], privateRuleOf([`http://${name}/`], allow));
  await refuse('mixed.test', null);
  await refuse('unknown.test', null);
  for (const allow of [true, ['intranet.test'], ['10.0.0.0/8'], ['fd00::7']]) await refuse('intranet.test', allow);
});

test('a refresh warns about a seed that has become private, and keeps its pages', async (t) => {
  const { dir, seeds, options, warnings } = await leadingCrawl(t);
  await crawlHere(dir, [...seeds, 'http://later.test/'], options);
  answering(t, { 'later.test': ['10.9.8.7'] });
  await refreshHere(dir);
  assert.deepEqual(warnings, [
    'http://later.test/ now has only private addresses (10.9.8.7) and is not requested; to allow it: --allow-private=later.test',
  ]);
});
