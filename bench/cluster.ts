/**
 * The benchmark of the cluster. It measures the pages per second of several workers, the pages that fifty workers fetch
 * twice, the cost of a page in PostgreSQL, and the damage that faults do.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/cluster.json and .md. A partial run writes
 * to bench/work/results instead. What always holds: workers run the program that users install. Each worker is a
 * process, and has a network of its own where that matters. The web counts the fetched pages. The exit code is 1 when
 * an aim is missed.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOrbweaver } from '../testbed/measure/built-orbweaver.ts';
import { findPostgres, installPostgres } from '../testbed/servers/postgres-program.ts';
import { PostgresServer } from '../testbed/servers/postgres-server.ts';
import { missedAims } from './cluster/compare.ts';
import { CostBench, type CostRun } from './cluster/cost.ts';
import { crawlWithFaults } from './cluster/faults/crawl-with-faults.ts';
import { largeSize, SIDE_BY_SIDE, WITH_PAUSES } from './cluster/faults/fault-sizes.ts';
import { type FaultVerdict, judgeFaults } from './cluster/faults/judge-faults.ts';
import { ManyHosts, type ManyHostsShape, USUAL_PORT } from './cluster/many-hosts.ts';
import { CLUSTER_HELP, type ClusterOptions, readClusterOptions } from './cluster/options.ts';
import { crowdRow, modelRows, type OverlapRow } from './cluster/overlap.ts';
import type { CrawlPlace } from './cluster/plan-crawl.ts';
import { HUB_ADDRESS, isInside, PrivateNetwork, runInside, whyNoNetwork } from './cluster/private-network.ts';
import { type ClusterResults, rowsOf, textReport, writeClusterResults } from './cluster/report.ts';
import { RunningWeb } from './cluster/running-web.ts';
import { runScaling, type ScalingPlace, type ScalingRun } from './cluster/scaling.ts';
import { describeMachine } from './report/machine.ts';

type Report = (text: string) => void;

/**
 * Enough connections for fifty workers with five connections each, and for the benchmark. The other settings are the
 * advice of docs/cluster.md for a machine with 8 GB.
 */
const SETTINGS = {
  max_connections: '400',
  shared_buffers: '2GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '15min',
  wal_compression: 'lz4',
};
/** Safe here: only our workers can reach the private network. */
const EVERYWHERE = { listen_addresses: '*' };

export async function benchCluster(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: Report,
): Promise<number> {
  const options = readClusterOptions(args);
  if (options === 'help') {
    process.stdout.write(CLUSTER_HELP);
    return 0;
  }
  const isNetworked = options.parts.includes('scaling') || options.parts.includes('overlap');
  if (isNetworked && !isInside()) {
    const reason = await whyNoNetwork();
    if (reason === undefined) return runInside();
    report(`${reason} (--parts cost,faults goes without)`);
    return 1;
  }
  const program = (await findPostgres()) ?? (await installed(report));
  if (typeof program === 'string') {
    report(program);
    return 1;
  }
  await buildOrbweaver(report);
  const server = await PostgresServer.create({
    program,
    settings: isNetworked ? { ...SETTINGS, ...EVERYWHERE } : SETTINGS,
  });
  try {
    const found = isNetworked
      ? await onNetwork(options, server, workFolder, report)
      : { scaling: [], overlap: [], hasLatency: false };
    const { costs, sizes } = options.parts.includes('cost')
      ? await measureCosts(options, server, report)
      : { costs: [], sizes: [] };
    const place = { server, address: null, workFolder };
    const faults = options.parts.includes('faults') ? await measureFaults(options, place, report) : [];
    const { version } = program;
    const results: ClusterResults = {
      options,
      machine: describeMachine(new Date()),
      postgres: version,
      ...found,
      costs,
      sizes,
      faults,
    };
    const written = await writeClusterResults(options.partial ? join(workFolder, 'results') : resultsFolder, results);
    process.stdout.write(`\n${textReport(results)}\n`);
    report(`written: ${written}.md and .json`);
    return missedAims(rowsOf(results)).length === 0 ? 0 : 1;
  } finally {
    await server.close();
  }
}

async function installed(report: Report) {
  return (await installPostgres(report)) ?? (await findPostgres()) ?? 'PostgreSQL could not be installed';
}

async function onNetwork(options: ClusterOptions, server: PostgresServer, workFolder: string, report: Report) {
  await letIn(server);
  const shape = shapeOf(options, options.pages);
  const network = await PrivateNetwork.lay(new ManyHosts(shape).hosts);
  const limits = { megabitsPerSecond: options.megabitsPerSecond, latencyMs: options.latencyMs };
  const rest = { server, address: HUB_ADDRESS, workFolder, network, timeoutMs: options.timeoutMs };
  const scaling = options.parts.includes('scaling')
    ? await withWeb(shape, (web, plan) => measureScaling(options, { ...rest, limits, web, plan }, report))
    : [];
  const overlap = options.parts.includes('overlap')
    ? await withWeb({ ...shapeOf(options, options.crowdPages), isPrompt: true }, (web, plan) =>
        measureOverlap(options, { ...rest, limits: null, web, plan }, report),
      )
    : [];
  return { scaling, overlap, hasLatency: network.hasLatency };
}

/** Workers connect from other addresses than the addresses of this machine, so PostgreSQL must allow them. */
async function letIn(server: PostgresServer): Promise<void> {
  appendFileSync(join(server.dataFolder, 'pg_hba.conf'), 'host all all 10.77.0.0/16 scram-sha-256\n');
  await server.restart();
}

function shapeOf({ seed, hosts }: ClusterOptions, pages: number): ManyHostsShape {
  return { seed, pages, hosts, network: '10.77', port: USUAL_PORT, leaves: 0, isPrompt: false };
}

async function withWeb<T>(shape: ManyHostsShape, work: (web: RunningWeb, plan: ManyHosts) => Promise<T>): Promise<T> {
  const web = await RunningWeb.start(shape);
  try {
    return await work(web, new ManyHosts(shape));
  } finally {
    await web.stop();
  }
}

async function measureScaling(options: ClusterOptions, place: ScalingPlace, report: Report): Promise<ScalingRun[]> {
  const runs: ScalingRun[] = [];
  for (let round = 1; round <= options.repeat; round++) {
    for (const workers of options.workers) {
      const { run } = await runScaling(place, workers, round);
      runs.push(run);
      const speed = `${run.steadyPagesPerSecond.toFixed(1)} pages/s, ${run.wallSeconds.toFixed(1)} s, cores ${(run.busyShare * 100).toFixed(0)} % busy`;
      report(
        `${round}/${options.repeat} ${workers} workers: ${run.failure === undefined ? speed : `FAILED: ${run.failure} (${speed})`}`,
      );
    }
  }
  return runs;
}

async function measureOverlap(options: ClusterOptions, place: ScalingPlace, report: Report): Promise<OverlapRow[]> {
  const { crowd, seed } = options;
  const models = modelRows(place, crowd, seed);
  const { row, run } = await crowdRow(place, crowd, seed);
  report(
    `${crowd} workers: ${row.repeated} pages fetched more than once, ${run.wallSeconds.toFixed(0)} s${row.failure === undefined ? '' : ` FAILED: ${row.failure}`}`,
  );
  return [...models, row];
}

async function measureCosts(options: ClusterOptions, server: PostgresServer, report: Report) {
  const benches: CostBench[] = [];
  const runs: CostRun[] = [];
  for (const known of options.known) {
    report(`filling a database with ${known.toLocaleString('en')} known URLs`);
    benches.push(await CostBench.prepare(server, known, options.seed));
  }
  for (let round = 1; round <= options.repeat; round++) {
    for (const bench of benches) {
      const run = await bench.run(round, options.costPages);
      runs.push(run);
      report(
        `${round}/${options.repeat} ${run.known.toLocaleString('en')} known: ${run.serverCpuMsPerPage.toFixed(2)} ms CPU, ${run.walBytesPerPage.toFixed(0)} bytes of log, ${run.wallMsPerPage.toFixed(2)} ms a page`,
      );
    }
  }
  const sizes = (await benches.at(-1)?.sizes()) ?? [];
  for (const bench of benches) await bench.close();
  return { costs: runs, sizes };
}

async function measureFaults(options: ClusterOptions, place: CrawlPlace, report: Report): Promise<FaultVerdict[]> {
  const verdicts: FaultVerdict[] = [];
  for (const manners of [WITH_PAUSES, SIDE_BY_SIDE]) {
    const size = largeSize(manners, options.faultPages, options.hosts, options.seed);
    const verdict = judgeFaults(await crawlWithFaults(place, size, report));
    verdicts.push(verdict);
    report(`${verdict.title}: ${verdict.complaints.length === 0 ? 'all held' : verdict.complaints.join('; ')}`);
  }
  return verdicts;
}
