import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankOf } from '../../../src/watcher/rank/rank.ts';
import { RankTally } from '../../../src/watcher/rank/tally.ts';
import { SeededRandom } from '../../../testbed/random.ts';

/** The rule of docs/watcher-rank.md over all pages, without any stored state. */
function plainRanks(pages: ReadonlyMap<string, number>, linked: readonly string[]): Map<string, number> {
  const all = [...pages.values()];
  const fewest = Math.min(...all);
  const most = Math.max(...all);
  const foldersOf = (url: string) => url.split('/').length - 2;
  const length = Math.max(...[...pages.keys()].map(foldersOf)) + 1;
  let categories = Math.round(((length - 1) / 2) ** 0.5);
  if (categories < 1) categories = 1;
  if (categories > 4) categories = 4;
  const ranks = new Map<string, number>();
  for (const [url, updates] of pages) {
    const frequency = most === fewest ? 0 : (0.5 * (updates - fewest)) / (most - fewest);
    let level = 0.5;
    if (url !== '/' && !linked.includes(url)) {
      let category = 0;
      while (foldersOf(url) * categories >= (category + 1) * length) category++;
      level = [0.4, 0.3, 0.2, 0.1][category]!;
    }
    ranks.set(url, frequency + level);
  }
  return ranks;
}

test('W3 the rank of every page is right after each of 1,000 random updates', () => {
  const random = new SeededRandom(20261115);
  const below = (limit: number) => random.below(limit);
  const pages = new Map<string, number>([['/', 0]]);
  let linked: string[] = [];
  let tally = new RankTally();
  tally.add({ url: '/', updates: 0 });
  const anyUrl = () => [...pages.keys()][below(pages.size)]!;
  let made = 0;
  const newUrl = () => `/${'folder/'.repeat(below(below(30) + 1))}page-${made++}.html`;

  for (let step = 0; step < 1_000; step++) {
    const what = below(1_000) / 1_000;
    if (what < 0.25) {
      const url = newUrl();
      pages.set(url, 0);
      tally.add({ url, updates: 0 });
    } else if (what < 0.75) {
      const url = anyUrl();
      const updates = pages.get(url)!;
      tally.update({ url, updates }, updates + 1);
      pages.set(url, updates + 1);
    } else if (what < 0.87) {
      const url = anyUrl();
      if (url === '/') continue;
      tally.remove({ url, updates: pages.get(url)! });
      pages.delete(url);
    } else if (what < 0.95) {
      const from = anyUrl();
      if (from === '/') continue;
      const updates = pages.get(from)!;
      const url = newUrl();
      tally.remove({ url: from, updates });
      tally.add({ url, updates });
      pages.delete(from);
      pages.set(url, updates);
    } else if (what < 0.99) {
      linked = Array.from({ length: below(8) }, anyUrl);
      tally.setMainLinks(linked);
    } else {
      tally = RankTally.fromJSON(JSON.parse(JSON.stringify(tally)))!;
    }
    const expected = plainRanks(pages, linked);
    const basis = tally.basis();
    for (const [url, updates] of pages) {
      assert.equal(rankOf({ url, updates }, basis).rank, expected.get(url), `${url} after step ${step}`);
    }
    assert.equal(tally.pageCount, pages.size);
  }
  assert.ok(pages.size > 50, 'the site has grown');
});

test('the size of the tally depends on distinct numbers, not on pages', () => {
  const tally = new RankTally();
  for (let page = 0; page < 100_000; page++) tally.add({ url: `/${'d/'.repeat(page % 7)}p${page}`, updates: page % 5 });
  assert.equal(tally.toJSON().updates.length, 5);
  assert.equal(tally.toJSON().depths.length, 7);
  assert.ok(JSON.stringify(tally).length < 400);
});

test('later changes do not modify a basis that was returned earlier', () => {
  const tally = new RankTally('/blog/');
  tally.add({ url: '/blog/', updates: 3 });
  const before = tally.basis();
  tally.add({ url: '/blog/x/y', updates: 9 });
  tally.setMainLinks(['/blog/x/y']);
  assert.deepEqual([before.mostUpdates, before.length, before.isNearMain('/blog/x/y')], [3, 2, false]);
  assert.deepEqual(
    [tally.basis().mostUpdates, tally.basis().length, tally.basis().isNearMain('/blog/x/y')],
    [9, 3, true],
  );
  assert.equal(tally.basis().isNearMain('/blog/'), true);
});

test('an empty tally and an emptied tally give the same basis', () => {
  const empty = new RankTally();
  const emptied = new RankTally();
  emptied.add({ url: '/a/b', updates: 4 });
  emptied.remove({ url: '/a/b', updates: 4 });
  emptied.remove({ url: '/a/b', updates: 4 });
  assert.deepEqual(emptied.toJSON(), empty.toJSON());
  const { isNearMain: _, ...numbers } = emptied.basis();
  assert.deepEqual(numbers, { fewestUpdates: 0, mostUpdates: 0, length: 1 });
});

test('invalid JSON of a tally gives null and does not throw', () => {
  const good = new RankTally().toJSON();
  assert.ok(RankTally.fromJSON(good));
  const bad = [
    null,
    7,
    [],
    { ...good, main: 1 },
    { ...good, links: [1] },
    { ...good, updates: [[1, 0]] },
    {
      ...good,
      updates: [
        [1, 1],
        [1, 1],
      ],
    },
    { ...good, updates: [[0, 2]], depths: [[0, 1]] },
    { ...good, depths: [[-1, 1]] },
    { ...good, depths: 'x' },
  ];
  for (const json of bad) assert.equal(RankTally.fromJSON(json), null, JSON.stringify(json));
});
