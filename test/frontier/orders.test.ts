import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRAWL_OPTIONS, resolveOptions } from '../../src/core/options/options.ts';
import {
  agedWeights,
  agingRank,
  ORDERS,
  type Order,
  orderNamed,
  pvalueOf,
  type WaitingUrl,
} from '../../src/frontier/order.ts';

const DEFAULTS = resolveOptions([]);
const A_URL: WaitingUrl = {
  url: 'http://a.test/',
  depth: 1,
  foundAt: 100,
  backlinks: 1,
  forwardLinks: 10,
  relevance: 0.1,
  score: 0.01,
  pages: 50,
};

const TREE: Readonly<Record<string, readonly string[]>> = {
  root: ['a', 'b', 'c'],
  a: ['a1', 'a2'],
  a1: ['a1x', 'a1y'],
  a2: ['a2x'],
  b: ['b1', 'root', 'a'],
  b1: ['b1x'],
  c: ['c1'],
};

/** Takes the waiting URL with the lowest rank (of equals, the first found) and finds its links, as the store does. */
function visit(orderName: string): string {
  const order = orderNamed(orderName, DEFAULTS);
  const rank = (depth: number) => order.rank({ ...A_URL, depth });
  const waiting = [{ name: 'root', depth: 0, rank: rank(0), place: 0 }];
  const known = new Set(['root']);
  const visited: string[] = [];
  while (waiting.length > 0) {
    waiting.sort((a, b) => a.rank - b.rank || a.place - b.place);
    const { name, depth } = waiting.shift()!;
    visited.push(name);
    for (const link of TREE[name] ?? []) {
      if (known.has(link)) continue;
      known.add(link);
      waiting.push({ name: link, depth: depth + 1, rank: rank(depth + 1), place: known.size });
    }
  }
  return visited.join(' ');
}

test('E2 breadth-first goes level by level', () => {
  assert.equal(visit('breadth-first'), 'root a b c a1 a2 b1 c1 a1x a1y a2x b1x');
});

test('E2 depth-first follows one branch to its end before its sibling', () => {
  assert.equal(visit('depth-first'), 'root a a1 a1x a1y a2 a2x b b1 b1x c c1');
});

test('every order that can be asked for exists, under its name', () => {
  const asked = CRAWL_OPTIONS.order.parse.hint.split('|');
  assert.deepEqual(asked, ['auto', ...Object.keys(ORDERS)]);
  for (const name of Object.keys(ORDERS)) assert.equal(orderNamed(name, DEFAULTS).name, name);
  assert.throws(() => orderNamed('widest-first', DEFAULTS), RangeError);
});

/** The facts that put a URL first, for each order. */
const PREFERENCES: Readonly<Record<string, Partial<WaitingUrl>>> = {
  'best-first': { score: 0.02 },
  pvalue: { forwardLinks: 20 },
  backlink: { backlinks: 2 },
  opic: { score: 0.02 },
  topic: { relevance: 0.2 },
};

test('each order prefers the URLs that its name promises', () => {
  for (const [name, better] of Object.entries(PREFERENCES)) {
    const order = orderNamed(name, DEFAULTS);
    assert.ok(order.rank({ ...A_URL, ...better }) < order.rank(A_URL), name);
  }
});

test('E1 best-first ranks by PageRank first, and by links in and out between near equals', () => {
  const { rank } = orderNamed('best-first', DEFAULTS);
  assert.ok(rank({ ...A_URL, backlinks: 9 }) < rank(A_URL));
  assert.ok(rank({ ...A_URL, forwardLinks: 60 }) < rank(A_URL));
  assert.ok(rank({ ...A_URL, score: 0.015 }) < rank({ ...A_URL, backlinks: 100, forwardLinks: 1_000 }));
});

test('P4 pvalue weighs forward links while the copy is young and back-links as it grows', () => {
  const settings = { pvalueForward: 3, pvalueBack: 2, pvalueMaturity: 1_000 };
  assert.deepEqual(agedWeights(0, settings), { forward: 3, back: 0 });
  assert.deepEqual(agedWeights(1_000, settings), { forward: 1.5, back: 1 });
  const old = agedWeights(999_000, settings);
  assert.ok(old.forward < 0.01 && old.back > 1.99);
});

test("P5 the pvalues of the paper's example", () => {
  const plain = { forward: 1, back: 1 };
  const links = { A: [13, 8], B: [22, 10], C: [17, 9], D: [10, 11], E: [5, 3] } as const;
  const pvalues = Object.values(links).map(([forward, back]) => pvalueOf(forward, back, plain));
  assert.deepEqual(pvalues, [5, 12, 8, -1, 2]);
});

test('no order starves a URL: the worst old URL comes before the best URL that is found much later', () => {
  // Backlinks raise a URL in one order and lower it in another.
  const worst = { backlinks: 1, forwardLinks: 0, relevance: 0, score: 0, depth: 10 };
  const best = { backlinks: 1, forwardLinks: 1e4, relevance: 1, score: 1, depth: 1 };
  const aged = (Object.keys(ORDERS) as (keyof typeof ORDERS)[]).filter((name) => !/breadth|depth/.test(name));
  for (const name of aged) {
    const order: Order = orderNamed(name, DEFAULTS);
    const old = order.rank({ ...A_URL, ...worst, foundAt: 1 });
    assert.ok(old < order.rank({ ...A_URL, ...best, foundAt: 1e11 }), name);
    assert.ok(
      old > order.rank({ ...A_URL, ...best, ...PREFERENCES[name], foundAt: 1_000 }),
      `${name} prefers the better of contemporaries`,
    );
  }
});

test('a rank is a number whatever the score', () => {
  for (const score of [0, -1, Number.MIN_VALUE, 1e300, Number.POSITIVE_INFINITY]) {
    assert.ok(!Number.isNaN(agingRank(score, 5)), String(score));
  }
});
