import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeAttributes, LINK_WEIGHTS, PLAINEST_CODE } from '../../src/graph/link-attributes.ts';
import { encodeLinkList, linkValue } from '../../src/graph/link-list.ts';
import { PageRankRun } from '../../src/graph/page-rank.ts';
import { seededRandom } from '../../testbed/random.ts';
import { encodeSegment } from './encode-segment.ts';
import { pageRank } from './whole-page-rank.ts';

/** Page → target → attribute code. A page without an entry has not been fetched. */
type Graph = Readonly<Record<number, Readonly<Record<number, number>>>>;

function segmentOf(graph: Graph): Uint8Array {
  return encodeSegment(
    Object.entries(graph).map(([page, links]) => ({
      page: Number(page),
      links: encodeLinkList(Object.entries(links).map(([id, code]) => linkValue(Number(id), code))),
    })),
  );
}

/**
 * Computes the definition with a matrix: each column says where a reader goes from a page. The matrix
 * is multiplied until the ranks are stable.
 */
function denseRanks(graph: Graph, urls: number): number[] {
  const goesTo = Array.from({ length: urls + 1 }, (_, page) => {
    const links = Object.entries(graph[page] ?? {}).filter(([id]) => Number(id) !== page && Number(id) <= urls);
    const all = links.reduce((sum, [, code]) => sum + LINK_WEIGHTS[code]!, 0);
    const row = new Array<number>(urls + 1).fill(links.length === 0 ? 1 / urls : 0);
    for (const [id, code] of links) row[Number(id)] = LINK_WEIGHTS[code]! / all;
    return row;
  });
  let ranks = new Array<number>(urls + 1).fill(1 / urls);
  for (let round = 0; round < 300; round++) {
    const next = new Array<number>(urls + 1).fill(0.15 / urls);
    for (let page = 1; page <= urls; page++) {
      for (let id = 1; id <= urls; id++) next[id]! += 0.85 * ranks[page]! * goesTo[page]![id]!;
    }
    ranks = next;
  }
  ranks[0] = 0;
  return ranks;
}

function assertNear(actual: ArrayLike<number>, expected: ArrayLike<number>, relative: number): void {
  assert.equal(actual.length, expected.length);
  for (let id = 1; id < expected.length; id++) {
    const off = Math.abs(actual[id]! / expected[id]! - 1);
    assert.ok(off < relative, `URL ${id}: ${actual[id]} instead of ${expected[id]}`);
  }
}

function sumOf(ranks: Float64Array): number {
  return ranks.reduce((sum, rank) => sum + rank, 0);
}

/**
 * Some pages are not fetched, some have no links, some link to themselves, and some links lead beyond the known URLs.
 */
function randomGraph(urls: number, seed: number): Graph {
  const random = seededRandom(seed);
  const graph: Record<number, Record<number, number>> = {};
  for (let page = 1; page <= urls; page++) {
    if (random() < 0.3) continue;
    const links: Record<number, number> = {};
    graph[page] = links;
    if (random() < 0.1) continue;
    for (let i = random() * 8; i > 0; i--) {
      links[Math.ceil(random() ** 2 * (urls + 3))] = Math.floor(random() * LINK_WEIGHTS.length);
    }
    if (random() < 0.2) links[page] = 17;
  }
  return graph;
}

it('E1 the ranks follow the definition, also for pages that are unfetched, without links or self-linked', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const urls = 5 + 3 * seed;
    const graph = randomGraph(urls, seed);
    const { ranks } = pageRank(() => [segmentOf(graph)], urls);
    assertNear(ranks, denseRanks(graph, urls), 1e-6);
    assert.ok(Math.abs(sumOf(ranks) - 1) < 1e-12);
    assert.equal(ranks[0], 0);
  }
});

it('E6 a link counts as much as its attributes say', () => {
  const plain = encodeAttributes({ visibility: 1, position: 1, distance: 1 });
  const bold = encodeAttributes({ visibility: 2, position: 1, distance: 1 });
  const far = encodeAttributes({ visibility: 1, position: 1, distance: 5 });
  const { ranks } = pageRank(() => [segmentOf({ 1: { 2: plain, 3: bold, 4: far } })], 4);
  // The rank above that of a URL without incoming links comes from the link.
  const [one, two, three, four] = ranks.subarray(1) as unknown as [number, number, number, number];
  assert.ok(Math.abs((three - one) / (two - one) - 2) < 1e-5);
  assert.ok(Math.abs((four - one) / (two - one) - 5) < 1e-5);
});

it('a page gains nothing by linking to itself', () => {
  const links = { 2: PLAINEST_CODE };
  const without = pageRank(() => [segmentOf({ 1: links, 2: { 1: 0, 3: 0 } })], 3).ranks;
  const withSelf = pageRank(() => [segmentOf({ 1: { ...links, 1: 17 }, 2: { 1: 0, 3: 0 }, 3: { 3: 17 } })], 3).ranks;
  assert.deepEqual(withSelf, without);
});

it('URLs that became known later are left out, as pages and as targets', () => {
  const graph = { 1: { 2: 0, 9: 17 }, 2: { 1: 0 }, 9: { 1: 0 } };
  const { ranks } = pageRank(() => [segmentOf(graph)], 2);
  assertNear(ranks, [0, 0.5, 0.5], 1e-7);
});

it('without links all ranks are equal, and without URLs there are no ranks', () => {
  assertNear(pageRank(() => [], 4).ranks, [0, 0.25, 0.25, 0.25, 0.25], 1e-7);
  assert.deepEqual(pageRank(() => [], 0).ranks, new Float64Array(1));
});

it('earlier ranks give the same result in fewer iterations', () => {
  const urls = 300;
  const known = 290;
  const graph = randomGraph(urls, 4);
  const open = () => [segmentOf(graph)];
  const earlier = pageRank(open, known).ranks;
  const cold = pageRank(open, urls);
  const warm = pageRank(open, urls, { earlier });
  assertNear(warm.ranks, cold.ranks, 1e-6);
  assert.ok(warm.iterations < cold.iterations, `${warm.iterations} of ${cold.iterations}`);
  const again = pageRank(open, urls, { earlier: Float32Array.from(cold.ranks) });
  assert.ok(again.iterations <= 2, `${again.iterations} where nothing changed`);
});

it('useless earlier ranks, or ranks for more URLs than exist, do no harm', () => {
  const open = () => [segmentOf({ 1: { 2: 0 }, 2: { 1: 0, 3: 0 } })];
  const expected = pageRank(open, 3).ranks;
  for (const earlier of [[], new Float32Array(4), [0, 1, 1, 1, 1, 1, 1]]) {
    assertNear(pageRank(open, 3, { earlier }).ranks, expected, 1e-6);
  }
});

it('the computation ends after the maximum number of iterations or when the change is small enough', () => {
  const open = () => [segmentOf(randomGraph(50, 2))];
  const short = pageRank(open, 50, { maxIterations: 3 });
  assert.equal(short.iterations, 3);
  assert.ok(short.change > 1e-8);
  const coarse = pageRank(open, 50, { tolerance: 1e-3 });
  assert.ok(coarse.change < 1e-3 && coarse.iterations > 1 && coarse.iterations < pageRank(open, 50).iterations);
});

it('computing one segment at a time gives the same ranks, and no ranks before the end', () => {
  const urls = 80;
  const graph = randomGraph(urls, 6);
  const half = (wanted: boolean) =>
    segmentOf(Object.fromEntries(Object.entries(graph).filter(([page]) => Number(page) < 40 === wanted)));
  const run = new PageRankRun(urls);
  assert.throws(() => run.result(), { code: 'ERR_INTERNAL' });
  do for (const segment of [half(true), half(false)]) run.add(segment);
  while (!run.endIteration());
  assert.deepEqual(
    run.result(),
    pageRank(() => [segmentOf(graph)], urls),
  );
});

it('a damaged graph is a store error', () => {
  const segments = () => [segmentOf({ 1: { 2: 0 } }), Uint8Array.of(1, 200, 1, 1)];
  assert.throws(() => pageRank(segments, 2), { code: 'ERR_STORE' });
});
