/**
 * The benchmark of the hostile web: how much a healthy host loses when hosts that do everything wrong are crawled
 * at the same time.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/hostile.json and .md. A partial run writes to
 * bench/work/results instead. What always holds: rounds are interleaved, all crawls have the same flags, and the time
 * of the healthy host is read from its server's log. The exit code is 1 when a healthy page is missing, a bad URL did
 * not end with its reason, or memory exceeded its limit.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOrbweaver } from '../testbed/measure/built-orbweaver.ts';
import { HOSTILE_HELP, readHostileOptions } from './hostile/options.ts';
import { type HostileResults, textReport, writeHostileResults } from './hostile/report.ts';
import { CASES, type HostilePlace, type HostileRun, runCrawl } from './hostile/run-crawl.ts';
import { describeMachine } from './report/machine.ts';
import { filePath, type LocalWeb, makeWeb } from './web/make.ts';
import { findServerProgram } from './web/serve.ts';

export async function benchHostile(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const options = readHostileOptions(args);
  if (options === 'help') {
    process.stdout.write(HOSTILE_HELP);
    return 0;
  }
  await buildOrbweaver(report);
  const server = await findServerProgram(report);
  const { pages, copies, repeat, seed, timeoutMs } = options;
  const web = await makeWeb(join(workFolder, 'webs'), { seed, pages, hosts: 1 }, report);
  await readIntoMemory(web);
  const place: HostilePlace = { workFolder, server, timeoutMs, copies };

  const runs: HostileRun[] = [];
  for (let round = 1; round <= repeat; round++) {
    for (const which of CASES) {
      const run = await runCrawl(place, web, which, round);
      runs.push(run);
      report(`${round}/${repeat} ${progressLine(run)}`);
    }
  }

  const results: HostileResults = { options, machine: describeMachine(new Date()), server: server.version, runs };
  const written = await writeHostileResults(options.partial ? join(workFolder, 'results') : resultsFolder, results);
  process.stdout.write(`\n${textReport(results)}\n`);
  report(`written: ${written}.md and .json`);
  return runs.every((run) => run.failure === undefined) ? 0 : 1;
}

/**
 * Otherwise one run would wait for the disk while another finds the files in memory. Orbweaver
 * requests only gzipped files.
 */
async function readIntoMemory({ folder, plan }: LocalWeb): Promise<void> {
  for (let page = 0; page < plan.shape.pages; page++) await readFile(`${filePath(folder, plan, page)}.gz`);
}

function progressLine(run: HostileRun): string {
  const speed = run.healthySeconds > 0 ? `${run.pagesPerSecond.toFixed(0)} healthy pages/s, ` : '';
  const cpu = `CPU ${run.crawlerCpuSeconds.toFixed(1)} s (bad servers ${run.badServerCpuSeconds.toFixed(1)} s)`;
  const failure = run.failure === undefined ? '' : ` FAILED: ${run.failure}`;
  return `${run.case}: ${speed}${run.wallSeconds.toFixed(1)} s, ${cpu}, ${run.peakRssMb.toFixed(0)} MB${failure}`;
}
