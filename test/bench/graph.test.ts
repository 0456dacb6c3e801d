import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inDiscoveryOrder } from '../../bench/graph/discovery-order.ts';
import { storeGraph } from '../../bench/graph/linked-pages.ts';
import { compareTop } from '../../bench/graph/measure.ts';
import { readGraphOptions } from '../../bench/graph/options.ts';
import { powerLawWeb } from '../../bench/graph/power-law-web.ts';
import { referenceRanks } from '../../bench/graph/reference.ts';
import { isGood } from '../../bench/graph/report.ts';
import { measureGraph } from '../../bench/graph.ts';
import { BadOption } from '../../bench/options.ts';
import { pageRank } from '../graph/whole-page-rank.ts';

const PAGES = 6_000;

it('E1 PageRank of a model web keeps the limits that are promised for a large web', () => {
  const results = measureGraph({ pages: PAGES, meanLinks: 20, repeat: 1, seed: 1, partial: true }, () => {});
  const { links, graphBytes, bytesPerUrl, ranking } = results;
  assert.ok(links > 19 * PAGES, `${links} links`);
  assert.ok(graphBytes / links < 3, `${graphBytes / links} bytes a link`);
  assert.ok(bytesPerUrl > 12 && bytesPerUrl < 16, `${bytesPerUrl} bytes a URL`);
  assert.ok(ranking.largestDifference < 1e-6, `${ranking.largestDifference} off`);
  for (const { tolerance, coldIterations, warmIterations } of ranking.convergence) {
    assert.ok(warmIterations > 0 && warmIterations < coldIterations, `${warmIterations} iterations to ${tolerance}`);
  }
  assert.ok(isGood(results));
  assert.ok(!isGood({ ...results, graphBytes: links * 5 }));
});

it('E1 PageRank is right where a tenth of the URLs is known and not fetched', () => {
  const web = inDiscoveryOrder(powerLawWeb({ pages: PAGES, meanLinks: 20, seed: 2 }));
  const fetched = PAGES * 0.9;
  const { segments } = storeGraph(web, fetched);
  const { ranks } = pageRank(() => segments, PAGES);
  const reference = referenceRanks(web, { fetched });
  assert.ok(compareTop(ranks, reference.ranks) < 1e-6);
  // This shows that the comparison is able to fail: other ranks are far off.
  assert.ok(compareTop(ranks, referenceRanks(web).ranks) > 1e-3);
});

it('the flags are read, and only a whole run replaces the published figures', () => {
  assert.deepEqual(readGraphOptions([]), { pages: 1_000_000, meanLinks: 20, repeat: 5, seed: 1, partial: false });
  assert.deepEqual(readGraphOptions(['--quick']), { pages: 50_000, meanLinks: 20, repeat: 1, seed: 1, partial: true });
  assert.equal(readGraphOptions(['--help']), 'help');
  assert.throws(() => readGraphOptions(['--pages', '0']), BadOption);
});
