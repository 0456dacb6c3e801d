import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { categoriesOf, depthOf, type RankBasis, rankOf } from '../../../src/watcher/rank/rank.ts';

const basis: RankBasis = {
  fewestUpdates: 2,
  mostUpdates: 14,
  length: 6,
  isNearMain: (url) => url === '/' || url === '/a/b/c/d/',
};

test('W3 the rows of the worked example in docs/watcher-rank.md are right', () => {
  const text = readFileSync(new URL('../../../docs/watcher-rank.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([^`]+)` \| (\d+) \|.*\| ([\d.]+) \|$/gm)];
  assert.equal(rows.length, 5);
  for (const [, url, updates, rank] of rows) {
    assert.equal(rankOf({ url: url!, updates: Number(updates) }, basis).rank, Number(rank), url);
  }
  assert.deepEqual(rankOf({ url: '/a/b/x.html', updates: 8 }, basis), { frequency: 0.25, level: 0.4, rank: 0.65 });
});

test('W3 the number of categories is √((length − 1) / 2), from 1 to 4', () => {
  const asked = [0, 1, 2, 5, 6, 13, 14, 25, 26, 33, 1_000_000];
  assert.deepEqual(asked.map(categoriesOf), [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4]);
});

test('W3 the frequency is 0 if all pages have the same number of updates', () => {
  const equal = { ...basis, fewestUpdates: 7, mostUpdates: 7 };
  assert.equal(rankOf({ url: '/x.html', updates: 7 }, equal).frequency, 0);
});

test('W3 levels fall with depth, not below 0.1, and the deepest category is used', () => {
  for (const length of [1, 2, 6, 14, 26, 40]) {
    const levels = Array.from({ length }, (_, depth) => {
      return rankOf({ url: `${'/d'.repeat(depth)}/p.html`, updates: 2 }, { ...basis, length }).level;
    });
    assert.equal(levels[0], 0.4);
    assert.deepEqual(
      levels,
      levels.slice().sort((left, right) => right - left),
    );
    assert.deepEqual(new Set(levels).size, categoriesOf(length));
    for (const level of levels) assert.ok([0.4, 0.3, 0.2, 0.1].includes(level));
    // Evenly: no category has two levels of folders more than another.
    const sizes = [...new Set(levels)].map((level) => levels.filter((other) => other === level).length);
    assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, `${length}: ${sizes}`);
  }
});

test('the depth of a page is the number of folders around it', () => {
  const depths = { '/': 0, '/a.html': 0, '/docs/': 1, '/docs/a.html': 1, '/a/b/c': 2, '/a?x=/b/c': 0, '': 0 };
  for (const [url, depth] of Object.entries(depths)) assert.equal(depthOf(url), depth, url);
});

test('a page that is newer than the basis is ranked within the bounds of the basis', () => {
  assert.equal(rankOf({ url: '/x', updates: 99 }, basis).frequency, 0.5);
  assert.equal(rankOf({ url: '/x', updates: 0 }, basis).frequency, 0);
  assert.equal(rankOf({ url: '/a/b/c/d/e/f/g/h.html', updates: 2 }, basis).level, 0.3);
});
