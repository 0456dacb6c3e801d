/** Tests that a refresh leaves out copies of other pages, checks some of them, and visits those that may differ. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sentences } from '../../../src/copy/sentences/url-sentences.ts';
import { collectUrlFacts } from '../../../src/copy/url-facts.ts';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';
import { refreshHere, told } from './refresh-here.ts';

const COPIES = Array.from({ length: 70 }, (_, i) => `/copy/${i}`);

const page = (title: string, ...links: readonly string[]): string =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><p>This is what ${title} says, at some length.</p>
  ${links.map((href) => `<a href="${href}">to ${href}</a>`).join('\n')}`;

/** The front page links to an original, to another page, and to many copies of the original. */
async function siteWithCopies(t: TestContext, copies = COPIES.length) {
  const site = await startLivingSite(t);
  const setAll = (paths: readonly string[], title: string): void => {
    for (const path of paths) site.set(path, page(title));
  };
  site.set('/', page('front', '/original', '/other', ...COPIES.slice(0, copies)));
  site.set('/other', page('other'));
  setAll(['/original', ...COPIES], 'original');
  const dir = dataFolder(t);
  // One page after the other: the page that is committed first is the original.
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', perHost: '1', units: '1' });
  return {
    site,
    setAll,
    look: async (given: GivenOptions = {}) => {
      site.forget();
      const before = (await told(dir, site.web.origin)).length;
      const { changed, gone, unchanged, copies, requests } = await refreshHere(dir, given);
      await assertSound(dir);
      const news = (await told(dir, site.web.origin)).slice(before).filter((word) => !word.startsWith('noise'));
      const visited = COPIES.filter((path) => site.asked(path).length > 0);
      return { counts: { changed, gone, unchanged, requests }, copies, news, visited };
    },
    explained: async (path: string) => {
      const store = readSqliteStore(dir);
      const facts = await collectUrlFacts(store, site.web.url(path));
      await store.close();
      return sentences(facts, '', Date.now()).filter((line) => line.includes('a copy of'));
    },
    copiesIn: async () => {
      const store = readSqliteStore(dir);
      const visits = await store.visits(0, 1_000);
      await store.close();
      return visits.filter(({ copyOf }) => copyOf !== null).length;
    },
  };
}

test('copies are not visited, and their changes are not reported, while their original is visited', async (t) => {
  const { setAll, look, copiesIn } = await siteWithCopies(t);
  const quiet = await look();
  assert.deepEqual(quiet.counts, { changed: 0, gone: 0, unchanged: 5, requests: 5 });
  assert.deepEqual(quiet.copies, { leftOut: 68, checked: 2, different: 0 });
  setAll(['/original', ...COPIES], 'a new original');
  const second = await look();
  assert.deepEqual([second.news, second.copies.different, second.visited.length], [['changed /original'], 0, 2]);
  assert.ok(
    second.visited.every((path) => !quiet.visited.includes(path)),
    'other copies are checked each time',
  );
  const third = await look();
  assert.deepEqual([third.news, third.counts.requests, await copiesIn()], [[], 5, 70]);
});

test('a copy that a check finds to be different is a page of its own, and the others are visited at once', async (t) => {
  const { site, setAll, look, copiesIn } = await siteWithCopies(t);
  setAll(COPIES, 'no copy any more');
  const { news, copies, visited } = await look();
  assert.equal(visited.length, 70);
  assert.deepEqual(copies, { leftOut: 0, checked: 2, different: 2 });
  assert.equal(news.filter((word) => word.startsWith('changed /copy/')).length, 70);
  assert.equal(await copiesIn(), 69, 'they are copies of the first of them');
  site.set('/original', page('an original of its own'));
  const next = await look();
  assert.deepEqual([next.news, next.copies], [['changed /original'], { leftOut: 67, checked: 2, different: 0 }]);
});

test('a copy that stays as it was when its original changes is a page of its own', async (t) => {
  const { site, look, copiesIn } = await siteWithCopies(t);
  site.set('/original', page('a new original'));
  const { news, copies, visited } = await look();
  assert.deepEqual([news, copies.different, visited.length], [['changed /original'], 2, 70]);
  assert.equal(await copiesIn(), 69);
});

test('a copy of each page that has changed is checked, so a copy that goes its own way is found at once', async (t) => {
  const { site, look } = await siteWithCopies(t, 3);
  const pairs = Array.from({ length: 6 }, (_, i) => [`/one/${i}`, `/two/${i}`] as const);
  site.set('/', page('front', '/original', '/other', ...COPIES.slice(0, 3), ...pairs.flat()));
  for (const [one, two] of pairs) for (const path of [one, two]) site.set(path, page(`pair ${one}`));
  await look();
  for (const [one, two] of pairs) {
    site.set(one, page(`new pair ${one}`));
    site.set(two, page(two === '/two/3' ? 'a page of its own' : `new pair ${one}`));
  }
  const { news, copies } = await look();
  assert.deepEqual(news.sort(), [...pairs.map(([one]) => `changed ${one}`), 'changed /two/3']);
  assert.equal(copies.different, 1);
});

test('when an original is gone, its copies are visited in the same round', async (t) => {
  const { site, look } = await siteWithCopies(t);
  site.pages.set('/original', { status: 410 });
  for (const path of COPIES.slice(35)) site.pages.set(path, { status: 410 });
  const { counts, news, visited } = await look();
  assert.deepEqual([counts.gone, news.length, visited.length], [36, 36, 70]);
});

test('copies that no page links to are not reported, and are retired after a check', async (t) => {
  const { site, look } = await siteWithCopies(t, 3);
  site.set('/', page('front', '/original', '/other'));
  const rounds: (readonly [readonly string[], number])[] = [];
  for (let round = 0; round < 5; round++) {
    const { news, visited } = await look();
    rounds.push([news, visited.length]);
    if (round === 2) for (const path of COPIES) site.pages.set(path, { status: 410 });
  }
  assert.deepEqual(rounds, [
    [['changed /'], 1],
    [[], 1],
    [[], 1],
    [[], 0],
    [[], 0],
  ]);
});

test('explain says of which page a URL is a copy, and why it is not visited', async (t) => {
  const { site, look, explained } = await siteWithCopies(t, 3);
  const original = site.web.url('/original');
  const [line] = await explained('/copy/2');
  assert.match(
    line!,
    new RegExp(`^On 20.* UTC, at its last visit, it was a copy of ${original}. It was not visited since`),
  );
  assert.deepEqual(await explained('/original'), []);
  site.set('/', page('front', '/original', '/other'));
  for (let round = 0; round < 3; round++) await look();
  assert.match((await explained('/copy/2'))[0]!, /It is not visited any more, because no page links to it\.$/);
  site.pages.set('/original', { status: 410 });
  site.set('/', page('front', '/original', '/other', '/copy/2'));
  await look();
  assert.match((await explained('/copy/1'))[0]!, /It is not visited any more/);
});

test('a copy that --only selects without its original is visited, and a budget keeps requests for checks', async (t) => {
  const { look } = await siteWithCopies(t);
  assert.equal((await look({ only: '*/copy/1' })).visited.length, 1);
  assert.equal((await look({ only: '*/original' })).visited.length, 0);
  const { counts, visited } = await look({ budget: '32' });
  assert.deepEqual([counts.requests, visited.length], [5, 2]);
});

test('when an original does not answer, a copy is checked, and all copies that differ are found', async (t) => {
  const { site, setAll, look } = await siteWithCopies(t, 5);
  site.pages.set('/original', { status: 503 });
  setAll(COPIES.slice(0, 5), 'something else');
  const { news } = await look();
  assert.deepEqual(
    news.sort(),
    COPIES.slice(0, 5)
      .map((path) => `changed ${path}`)
      .sort(),
  );
});

test('a retired copy is visited when its original has left', async (t) => {
  const { site, look } = await siteWithCopies(t, 1);
  site.set('/', page('front', '/original', '/other'));
  await look();
  assert.deepEqual((await look()).visited, [], 'it is retired');
  site.pages.set('/original', { status: 410 });
  assert.deepEqual((await look()).visited, ['/copy/0']);
  site.pages.set('/copy/0', { status: 410 });
  assert.deepEqual((await look()).news, ['gone /copy/0']);
});

test('the visits to copies stay within the budget of their host', async (t) => {
  const { setAll, look } = await siteWithCopies(t);
  setAll(['/original', ...COPIES], 'a new original');
  assert.ok((await look({ hostBudget: '3' })).counts.requests <= 3);
});

test('a canonical copy that changes while its original does not is a change', async (t) => {
  const { site, look } = await siteWithCopies(t, 0);
  const words = Array.from({ length: 300 }, (_, i) => `word${(i * 7919) % 1000}`).join(' ');
  const lamp = (price: string) =>
    `<!doctype html><title>Lamp</title><link rel="canonical" href="${site.web.url('/lamp')}">
    <main><h1>Lamp</h1><p>${words}</p><p>Price: ${price}</p></main>`;
  site.set('/', page('front', '/lamp', '/lamp-in-red'));
  site.set('/lamp', lamp('10 EUR'));
  site.set('/lamp-in-red', lamp('12 EUR'));
  for (let round = 0; round < 2; round++) await look();
  site.set('/lamp-in-red', lamp('99 EUR, sold out'));
  assert.deepEqual((await look()).news, ['changed /lamp-in-red']);
});
