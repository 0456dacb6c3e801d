/** Tests orders on a real web: which pages come first, also when a crawl continues in the same or another order. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ORDERS } from '../../../src/frontier/order.ts';
import { isPage } from '../../../testbed/web/ledger.ts';
import { reply, startWeb } from '../../../testbed/web/local-web.ts';
import { site } from '../../../testbed/web/site.ts';
import { crawlHere } from '../crawl-here.ts';
import { assertSound, dataFolder, storedUrls } from '../stored-crawl.ts';

const ONE_AT_A_TIME = { units: 1, concurrency: 1, perHost: 1, depth: 100 };

/** A list of pages. The first pages all link to one page that is last on the list. */
async function startPopular(t: TestContext, pages: number) {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/robots.txt', reply('', {}, 404));
  const paths = Array.from({ length: pages }, (_, i) => `/${i}`);
  web.on('/', reply([...paths, '/popular'].map((path) => `<a href="${path}">x</a>`).join(' ')));
  for (const path of paths) web.on(path, reply(`<a href="/popular">x</a> page ${path}`));
  web.on('/popular', reply('everybody links here'));
  const asked = () => web.ledger.entries.map(({ path }) => path).filter(isPage);
  return { web, asked };
}

for (const order of ['best-first', 'opic', 'backlink']) {
  test(`a URL that many pages link to moves up with ${order}, and not with breadth-first`, async (t) => {
    const { web, asked } = await startPopular(t, 200);
    await crawlHere(dataFolder(t), [web.url('/')], { ...ONE_AT_A_TIME, order });
    const place = asked().indexOf('/popular');
    assert.ok(place > 1 && place < 100, `fetched as number ${place}`);
    const plain = await startPopular(t, 200);
    await crawlHere(dataFolder(t), [plain.web.url('/')], ONE_AT_A_TIME);
    assert.equal(plain.asked().at(-1), '/popular');
  });
}

test('a crawl that continues with another order ranks waiting URLs by that order', async (t) => {
  const { web, asked } = await startPopular(t, 60);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { ...ONE_AT_A_TIME, limit: 20 });
  await crawlHere(dir, [], { ...ONE_AT_A_TIME, order: 'backlink', limit: 25 });
  assert.ok(asked().slice(20).includes('/popular'), asked().slice(20).join(' '));
  await crawlHere(dir, [], { ...ONE_AT_A_TIME, order: 'best-first', limit: 0 });
  await assertSound(dir);
  assert.equal(new Set(asked()).size, 62);
});

for (const order of Object.keys(ORDERS).filter((name) => name !== 'topic')) {
  test(`every page is fetched once with ${order}, over two runs`, async (t) => {
    const web = await startWeb();
    t.after(() => web.close());
    const plain = site({ pages: 120 });
    web.on('/*', plain.serve);
    const dir = dataFolder(t);
    await crawlHere(dir, [web.url('/')], { order, limit: 50 });
    await crawlHere(dir, [], { limit: 0 });
    await assertSound(dir);
    const fetched = [...(await storedUrls(dir)).values()].filter(({ state }) => state === 'fetched');
    assert.equal(fetched.length, plain.paths.length);
    for (const path of plain.paths) assert.equal(web.ledger.count(path), 1, path);
  });
}

test('best-first and opic rank well even if a seed redirects or one of several seeds has no links', async (t) => {
  for (const order of ['best-first', 'opic']) {
    const { web, asked } = await startPopular(t, 200);
    web.on('/old', ({ response }) => response.writeHead(301, { location: '/' }).end());
    web.on('/alone', reply('nothing to see'));
    await crawlHere(dataFolder(t), [web.url('/alone'), web.url('/old')], { ...ONE_AT_A_TIME, order });
    const place = asked().indexOf('/popular');
    assert.ok(place > 1 && place < 100, `${order}: fetched as number ${place}`);
  }
});

test('scores that grew in short runs count in the next run', async (t) => {
  const { web, asked } = await startPopular(t, 100);
  const dir = dataFolder(t);
  for (const limit of [20, 40, 60])
    await crawlHere(dir, [web.url('/')], { ...ONE_AT_A_TIME, order: 'backlink', limit });
  assert.ok(asked().includes('/popular'), asked().join(' '));
});
