/**
 * The benchmark of the growing frontier: cost of a page, memory, and time to reopen, from ten thousand to
 * five million known URLs.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/frontier.json and .md. A partial run writes
 * to bench/work/results instead. What always holds: rounds are interleaved. Every crawl fetches the same pages, from a
 * new copy of a folder that the store itself filled. The rows of a series differ only in the number of known URLs.
 */
import { join } from 'node:path';
import { buildOrbweaver } from '../testbed/measure/built-orbweaver.ts';
import { type FilledFolder, fillFolder } from './frontier/fill.ts';
import { FRONTIER_HELP, type FrontierOptions, readFrontierOptions } from './frontier/options.ts';
import { KnownPlan, type LinkSeries } from './frontier/plan.ts';
import { type FrontierResults, textReport, writeFrontierResults } from './frontier/report.ts';
import { type FrontierPlace, type FrontierRun, runCrawl } from './frontier/run-crawl.ts';
import { type ReopenRun, runReopen } from './frontier/run-reopen.ts';
import { makeServedPages, readPagesIntoMemory } from './frontier/web.ts';
import { describeMachine } from './report/machine.ts';
import type { LocalWeb } from './web/make.ts';
import { findServerProgram } from './web/serve.ts';

interface Case {
  readonly filled: FilledFolder;
  readonly webs: ReadonlyMap<LinkSeries, LocalWeb>;
}

/** Returns the exit code: 1 when a run did not fetch the expected pages. */
export async function benchFrontier(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const options = readFrontierOptions(args);
  if (options === 'help') {
    process.stdout.write(FRONTIER_HELP);
    return 0;
  }
  await buildOrbweaver(report);
  const server = await findServerProgram(report);
  const place: FrontierPlace = { workFolder, server, timeoutMs: options.timeoutMs };
  const cases: Case[] = [];
  for (const known of options.known) cases.push(await prepare(known, options, workFolder, report));

  const crawls: FrontierRun[] = [];
  const reopenings: ReopenRun[] = [];
  for (let round = 1; round <= options.repeat; round++) {
    for (const links of options.links) {
      for (const { filled, webs } of cases) {
        const run = await runCrawl(place, filled, webs.get(links)!, links, round);
        crawls.push(run);
        report(`${round}/${options.repeat} ${progressLine(run)}`);
      }
    }
    for (const { filled, webs } of cases) {
      const run = await runReopen(place, filled, webs.get(options.links[0]!)!, round);
      reopenings.push(run);
      const { closed, killed } = run;
      report(
        `${round}/${options.repeat} reopening ${run.known}: ${closed.firstUrlsMs.toFixed(0)} ms, after a kill ${killed.firstUrlsMs.toFixed(0)} ms`,
      );
    }
  }

  const folders = cases.map(({ filled }) => filled);
  const machine = describeMachine(new Date());
  const results: FrontierResults = { options, machine, server: server.version, folders, crawls, reopenings };
  const written = await writeFrontierResults(options.partial ? join(workFolder, 'results') : resultsFolder, results);
  process.stdout.write(`\n${textReport(results)}\n`);
  report(`written: ${written}.md and .json`);
  return crawls.every((run) => run.failure === undefined) ? 0 : 1;
}

async function prepare(
  known: number,
  { links, seed, pages }: FrontierOptions,
  workFolder: string,
  report: (text: string) => void,
): Promise<Case> {
  const plans = links.map((series) => new KnownPlan({ known, served: pages, series, seed }));
  // The known URLs do not depend on the links of the pages, so one folder serves all series.
  const filled = await fillFolder(join(workFolder, 'known'), plans[0]!, report);
  const webs = new Map<LinkSeries, LocalWeb>();
  for (const plan of plans) {
    const web = await makeServedPages(join(workFolder, 'known-webs'), plan, report);
    await readPagesIntoMemory(web);
    webs.set(plan.series, web);
  }
  return { filled, webs };
}

function progressLine(run: FrontierRun): string {
  const figures = `${run.pagesPerSecond.toFixed(0)} pages/s, CPU ${run.cpuMsPerPage.toFixed(2)} ms/page, ${run.peakRssMb.toFixed(0)} MB`;
  const failure = run.failure === undefined ? '' : ` FAILED: ${run.failure}`;
  return `${run.links} links, ${run.known} known: ${figures}${failure}`;
}
