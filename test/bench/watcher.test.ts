import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BadOption } from '../../bench/options.ts';
import { compareWays, complaintsOf } from '../../bench/watcher/compare.ts';
import { type Cost, idleUse } from '../../bench/watcher/cost.ts';
import { makeTree, pageText, planFolders } from '../../bench/watcher/file-tree.ts';
import { readWatcherOptions } from '../../bench/watcher/options.ts';
import { type FarRun, WAYS } from '../../bench/watcher/refreshes.ts';
import { textReport } from '../../bench/watcher/report.ts';
import { makeWeb } from '../../bench/web/make.ts';
import { serveWeb } from '../../bench/web/serve.ts';

test('the tree has as many files as it should, each in a folder of a fitting size', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-tree-'));
  context.after(() => rm(folder, { recursive: true }));
  const told: string[] = [];
  const tree = await makeTree(folder, 2_000, 1, (text) => told.push(text));
  const names = await readdir(tree.folder, { recursive: true });
  assert.equal(names.filter((name) => name.endsWith('.html')).length, 2_000);
  for (const file of [0, 1, 777, 1_999]) {
    assert.equal(await readFile(join(tree.folder, tree.path(file)), 'utf8'), pageText(file, 0, 2_000, tree.path));
  }
  assert.notEqual(pageText(5, 1, 2_000, tree.path), pageText(5, 0, 2_000, tree.path));
  await makeTree(folder, 2_000, 1, (text) => told.push(text));
  assert.equal(told.length, 1, 'it is made once');
  const sizes = planFolders(1_000_000, 1).map(
    ({ firstFile }, place, all) => (all[place + 1]?.firstFile ?? 0) - firstFile,
  );
  for (const size of sizes.slice(0, -1)) assert.ok(size >= 100 && size <= 1_000, String(size));
  assert.equal(new Set(planFolders(1_000_000, 1).map(({ path }) => path)).size, sizes.length);
});

test('flags, and what is wrong with them', () => {
  const usual = readWatcherOptions([]);
  assert.ok(usual !== 'help' && !usual.partial);
  assert.deepEqual([usual.files, usual.answerAfterMs, usual.cpuShare], [[10_000, 100_000, 1_000_000], [0, 20], 0.01]);
  const quick = readWatcherOptions(['--quick', '--parts', 'cost']);
  assert.ok(quick !== 'help' && quick.partial);
  assert.deepEqual([quick.parts, quick.files], [['cost'], [10_000]]);
  for (const wrong of [
    ['--parts', 'x'],
    ['--files', '10'],
    ['--cpu', '101'],
    ['--share', '0'],
    ['--delays', '-1'],
  ]) {
    assert.throws(() => readWatcherOptions(wrong), BadOption, wrong.join(' '));
  }
});

function cost(files: number, slowBeyondMb: number): Cost {
  const rest = {
    anonymousBeyondMb: 1,
    peakBeyondMb: 1,
    firstSweepSeconds: 1,
    firstSweepCpuSeconds: 1,
    sweepSeconds: 1,
  };
  const share = { sweepCpuSeconds: 1, cpuShare: 0.009, windowSeconds: 1, shareGiven: 0.01, beyondMb: 30 };
  return { files, idleRssMb: 40, slowBeyondMb, ...rest, ...share, eventDelayMs: 100, sweepDelayMs: null };
}

function run(way: (typeof WAYS)[number], wallSeconds: number, requests: number, failure?: string): FarRun {
  const { contender, variant } = way;
  const which = { contender, variant, share: 3, round: 1, pages: 1_000, changed: 30, answerAfterMs: 0 };
  const counted = { requests, sentBytes: requests * 1_000, bodyBytes: 0, notModified: 0, failures: 0, missed: 0 };
  const measured = { wallSeconds, cpuSeconds: 1, peakRssMb: 100, needless: 0, untouched: 0, ownCount: undefined };
  return { ...which, ...counted, ...measured, copy: undefined, journal: undefined, failure };
}

test('rows are compared with the crawl and the watcher of the same round, and missed aims are named', () => {
  const runs = WAYS.map((way, place) => run(way, place === 0 ? 1 : 10 * place, place === 0 ? 64 : 1_000));
  const rows = compareWays(runs);
  assert.equal(rows.length, WAYS.length);
  assert.equal(rows[0]!.requestsAChange!.median, 1, 'without the report and the sample');
  assert.equal(rows[1]!.timesAsLong!.median, 10);
  assert.equal(rows[0]!.timeOfCrawl!.median, 1 / 40);
  assert.deepEqual(complaintsOf([cost(10_000, 15), cost(1_000_000, 16)], rows), []);
  assert.equal(complaintsOf([cost(10_000, 15), cost(1_000_000, 21)], rows).length, 2);
  const failed = compareWays([run(WAYS[0]!, 1, 40, 'missed a change'), ...runs.slice(1)]);
  assert.match(complaintsOf([], failed).join(), /0 of 1 runs are good.*requests a change/);
  const slow = compareWays([run(WAYS[0]!, 5, 64), ...runs.slice(1)]);
  assert.match(complaintsOf([], slow).join(), /0\.13 of the time of a crawl.*2\.00 times as long/);
  const options = readWatcherOptions(['--quick']);
  assert.ok(options !== 'help');
  const machine = { cpu: 'x', cores: 2, memoryGb: 1, system: 'x', node: 'x', date: 'x' };
  const bundle = { bytes: 1, gzipBytes: 1 };
  const text = textReport({ options, machine, server: 'x', node: 'v1', bundle, costs: [cost(10_000, 15)], runs });
  assert.match(text, /10,000 +15\.0 .*none in time/);
  assert.match(text, /refresh, watcher/);
});

test('an idle Node process uses memory, and a distant web responds late', {
  skip: !existsSync('/proc/self/status'),
}, async (context) => {
  const idle = await idleUse(process.execPath);
  assert.ok(idle.rssMb > 10 && idle.anonymousMb < idle.rssMb && idle.peakRssMb >= idle.rssMb);
  const folder = await mkdtemp(join(tmpdir(), 'bench-late-'));
  context.after(() => rm(folder, { recursive: true }));
  const web = await makeWeb(folder, { seed: 3, pages: 5, hosts: 1 }, () => {});
  const program = { kind: 'node', command: process.execPath, version: 'node' } as const;
  const server = await serveWeb(program, web, folder, join(folder, 'log'), { answerAfterMs: 50 });
  try {
    const began = performance.now();
    assert.equal((await fetch(web.plan.url(1))).status, 200);
    assert.ok(performance.now() - began >= 49);
  } finally {
    await server.stop();
  }
});
