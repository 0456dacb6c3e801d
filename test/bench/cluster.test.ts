import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareCosts, compareScaling, missedAims } from '../../bench/cluster/compare.ts';
import type { CostRun } from '../../bench/cluster/cost.ts';
import { CostWeb } from '../../bench/cluster/cost-web.ts';
import { ManyHosts } from '../../bench/cluster/many-hosts.ts';
import { readClusterOptions } from '../../bench/cluster/options.ts';
import { type LinkGraph, linkGraphOf, MODELS, modelOverlap } from '../../bench/cluster/overlap-model.ts';
import { type ClusterResults, textReport } from '../../bench/cluster/report.ts';
import type { ScalingRun } from '../../bench/cluster/scaling.ts';
import { BadOption } from '../../bench/options.ts';
import { describeMachine } from '../../bench/report/machine.ts';
import { targetOf } from '../../src/graph/link-list.ts';

function scalingRun(
  workers: number,
  round: number,
  pagesPerSecond: number,
  more: Partial<ScalingRun> = {},
): ScalingRun {
  return {
    workers,
    round,
    wallSeconds: 10,
    pagesPerSecond,
    steadyPagesPerSecond: pagesPerSecond,
    workersCpuSeconds: 4,
    postgresCpuSeconds: 1,
    webCpuSeconds: 0.5,
    busyShare: 0.5,
    walBytes: 4_000_000,
    peakRssMb: 100 * workers,
    pages: 1_000,
    repeatedPages: 0,
    failure: undefined,
    ...more,
  };
}

function costRun(known: number, round: number, more: Partial<CostRun> = {}): CostRun {
  return {
    known,
    round,
    pages: 640,
    serverCpuMsPerPage: 0.4,
    walBytesPerPage: 5_000,
    wholeBlockBytesPerPage: 1_000,
    rowsWrittenPerPage: 8,
    rowsReadPerPage: 20,
    transactionsPerPage: 0.1,
    wallMsPerPage: 1,
    databaseBytes: known * 300,
    ...more,
  };
}

const NOTHING = { scaling: [], overlap: [], costs: [], faults: [] };

describe('the flags', () => {
  it('default to the full measurement, and any other value gives a partial one', () => {
    const whole = readClusterOptions(['--repeat', '5']);
    assert.ok(whole !== 'help');
    assert.deepEqual([whole.workers, whole.known, whole.partial], [[1, 2, 3, 4, 8], [50_000, 5_000_000], false]);
    for (const args of [['--quick'], ['--parts', 'cost'], ['--mbit', '4'], ['--seed', '2']]) {
      const options = readClusterOptions(args);
      assert.ok(options !== 'help' && options.partial, args.join(' '));
    }
  });

  it('refuses impossible values', () => {
    for (const args of [
      ['--parts', 'speed'],
      ['--workers', '0'],
      ['--crowd', '201'],
      ['--pages', '100'],
      ['--faults'],
    ]) {
      assert.throws(() => readClusterOptions(args), BadOption, args.join(' '));
    }
  });
});

describe('several workers', () => {
  it('are compared with one worker of the same round, and failed runs do not count', () => {
    const runs = [
      scalingRun(1, 1, 20),
      scalingRun(3, 1, 60),
      scalingRun(1, 2, 10),
      scalingRun(3, 2, 29),
      scalingRun(3, 3, 500, { failure: 'lost' }),
    ];
    const [one, three] = compareScaling(runs);
    assert.equal(one!.steadyRatio!.median, 1);
    assert.deepEqual(three!.steadyRatio, { median: 2.95, min: 2.9, max: 3 });
    assert.equal(three!.goodRuns, 2);
    assert.equal(three!.workersCpuMsPerPage!.median, 4);
    assert.equal(three!.walBytesPerPage!.median, 4_000);
  });

  it('miss their aim below 2.85 of three and 7.2 of eight, and the report says if the cores were busy', () => {
    const missed = (workers: number, times: number, busyShare: number) =>
      missedAims({
        ...NOTHING,
        scaling: compareScaling([scalingRun(1, 1, 10), scalingRun(workers, 1, times * 10, { busyShare })]),
      }).join();
    assert.equal(missed(3, 2.86, 0.5), '');
    assert.match(missed(3, 2.84, 0.5), /^3 workers: 2\.84 times one instead of 2\.85$/);
    assert.equal(missed(8, 7.21, 1), '');
    assert.match(missed(8, 7.1, 0.95), /all cores were busy/);
  });
});

describe('the cost of PostgreSQL', () => {
  it('is compared with the row with the fewest known URLs of the same round, and with its aims', () => {
    const runs = [costRun(50, 1), costRun(5_000, 1, { wallMsPerPage: 1.2 }), costRun(50, 2), costRun(5_000, 2)];
    const rows = compareCosts(runs);
    assert.equal(rows[1]!.wallRatio!.median, 1.1);
    assert.equal(rows[1]!.bytesPerUrl, 300);
    assert.deepEqual(missedAims({ ...NOTHING, costs: rows }), []);
    const dear = { serverCpuMsPerPage: 0.6, walBytesPerPage: 9_000, wallMsPerPage: 1.3 };
    const complaints = missedAims({ ...NOTHING, costs: compareCosts([costRun(50, 1), costRun(5_000, 1, dear)]) });
    assert.equal(complaints.length, 3);
    for (const complaint of complaints) assert.match(complaint, /with 5,000 known URLs/);
  });

  it('is measured with pages of 60 links, which are named by id after the first receipt', () => {
    const web = new CostWeb(100_000, 10, 1, 1);
    const url = { depth: 1, hops: 0, failures: 0, relevance: null, inherited: null, stepsOff: null };
    const first = web.resultOf(1, { id: 7, url: CostWeb.url(3, 5_250), ...url });
    assert.equal(first.foundLinks.length, 60);
    assert.equal(first.foundLinks.filter(({ url }) => url.includes('/new/')).length, 2);
    const linkIds = [first.foundLinks.map((_, place) => 1_000 + place)];
    const receipt = {
      linkIds,
      states: [],
      redirectIds: new Map(),
      discovered: 2,
      retrying: 0,
      loggedAs: new Map(),
      uncountedLinks: 60,
      abandoned: new Map(),
    };
    web.learn([first], { ...receipt, lessons: [], released: new Map() });
    const second = web.resultOf(1, { id: 8, url: CostWeb.url(3, 5_251), ...url });
    assert.equal(second.foundLinks.length + second.knownLinks.length, 60);
    assert.ok(second.knownLinks.length >= 48);
    assert.ok(second.knownLinks.every((value) => targetOf(value) >= 1_000 && targetOf(value) < 1_060));
  });
});

describe('W20 the overlap of a crowd', () => {
  const plan = new ManyHosts({
    seed: 1,
    pages: 400,
    hosts: 40,
    network: '127.77',
    port: 21_973,
    leaves: 0,
    isPrompt: true,
  });
  const graph = linkGraphOf(plan);

  it('each way fetches every page', () => {
    for (const model of MODELS) {
      assert.ok(
        modelOverlap(model, graph, 10).times.every((times) => times > 0),
        model,
      );
    }
  });

  it('is large without communication, small if crawlers exchange URLs, and zero if a server decides', () => {
    const repeated = MODELS.map((model) => {
      const { times } = modelOverlap(model, graph, 10);
      return times.reduce((sum, each) => sum + each - 1, 0);
    });
    assert.ok(repeated[0]! > 400, `independent: ${repeated[0]}`);
    assert.ok(repeated[1]! > 0 && repeated[1]! < 200, `dependent: ${repeated[1]}`);
    assert.equal(repeated[2], 0);
  });

  it('a single crawler repeats nothing in any mode', () => {
    for (const model of MODELS) assert.ok(modelOverlap(model, graph, 1).times.every((times) => times === 1));
  });

  it('an unreachable page ends the model', () => {
    const broken: LinkGraph = { pages: 3, hosts: 1, links: [[1], [0], []] };
    for (const model of MODELS) assert.throws(() => modelOverlap(model, broken, 1), /cannot be reached/);
  });
});

it('the report names the measured values and the missed aims', () => {
  const options = readClusterOptions(['--quick']);
  assert.ok(options !== 'help');
  const results: ClusterResults = {
    options,
    machine: describeMachine(new Date(0)),
    postgres: '15.1',
    hasLatency: false,
    scaling: [scalingRun(1, 1, 20), scalingRun(3, 1, 40), scalingRun(8, 1, 40, { failure: 'w3 left with 1' })],
    overlap: [],
    costs: [costRun(5_000, 1)],
    sizes: [{ table: 'urls', rows: 5_000, tableBytesPerRow: 150, indexBytesPerRow: 90 }],
    faults: [],
  };
  const text = textReport(results);
  assert.match(text, /NOT reached: 3 workers: 2\.00 times one instead of 2\.85; 8 workers: no run was good/);
  assert.match(text, /8 workers, round 1: w3 left with 1/);
  assert.match(text, /cannot add a latency/);
  assert.match(text, /^urls +5,000 +150 +90/m);
  assert.match(text, /^5,000 +0\.40 +5,000 +1,000/m);
});
