import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOrders, ORACLE, type OrderRun, OURS } from '../../bench/orders/compare.ts';
import { crawlModel } from '../../bench/orders/crawl-model.ts';
import { drawCurve, meanRankByTenth } from '../../bench/orders/curve.ts';
import { preferentialWeb } from '../../bench/orders/preferential-web.ts';
import { resolveOptions } from '../../src/core/options/options.ts';
import { orderNamed } from '../../src/frontier/order.ts';

const PAGES = 4_000;
const runs: OrderRun[] = [];
for await (const run of compareOrders('preferential', PAGES, 7, Number.POSITIVE_INFINITY)) runs.push(run);
const massOf = (order: string) => runs.find((run) => run.order === order)!.mass;

test('E1 best-first reaches nine tenths of an oracle at every tenth of the crawl, more than other orders', () => {
  const [ours, oracle] = [massOf(OURS), massOf(ORACLE)];
  for (const [i, mass] of ours.slice(0, -1).entries()) {
    assert.ok(mass >= 0.9 * oracle[i]!, `tenth ${i + 1}: ${mass} of ${oracle[i]}`);
    assert.ok(mass <= oracle[i]! + 1e-9, 'nobody is better than the oracle');
    // In such a small web, a tenth is fetched before anything was ranked twice.
    for (const other of i === 0 ? [] : ['breadth-first', 'backlink']) {
      assert.ok(mass > massOf(other)[i]!, `tenth ${i + 1}: ${mass}, ${other} ${massOf(other)[i]}`);
    }
    // OPIC estimates the same value, and is as good on such a small web.
    assert.ok(mass > 0.98 * massOf('opic')[i]!, `tenth ${i + 1}: ${mass}, opic ${massOf('opic')[i]}`);
  }
});

test('every order fetches every page', () => {
  for (const { order, mass } of runs) assert.ok(Math.abs(mass.at(-1)! - 1) < 1e-9, order);
});

test('E1 the mean PageRank of the pages that best-first fetches falls during the crawl (Fig 6)', () => {
  const ranks = meanRankByTenth(runs, 'preferential', OURS);
  assert.ok(ranks[0]! > 4 * ranks[1]! && ranks[1]! > ranks[4]! && ranks[4]! > ranks[9]!, ranks.join(' '));
  assert.match(drawCurve(runs, 'preferential', PAGES), /^<svg [\s\S]*<polyline [\s\S]*<\/svg>\n$/);
});

test('the web of the benchmark is reachable and its in-degrees follow a power law', () => {
  const web = preferentialWeb(20_000, 12, 3);
  const inDegrees = new Uint32Array(web.pages);
  const reached = new Set([0]);
  const queue = [0];
  for (let page = queue.pop(); page !== undefined; page = queue.pop()) {
    for (const target of Array.from(web.links(page))) {
      inDegrees[target]!++;
      if (!reached.has(target)) queue.push(target);
      reached.add(target);
    }
  }
  assert.equal(reached.size, web.pages);
  // Maximum likelihood estimate of the exponent above a minimum degree (Clauset, Shalizi, Newman 2009).
  const tail = Array.from(inDegrees).filter((degree) => degree >= 20);
  const exponent = 1 + tail.length / tail.reduce((sum, degree) => sum + Math.log(degree / 19.5), 0);
  assert.ok(exponent > 1.9 && exponent < 2.5, `exponent ${exponent}`);
});

test('E1 an order takes effect before a tenth of a small site is fetched', async () => {
  const [leaves, hubs] = [600, 10];
  // The start page links to all leaves, and each leaf to the start page and to one of the hubs.
  const hubOf = (leaf: number) => 1 + leaves + (leaf % hubs);
  const links = [Array.from({ length: leaves }, (_, i) => 1 + i)];
  for (let leaf = 1; leaf <= leaves; leaf++) links.push([0, hubOf(leaf)]);
  for (let hub = 0; hub < hubs; hub++) links.push([0]);
  const web = { pages: links.length, links: (page: number) => links[page]! };
  for (const name of [OURS, 'opic', 'backlink']) {
    const fetched = await crawlModel(web, orderNamed(name, resolveOptions([])), Number.POSITIVE_INFINITY);
    const last = Math.max(...Array.from({ length: hubs }, (_, i) => fetched.indexOf(1 + leaves + i)));
    assert.ok(last < web.pages / 10, `${name} fetches the last hub as page ${last} of ${web.pages}`);
  }
});
