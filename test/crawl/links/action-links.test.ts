/** Tests that a crawl with a login leaves out links that change something, and that other crawls follow them. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { startRecovery } from '../../../src/recover/recover.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { runCli } from '../../cli/setup/run-cli.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { refreshHere } from '../refresh/refresh-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';

const LEFT_OUT = 'skipped/action-link';

async function startShop(t: TestContext): Promise<LocalWeb> {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/*', reply('a page'));
  web.on(
    '/',
    reply(`<a href="/logout">bye</a> <a href="/p/1">Red shoe</a> <a href="/p/1">Buy</a> <a href="/x?k=1">Löschen</a>
      <a href="/icon/7"><img src="/trash.png" alt="Remove"></a> <a href="/api/users#delete">Delete</a>
      <a href="/sql-delete.html">DELETE</a> <a href="/moved">moved</a> <a href="/later">later</a>`),
  );
  web.on('/moved', reply('', { location: '/account/delete' }, 302));
  web.on('/later', reply('<a href="/icon/7">Catalogue</a>'));
  return web;
}

test('with a login, links that change something are left out, and explain says why', async (t) => {
  const web = await startShop(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { cookies: true });
  const fates = await fatesOf(dir, web.origin);
  assert.equal(fates['/logout'], LEFT_OUT);
  assert.equal(fates['/account/delete'], LEFT_OUT, 'the target of a redirect');
  assert.equal(fates['/x?k=1'], LEFT_OUT, 'by its label');
  assert.match(fates['/p/1']!, /^(?:fetched|duplicate)/, 'a page that is also linked by its name');
  for (const path of ['/api/users', '/sql-delete.html', '/icon/7'])
    assert.notEqual(fates[path], LEFT_OUT, `${path} is a page: its label is elsewhere, a title, or another`);
  for (const path of ['/logout', '/account/delete', '/x?k=1']) assert.equal(web.ledger.count(path), 0, path);
  const { stdout } = await runCli('explain', web.url('/logout'), '--dir', dir);
  assert.match(stdout, /Not fetched: following it would change something.*\[action-link\]/);
  await assertSound(dir);
});

test('each kind of login counts; other headers, and crawls without a login, do not', async (t) => {
  const host = (web: LocalWeb) => web.host;
  const cases: [(web: LocalWeb) => GivenOptions, boolean][] = [
    [(web) => ({ auth: [`${host(web)}|me:secret`] }), true],
    [(web) => ({ header: [`${host(web)}|Cookie: a=b`] }), true],
    [() => ({ header: ['*|X-Api-Key: k'] }), true],
    [() => ({ header: ['*|Accept-Language: de'] }), false],
    [() => ({}), false],
    [() => ({ cookies: true, followActions: true }), false],
  ];
  for (const [given, isLeftOut] of cases) {
    const web = await startShop(t);
    const dir = dataFolder(t);
    await crawlHere(dir, [web.url('/')], given(web));
    assert.equal((await fatesOf(dir, web.origin))['/logout'] === LEFT_OUT, isLeftOut, JSON.stringify(given(web)));
  }
});

test('a seed is fetched as typed, and --follow-actions releases what an earlier run left out', async (t) => {
  const web = await startShop(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/'), web.url('/vote')], { cookies: true });
  assert.equal(web.ledger.count('/vote'), 1);
  assert.equal(web.ledger.count('/logout'), 0);
  await crawlHere(dir, [web.url('/')], { cookies: true, followActions: true });
  assert.equal(web.ledger.count('/logout'), 1);
});

test('URLs that a run without a login found are left out by a run with one, and refresh keeps their pages', async (t) => {
  const web = await startShop(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { limit: 1 });
  await crawlHere(dir, [web.url('/')], { cookies: true, limit: 0 });
  assert.equal((await fatesOf(dir, web.origin))['/logout'], LEFT_OUT);
  assert.equal(web.ledger.count('/logout'), 0);
  const open = dataFolder(t);
  await crawlHere(open, [web.url('/')]);
  assert.equal(web.ledger.count('/logout'), 1);
  await refreshHere(open, { minInterval: '0s', cookies: true });
  assert.equal(web.ledger.count('/logout'), 1, 'the refresh does not request it');
  assert.match((await fatesOf(open, web.origin))['/logout']!, /^(?:fetched|duplicate)/);
});

/** Crawls with a login, loses the database, and recovers it from the archive alone. */
async function recoverShop(t: TestContext, web: LocalWeb, given: GivenOptions): Promise<string> {
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { units: 1, ...given });
  rmSync(join(dir, 'crawl.db'));
  await startRecovery({ dir, files: [], seeds: [], sources: [], rebuild: false }).summary;
  return dir;
}

test('a recovery judges links by their labels if the crawl was logged in with a secret', async (t) => {
  const web = await startShop(t);
  const dir = await recoverShop(t, web, { header: [`${web.host}|Cookie: a=b`] });
  const fates = await fatesOf(dir, web.origin);
  for (const path of ['/x?k=1', '/logout']) assert.equal(fates[path], LEFT_OUT, path);
});

test('a recovery takes no permission to follow actions from an archive, and keeps the pages in it', async (t) => {
  const web = await startShop(t);
  const dir = await recoverShop(t, web, { cookies: true, followActions: true });
  const fates = await fatesOf(dir, web.origin);
  for (const path of ['/x?k=1', '/logout', '/account/delete'])
    assert.match(fates[path]!, /^(?:fetched|duplicate)/, path);
  web.on('/', reply('<a href="/new/delete">a new action</a>'));
  await refreshHere(dir, { minInterval: '0s' });
  assert.equal((await fatesOf(dir, web.origin))['/new/delete'], LEFT_OUT);
});
