/**
 * The benchmark of the watcher: its cost for the machine of its site, and the cost of a refresh that uses its report.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/watcher.json and .md. A partial run writes to
 * bench/work/results instead. What always holds: the watcher is the file that users upload. The exit code is 1 when a
 * run of Orbweaver missed or invented a change, or when an aim is missed.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleWatcher } from '../build/bundle-watcher.ts';
import { describeMachine } from './report/machine.ts';
import { compareWays, complaintsOf } from './watcher/compare.ts';
import { type Cost, measureCost } from './watcher/cost.ts';
import { makeTree } from './watcher/file-tree.ts';
import { readWatcherOptions, WATCHER_HELP } from './watcher/options.ts';
import { measureRefreshes } from './watcher/refreshes.ts';
import { textReport, type WatcherResults, writeWatcherResults } from './watcher/report.ts';
import { findServerProgram } from './web/serve.ts';

const SWEEPS = 5;
const CHANGES = 7;

export async function benchWatcher(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const options = readWatcherOptions(args);
  if (options === 'help') {
    process.stdout.write(WATCHER_HELP);
    return 0;
  }
  report('building the watcher');
  const bundle = await bundleWatcher();
  const folder = join(workFolder, 'watcher');
  await mkdir(folder, { recursive: true });
  const { node, timeoutMs, windowSeconds, cpuShare } = options;
  const { stdout: version } = await promisify(execFile)(node, ['--version']);

  const costs: Cost[] = [];
  for (const files of options.parts.includes('cost') ? options.files : []) {
    const tree = await makeTree(folder, files, options.seed, report);
    const place = { node, file: bundle.path, workFolder: folder, timeoutMs };
    const cost = await measureCost(place, tree, { sweeps: SWEEPS, windowSeconds, cpuShare, changes: CHANGES });
    costs.push(cost);
    report(
      `${files.toLocaleString('en')} files: ${cost.slowBeyondMb.toFixed(1)} MB (${cost.beyondMb.toFixed(1)} at full speed), ${(cost.cpuShare * 100).toFixed(2)} % CPU`,
    );
  }
  const server = await findServerProgram(report);
  const runs = options.parts.includes('refresh') ? await measureRefreshes(options, workFolder, server, report) : [];

  const { bytes, gzipBytes } = bundle;
  const results: WatcherResults = {
    options,
    machine: describeMachine(new Date()),
    server: server.version,
    node: version.trim(),
    bundle: { bytes, gzipBytes },
    costs,
    runs,
  };
  const written = await writeWatcherResults(options.partial ? join(workFolder, 'results') : resultsFolder, results);
  process.stdout.write(`\n${textReport(results)}\n`);
  report(`written: ${written}.md and .json`);
  return complaintsOf(costs, compareWays(runs)).length === 0 ? 0 : 1;
}
