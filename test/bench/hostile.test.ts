import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import type { BadUrl } from '../../bench/hostile/bad-hosts.ts';
import { compareRounds } from '../../bench/hostile/compare.ts';
import { readFates, unexpectedFates } from '../../bench/hostile/fates.ts';
import { readHostileOptions } from '../../bench/hostile/options.ts';
import { type HostileResults, textReport } from '../../bench/hostile/report.ts';
import { type Case, crawlCommand, type HostileRun } from '../../bench/hostile/run-crawl.ts';
import { serveBadHosts } from '../../bench/hostile/serve-bad-hosts.ts';
import { BadOption } from '../../bench/options.ts';
import { buildOrbweaver } from '../../testbed/measure/built-orbweaver.ts';
import { runCommand } from '../../testbed/measure/run-command.ts';
import { NAMES, ROBOTS_NAMES } from '../../testbed/web/fates.ts';

function run(which: Case, figures: Partial<HostileRun>): HostileRun {
  return {
    case: which,
    round: 1,
    wallSeconds: 12,
    healthySeconds: 10,
    laterHalfSeconds: 4,
    untilLastSeconds: 11,
    pagesPerSecond: 100,
    crawlerCpuSeconds: 20,
    healthyServerCpuSeconds: 1,
    badServerCpuSeconds: 0,
    peakRssMb: 200,
    healthyPages: 1_000,
    badUrls: 0,
    unexpected: [],
    failure: undefined,
    ...figures,
  };
}

const ROUND: readonly HostileRun[] = [
  run('healthy', {}),
  run('both', {
    healthySeconds: 16,
    laterHalfSeconds: 5,
    untilLastSeconds: 22,
    pagesPerSecond: 62.5,
    crawlerCpuSeconds: 24,
    badServerCpuSeconds: 2,
    peakRssMb: 300,
  }),
  run('hostile', { crawlerCpuSeconds: 4, badServerCpuSeconds: 2 }),
  run('start', { crawlerCpuSeconds: 1 }),
];

it('the CPU time of the bad pages is separated from other losses of the crawl', () => {
  const [round, ...rest] = compareRounds(ROUND, 2);
  assert.deepEqual(rest, []);
  assert.equal(round!.speedRatio, 0.625);
  assert.equal(round!.untilLastRatio, 0.5);
  assert.equal(round!.laterHalfRatio, 0.8);
  assert.equal(round!.memoryRatio, 1.5);
  assert.equal(round!.slowdownSeconds, 6);
  // 4 s in the crawler plus 2 s in the servers, minus 1 s that every crawl costs: 2.5 s of two cores.
  assert.equal(round!.badCpuSeconds, 5);
  assert.equal(round!.addedCpuSeconds, 6);
  assert.equal(round!.expectedRatio, 0.8);
  assert.equal(round!.correctedRatio, 0.78125);
});

it('a round with a failed run does not count in the ratios, and the report names it', () => {
  const failed = run('both', { round: 2, failure: 'took longer than 600 s', unexpected: ['page Flaky: fetched'] });
  const second = ROUND.filter((each) => each.case !== 'both').map((each) => ({ ...each, round: 2 }));
  const runs = [...ROUND, ...second, failed];
  assert.deepEqual(
    compareRounds(runs, 2).map(({ round }) => round),
    [1],
  );
  const machine = { cpu: 'any', cores: 2, memoryGb: 1, system: 'any', node: 'v24', date: 'today' };
  const options = readHostileOptions([]) as HostileResults['options'];
  const text = textReport({ options, machine, server: 'nginx', runs });
  assert.match(text, /healthy and hostile, round 2: took longer than 600 s; page Flaky: fetched/);
  assert.match(text, /corrected for the CPU time of the bad ones alone: 0\.78×/);
});

it('a bad URL with a wrong outcome is named, and copies of a kept page may be duplicates', () => {
  const bad = (name: BadUrl['name'], url: string, expected: string): BadUrl => ({ name, as: 'page', url, expected });
  const urls = [
    bad('NulBytes', 'http://a/', 'fetched'),
    bad('NulBytes', 'http://b/', 'fetched'),
    bad('DeepDivs', 'http://c/', 'fetched/body-too-large'),
    bad('EmptyReply', 'http://d/', 'waiting/connection-reset'),
  ];
  const fates = new Map([
    ['http://a/', 'fetched'],
    ['http://b/', 'duplicate/duplicate-content'],
    ['http://c/', 'duplicate/duplicate-content'],
  ]);
  assert.deepEqual(unexpectedFates(urls, fates), [
    'page DeepDivs: duplicate/duplicate-content instead of fetched/body-too-large',
    'page EmptyReply: unknown instead of waiting/connection-reset',
  ]);
});

it('every behaviour has its own host, as a page and as robots.txt, and a crawl of some ends as expected', async (t) => {
  const hosts = await serveBadHosts(1);
  t.after(() => hosts.stop());
  assert.equal(hosts.urls.length, NAMES.length + ROBOTS_NAMES.length);
  assert.equal(new Set(hosts.urls.map(({ url }) => new URL(url).host)).size, hosts.urls.length);
  assert.ok(hosts.urls.every(({ url }) => url.startsWith('http://127.')));

  const some = hosts.urls.filter(({ name }) => name === 'NulBytes' || name === 'EmptyReply');
  const folder = await mkdtemp(join(tmpdir(), 'bench-hostile-'));
  t.after(() => rm(folder, { recursive: true }));
  const seeds = some.map(({ url }) => url);
  await buildOrbweaver(() => {});
  const { failure } = await runCommand(crawlCommand(seeds, folder, false), 60_000);
  assert.equal(failure, undefined);
  assert.deepEqual(unexpectedFates(some, await readFates(folder)), []);
  assert.ok(hosts.cpuSeconds() >= 0);
});

it('the hostile benchmark has its own flags, and a wrong flag is named', () => {
  const options = readHostileOptions(['--pages', '500', '--copies', '3']);
  assert.ok(options !== 'help' && options.partial);
  assert.deepEqual([options.pages, options.copies, options.repeat], [500, 3, 3]);
  const whole = readHostileOptions(['--repeat', '5']);
  assert.ok(whole !== 'help' && !whole.partial && whole.pages === 10_000);
  assert.throws(() => readHostileOptions(['--copies', '1000']), BadOption);
  assert.throws(() => readHostileOptions(['--known', '10']), BadOption);
});
