/**
 * Decision 9, as far as it can be shown without a public network: which hosts of the seeds may have private addresses, and
 * that a crawl which is not wholly private never connects to a private address that the user did not name, whether a link, a
 * redirect or a robots.txt leads there. (That the check is made on the address at connect time is shown in test/fetch.)
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { privateHostsOf } from '../../src/crawl/private-seeds.ts';
import { isPublicAddress } from '../../src/fetch/private-address.ts';
import { reply, startWeb } from '../web/local-web.ts';
import { crawlHere } from './crawl-here.ts';
import { dataFolder, fates, storedUrls } from './stored-crawl.ts';

const PUBLIC_ADDRESS = '8.8.8.8';

test('hosts that may be private: all of a private crawl, only the named ones of any other', async () => {
  assert.equal(await privateHostsOf(['http://127.0.0.1:81/', 'http://10.0.0.1/', 'http://[::1]/']), null);
  assert.equal(await privateHostsOf(['http://localhost/']), null);
  assert.deepEqual(await privateHostsOf(['http://127.0.0.1:81/a', `http://${PUBLIC_ADDRESS}/`]), [
    'http://127.0.0.1:81',
  ]);
  assert.deepEqual(await privateHostsOf([`http://${PUBLIC_ADDRESS}/`]), []);
  assert.deepEqual(await privateHostsOf([]), []);
  // A name without an address could be anybody's: it makes no crawl private.
  assert.deepEqual(await privateHostsOf(['http://no-such-host.invalid/']), []);
  assert.ok(isPublicAddress(PUBLIC_ADDRESS));
});

test('a crawl that is not wholly private connects to no private host but those the user named', async (t) => {
  const named = await startWeb();
  const secret = await startWeb({ address: '127.0.0.7' });
  t.after(() => Promise.all([named.close(), secret.close()]));
  secret.on('/*', reply('secret'));
  named.on('/', reply(`<a href="${secret.url('/link')}">l</a><a href="/redirect">r</a><a href="/page">p</a>`));
  named.on('/redirect', ({ response }) => void response.writeHead(302, { location: secret.url('/target') }).end());
  named.on('/page', reply('a page'));
  const dir = dataFolder(t);
  // A name that never has an address stands for the public seed: it makes the crawl a public one without any traffic.
  const seeds = [named.url('/'), 'http://no-such-host.invalid/'];
  await crawlHere(dir, seeds, { scope: 'any', patience: '0s' });
  const stored = fates((await storedUrls(dir)).values());
  assert.equal(stored[named.url('/page')], 'fetched');
  assert.equal(stored[named.url('/redirect')], 'redirect');
  assert.equal(secret.accepted, 0, 'no connection was made');
  for (const path of ['/link', '/target']) assert.equal(stored[secret.url(path)], 'skipped/private-address');
});

test('robots.txt that redirects to a private host is not followed there', async (t) => {
  const named = await startWeb();
  const secret = await startWeb({ address: '127.0.0.7' });
  t.after(() => Promise.all([named.close(), secret.close()]));
  named.on(
    '/robots.txt',
    ({ response }) => void response.writeHead(302, { location: secret.url('/robots.txt') }).end(),
  );
  named.on('/', reply('home'));
  await crawlHere(dataFolder(t), [named.url('/'), 'http://no-such-host.invalid/'], { patience: '0s' });
  assert.equal(named.ledger.count('/robots.txt'), 1);
  assert.equal(secret.accepted, 0);
});

test('--allow-private lets pages lead to private hosts', async (t) => {
  const named = await startWeb();
  const other = await startWeb({ address: '127.0.0.7' });
  t.after(() => Promise.all([named.close(), other.close()]));
  named.on('/', reply(`<a href="${other.url('/')}">l</a>`));
  other.on('/', reply('let in'));
  const dir = dataFolder(t);
  const seeds = [named.url('/'), 'http://no-such-host.invalid/'];
  await crawlHere(dir, seeds, { scope: 'any', patience: '0s', allowPrivate: true });
  assert.equal(fates((await storedUrls(dir)).values())[other.url('/')], 'fetched');
});
