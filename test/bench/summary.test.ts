import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RunResult } from '../../bench/measure/run-crawler.ts';
import { BadOption, readOptions } from '../../bench/options.ts';
import { CRAWLERS, OURS } from '../../bench/peers/all.ts';
import { spreadOf, summarise } from '../../bench/report/summary.ts';
import { textTable } from '../../bench/report/tables.ts';

function run(crawler: string, round: number, pagesPerSecond: number, failure?: string): RunResult {
  return {
    crawler,
    round,
    pagesAsked: 100,
    wallSeconds: 100 / pagesPerSecond,
    pagesPerSecond,
    cpuSeconds: 1,
    cpuMsPerPage: 10,
    peakRssMb: 50,
    distinctPages: 100,
    repeatedPages: 0,
    otherRequests: 1,
    failures: 0,
    gzippedPages: 100,
    bodyBytes: 1,
    failure,
    ownCount: undefined,
  };
}

function ready(name: string) {
  const crawler = CRAWLERS.find((each) => each.name === name)!;
  return { crawler, preparation: { ready: true, version: '1' } as const };
}

it('ratios are computed within a round, and failed runs do not count', () => {
  const runs = [
    ...[run(OURS, 1, 1_000), run('wget', 1, 500)],
    ...[run(OURS, 2, 100), run('wget', 2, 25)],
    ...[run(OURS, 3, 900), run('wget', 3, 9_000, 'fetched 99 of 100 pages')],
  ];
  const [, wget] = summarise([ready(OURS), ready('wget')], runs, OURS);
  assert.deepEqual(wget!.speedRatio, { median: 3, min: 2, max: 4 });
  assert.equal(wget!.goodRuns, 2);
  assert.deepEqual(wget!.notes, ['round 3: fetched 99 of 100 pages']);
});

it('a crawler that is not available is in the table with its reason', () => {
  const { crawler } = ready('colly');
  const summaries = summarise([{ crawler, preparation: { ready: false, reason: 'go is not installed' } }], [], OURS);
  assert.match(textTable(summaries), /^colly +–/m);
  assert.match(textTable(summaries), /colly: not available: go is not installed/);
});

it('the median of an even number of values is the mean of the middle two', () => {
  assert.deepEqual(spreadOf([4, 1, 3, 2]), { median: 2.5, min: 1, max: 4 });
  assert.equal(spreadOf([]), undefined);
});

it('flags choose scenarios, and a wrong flag is refused by name', () => {
  const quick = readOptions(['--quick', '--only', 'wget']);
  assert.ok(quick !== 'help');
  assert.equal(quick.repeat, 1);
  assert.deepEqual(
    quick.scenarios.map(({ name, hosts, pages, slowPages }) => [name, hosts, pages, slowPages]),
    [
      ['one-host', 1, 1_000, 1_000],
      ['twenty-hosts', 20, 1_000, 1_000],
    ],
  );
  for (const bad of [['--pages', 'many'], ['--only', 'nutch'], ['--hosts', '21'], ['--scenario', 'x'], ['--speed']]) {
    assert.throws(() => readOptions(bad), BadOption, bad.join(' '));
  }
});
