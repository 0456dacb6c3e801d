import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRAWL_OPTIONS } from '../../src/core/options.ts';
import { orderNamed } from '../../src/frontier/order.ts';

const TREE: Readonly<Record<string, readonly string[]>> = {
  root: ['a', 'b', 'c'],
  a: ['a1', 'a2'],
  a1: ['a1x', 'a1y'],
  a2: ['a2x'],
  b: ['b1', 'root', 'a'],
  b1: ['b1x'],
  c: ['c1'],
};

/** Takes the waiting URL of the lowest rank, the first found of equals, and finds its links: as the store does. */
function visit(orderName: string): string {
  const order = orderNamed(orderName);
  const waiting = [{ name: 'root', depth: 0, rank: order.rank({ depth: 0 }), place: 0 }];
  const known = new Set(['root']);
  const visited: string[] = [];
  while (waiting.length > 0) {
    waiting.sort((a, b) => a.rank - b.rank || a.place - b.place);
    const { name, depth } = waiting.shift()!;
    visited.push(name);
    for (const link of TREE[name] ?? []) {
      if (known.has(link)) continue;
      known.add(link);
      waiting.push({ name: link, depth: depth + 1, rank: order.rank({ depth: depth + 1 }), place: known.size });
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
  for (const name of CRAWL_OPTIONS.order.parse.hint.split('|')) assert.equal(orderNamed(name).name, name);
  assert.throws(() => orderNamed('widest-first'), RangeError);
});
