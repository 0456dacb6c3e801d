import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { crawl, openCopy } from '../../src/index.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';
import { makeSmallCrawl, NOW_MS, removeCrawl, SEED, SITE } from '../cli/setup/small-crawl.ts';
import { ANSWERS, fetchOverTime, PAGE } from '../copy/fetched-over-time.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';

test('a copy returns its pages, its URLs, its counts, and the reason why a URL has no page', async (t) => {
  const small = await makeSmallCrawl();
  t.after(() => removeCrawl(small));
  await using copy = await openCopy(small.dir);
  assert.equal(copy.dir, small.dir);

  const pages = await Array.fromAsync(copy.pages());
  assert.deepEqual(
    pages.map(({ url, duplicateOf }) => [url, duplicateOf]),
    [
      [SEED, null],
      [`${SITE}/a`, null],
      [`${SITE}/b`, `${SITE}/a`],
      [`${SITE}/copy`, `${SITE}/a`],
    ],
  );
  assert.equal((await pages[0]!.body()).toString(), 'front');

  const states = new Map((await Array.fromAsync(copy.urls())).map((known) => [known.url, known]));
  const { state, status, reason, failures, fetchedAt } = states.get(`${SITE}/gone`)!;
  assert.deepEqual([state, status, reason, failures, fetchedAt], ['failed', 410, 'gone', 1, new Date(NOW_MS)]);
  assert.equal(states.get(`${SITE}/old`)!.redirectTo, `${SITE}/older`);
  assert.deepEqual([states.get(`${SITE}/wait`)!.status, states.get(`${SITE}/wait`)!.fetchedAt], [null, null]);
  const { states: counted } = await copy.counts();
  assert.equal(
    Object.values(counted).reduce((sum, count) => sum + count),
    states.size,
  );

  assert.equal((await copy.page('site.test/a'))?.title, `Title of ${SITE}/a`);
  assert.equal(await copy.page(`${SITE}/gone`), null);
  assert.equal(await copy.page(`${SITE}/unheard-of`), null);
  const gone = await copy.response(new URL(`${SITE}/gone`));
  assert.deepEqual([gone?.status, gone?.body.toString()], [410, 'x']);

  const { why, robots, capture } = await copy.explain(`${SITE}/private/x`);
  assert.deepEqual([why, robots.allowed, capture], ["the host's robots.txt disallows it", false, null]);
  assert.deepEqual(await copy.explain('http://elsewhere.test/').then(({ known, reason }) => [known, reason]), [
    false,
    'out-of-scope',
  ]);
});

test('the response of an earlier time can be read', async (t) => {
  const dir = dataFolder(t);
  await fetchOverTime(dir);
  const copy = await openCopy(dir);
  t.after(() => copy.close());
  const [first, second, third] = ANSWERS;
  for (const { fetchedAtMs, text } of [first, second, third]) {
    const response = await copy.response(PAGE, new Date(fetchedAtMs));
    assert.deepEqual([response?.body.toString(), response?.fetchedAt.getTime()], [text, fetchedAtMs]);
  }
  assert.equal(await copy.response(PAGE, new Date(first.fetchedAtMs - 1)), null);
  await assert.rejects(copy.response(PAGE, new Date(Number.NaN)), { code: 'ERR_BAD_OPTION' });
});

test('pages stay readable after the copy is closed', async (t) => {
  const small = await makeSmallCrawl();
  t.after(() => removeCrawl(small));
  const copy = await openCopy(small.dir);
  const page = await copy.page(SEED);
  await copy.close();
  assert.equal((await page!.body()).toString(), 'front');
  await assert.rejects(copy.counts(), { code: 'ERR_STORE' });
});

test('a folder without a copy and an invalid URL are refused with their codes', async (t) => {
  await assert.rejects(openCopy(join(dataFolder(t), 'missing')), { code: 'ERR_NO_CRAWL' });
  await assert.rejects(openCopy(''), { code: 'ERR_BAD_OPTION' });
  const small = await makeSmallCrawl();
  t.after(() => removeCrawl(small));
  await using copy = await openCopy(small.dir);
  await assert.rejects(copy.page('mailto:x@example.com'), { code: 'ERR_BAD_URL' });
  await assert.rejects(copy.explain('what is this'), { code: 'ERR_BAD_URL' });
});

test('P6 a copy returns the links to a URL and from it, with anchor texts', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/robots.txt', reply('', {}, 404));
  web.on('/', reply('<a href="/a">first <b>page</b></a> <a href="/b">second</a>'));
  web.on('/a', reply('<p>to <i><a href="/b">b</a></i></p>'));
  web.on('/b', reply('the end'));
  const dir = dataFolder(t);
  await crawl(web.url('/'), { dir }).summary;
  await using copy = await openCopy(dir);
  const { backlinks, forwardLinks, from, to, rank } = (await copy.links(web.url('/b')))!;
  assert.deepEqual([backlinks, forwardLinks, to], [2, 0, []]);
  assert.ok(rank > 0);
  const anchors = from.map(({ url, anchor, visibility }) => [url, anchor, visibility]);
  assert.deepEqual(anchors.sort(), [
    [web.url('/'), 'second', 1],
    [web.url('/a'), 'b', 2],
  ]);
  const limited = (await copy.links(web.url('/'), { limit: 1 }))!;
  assert.deepEqual([limited.forwardLinks, limited.to.map(({ anchor }) => anchor)], [2, ['first page']]);
  assert.equal(await copy.links(web.url('/unheard-of')), null);
  await assert.rejects(copy.links(web.url('/'), { limit: -1 }), { code: 'ERR_BAD_OPTION' });
});
