/**
 * The benchmark of refreshes: the cost of updating a copy when a part of the site has changed.
 *
 * In: flags. Out: tables on stdout, progress on stderr, bench/results/refresh.json and .md, and the picture in docs. A
 * partial run writes all of them, also the picture, to bench/work/results instead. What always holds: every contender
 * begins each run with the copy that it made before the change, rounds are interleaved, and the server counts the sent
 * pages. The exit code is 1 when a run of Orbweaver missed or invented a change, or when an aim is missed.
 */
import { join } from 'node:path';
import type { RunPlace } from './measure/run-crawler.ts';
import { compareUpdates, isReached } from './refresh/compare.ts';
import { CONTENDERS, type Contender, type ContenderName, OURS, YARDSTICK } from './refresh/contenders.ts';
import { type FirstCopy, makeFirstCopy } from './refresh/kept-copies.ts';
import { REFRESH_HELP, type RefreshOptions, readRefreshOptions } from './refresh/options.ts';
import { type RefreshResults, textReport, writeRefreshResults } from './refresh/report.ts';
import { runUpdate, type UpdateRun } from './refresh/run-update.ts';
import { SiteStates } from './refresh/site-states.ts';
import type { Variant } from './refresh/variants.ts';
import { describeMachine } from './report/machine.ts';
import type { PreparedCrawler } from './report/summary.ts';
import { findServerProgram } from './web/serve.ts';

export async function benchRefresh(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const options = readRefreshOptions(args);
  if (options === 'help') {
    process.stdout.write(REFRESH_HELP);
    return 0;
  }
  const server = await findServerProgram(report);
  const place: RunPlace = { workFolder, server, timeoutMs: options.timeoutMs };
  const wanted = CONTENDERS.filter(({ name }) => options.only.includes(name));
  const crawlers = await prepareCrawlers(wanted, workFolder, report);
  const ready = wanted.filter(({ crawler }) =>
    crawlers.some((each) => each.crawler === crawler && each.preparation.ready),
  );

  const states = await SiteStates.before(options, workFolder, report);
  const copies = await makeFirstCopies(place, options, ready, states, report);
  report('changing the site');
  await states.change(options.shares);
  const runs = await runRounds(place, options, copies, states, report);

  const results: RefreshResults = {
    options,
    machine: describeMachine(new Date()),
    server: server.version,
    crawlers,
    withoutCopy: copies.flatMap(({ contender, variant, copy }) =>
      copy.ready ? [] : [`${contender.title}, ${variant}: ${copy.reason}`],
    ),
    runs,
  };
  const partialFolder = join(workFolder, 'results');
  const written = await writeRefreshResults(
    options.partial ? partialFolder : resultsFolder,
    options.partial ? partialFolder : join(resultsFolder, '..', '..', 'docs'),
    results,
  );
  process.stdout.write(`\n${textReport(results)}\n`);
  report(`written: ${written}.md and .json`);
  return isGood(results) ? 0 : 1;
}

async function prepareCrawlers(
  contenders: readonly Contender[],
  workFolder: string,
  report: (text: string) => void,
): Promise<PreparedCrawler[]> {
  const prepared: PreparedCrawler[] = [];
  for (const crawler of new Set(contenders.map((contender) => contender.crawler))) {
    const preparation = await crawler.prepare(workFolder, (text) => report(`${crawler.name}: ${text}`));
    report(`${crawler.name}: ${preparation.ready ? preparation.version : `not available: ${preparation.reason}`}`);
    prepared.push({ crawler, preparation });
  }
  return prepared;
}

interface KeptCopy {
  readonly contender: Contender;
  readonly variant: Variant;
  readonly copy: FirstCopy;
}

async function makeFirstCopies(
  place: RunPlace,
  { variants }: RefreshOptions,
  contenders: readonly Contender[],
  states: SiteStates,
  report: (text: string) => void,
): Promise<KeptCopy[]> {
  const copies: KeptCopy[] = [];
  for (const variant of variants) {
    for (const contender of contenders) {
      const copy = await makeFirstCopy(place, contender, states.asItWas(contender, variant), variant);
      report(`first copy, ${variant}, ${contender.title}: ${copy.ready ? 'ready' : copy.reason}`);
      copies.push({ contender, variant, copy });
    }
  }
  return copies;
}

async function runRounds(
  place: RunPlace,
  { repeat, variants, shares }: RefreshOptions,
  copies: readonly KeptCopy[],
  states: SiteStates,
  report: (text: string) => void,
): Promise<UpdateRun[]> {
  const runs: UpdateRun[] = [];
  for (let round = 1; round <= repeat; round++) {
    for (const variant of variants) {
      for (const share of shares) {
        for (const { contender, copy } of copies.filter((each) => each.variant === variant)) {
          if (!copy.ready || (contender.crawler.slow && round > 1)) continue;
          const site = states.asItIs(contender, variant, share);
          const run = await runUpdate(place, contender, copy.folder, site, { variant, share, round });
          runs.push(run);
          report(`${round}/${repeat} ${variant} ${share} % ${progressLine(contender, run)}`);
        }
      }
    }
  }
  return runs;
}

/** A peer that fails is shown in the report. Only the runs of Orbweaver decide the exit code. */
function isGood({ options, runs }: RefreshResults): boolean {
  const ours: ContenderName[] = options.only.filter((name) => name === OURS || name === YARDSTICK);
  const good = runs.filter(({ contender, failure }) => ours.includes(contender) && failure === undefined);
  const expected = ours.length * options.variants.length * options.shares.length * options.repeat;
  return good.length === expected && isReached(compareUpdates(runs)) !== false;
}

function progressLine({ title }: Contender, run: UpdateRun): string {
  const figures = `${run.wallSeconds.toFixed(2)} s, ${run.requests} requests, ${(run.sentBytes / 1e6).toFixed(2)} MB, CPU ${run.cpuSeconds.toFixed(1)} s, ${run.peakRssMb.toFixed(0)} MB`;
  return `${title}: ${figures}${run.failure === undefined ? '' : ` FAILED: ${run.failure}`}`;
}
