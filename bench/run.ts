/**
 * The benchmark: Orbweaver and its peers on the same local web, in the same run, one after the other.
 *
 * In: flags. Out: a table on stdout, progress on stderr, and bench/results/<scenario>.json and .md. A partial run
 * writes to bench/work/results instead. What always holds: rounds are interleaved (every crawler once, then every
 * crawler again), and every run starts from nothing. The server counts the fetched pages; the statistics of a crawler
 * are not used. The exit code is 1 when Orbweaver did not fetch every page.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { benchCanonicalSites } from './canonical-sites.ts';
import { benchCluster } from './cluster.ts';
import { benchFreshness } from './freshness.ts';
import { benchFrontier } from './frontier.ts';
import { benchGraph } from './graph.ts';
import { benchHostile } from './hostile.ts';
import { benchMainContentSites } from './main-content-sites.ts';
import { benchMarkdownSites } from './markdown-sites.ts';
import { type RunPlace, type RunResult, runCrawler } from './measure/run-crawler.ts';
import { benchNearDuplicateSites } from './near-duplicate-sites.ts';
import { benchNoiseTimelines } from './noise-timelines.ts';
import { BadOption, type BenchOptions, HELP, readOptions, type Scenario } from './options.ts';
import { benchOrders } from './orders.ts';
import { CRAWLERS, OURS } from './peers/all.ts';
import { benchRefresh } from './refresh.ts';
import { describeMachine } from './report/machine.ts';
import { type PreparedCrawler, summarise } from './report/summary.ts';
import { textTable } from './report/tables.ts';
import { writeResults } from './report/write.ts';
import { benchRevisions } from './revisions.ts';
import { benchSearch } from './search.ts';
import { benchSearchFreshness } from './search-freshness.ts';
import { benchSearchRelevance } from './search-relevance.ts';
import { benchSearchSpelling } from './search-spelling.ts';
import { benchTemplateSites } from './template-sites.ts';
import { benchTopic } from './topic.ts';
import { benchVersionPairs } from './version-pairs.ts';
import { benchWatcher } from './watcher.ts';
import { filePath, type LocalWeb, makeWeb } from './web/make.ts';
import { findServerProgram } from './web/serve.ts';

const WORK_FOLDER = join(import.meta.dirname, 'work');
const RESULTS_FOLDER = join(import.meta.dirname, 'results');
const PARTIAL_RESULTS_FOLDER = join(WORK_FOLDER, 'results');

function report(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function main(): Promise<number> {
  const [first, ...rest] = process.argv.slice(2);
  if (first === 'canonical-sites') return benchCanonicalSites(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'cluster') return benchCluster(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'freshness') return benchFreshness(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'frontier') return benchFrontier(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'orders') return benchOrders(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'graph') return benchGraph(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'hostile') return benchHostile(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'markdown-sites') return benchMarkdownSites(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'main-content-sites') return benchMainContentSites(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'near-duplicate-sites') return benchNearDuplicateSites(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'noise-timelines') return benchNoiseTimelines(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'refresh') return benchRefresh(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'revisions') return benchRevisions(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'search') return benchSearch(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'search-freshness') return benchSearchFreshness(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'search-relevance') return benchSearchRelevance(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'search-spelling') return benchSearchSpelling(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'template-sites') return benchTemplateSites(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'topic') return benchTopic(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'version-pairs') return benchVersionPairs(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  if (first === 'watcher') return benchWatcher(rest, WORK_FOLDER, RESULTS_FOLDER, report);
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const server = await findServerProgram(report);
  const place: RunPlace = { workFolder: WORK_FOLDER, server, timeoutMs: options.timeoutMs };
  const prepared = await prepareCrawlers(options);
  let allGood = true;
  for (const scenario of options.scenarios) {
    const runs = await runScenario(scenario, options, prepared, place);
    const summaries = summarise(prepared, runs, OURS);
    const written = await writeResults(options.partial ? PARTIAL_RESULTS_FOLDER : RESULTS_FOLDER, {
      scenario,
      rounds: options.repeat,
      seed: options.seed,
      machine: describeMachine(new Date()),
      server: server.version,
      summaries,
      runs,
    });
    process.stdout.write(
      `\n${scenario.name}: ${scenario.pages} pages over ${scenario.hosts} host(s)\n${textTable(summaries)}\n`,
    );
    report(`written: ${written}.md and .json`);
    if (runs.some((run) => run.crawler === OURS && run.failure !== undefined)) allGood = false;
  }
  return allGood ? 0 : 1;
}

async function prepareCrawlers(options: BenchOptions): Promise<PreparedCrawler[]> {
  const wanted = CRAWLERS.filter((crawler) => options.only.length === 0 || options.only.includes(crawler.name));
  const prepared: PreparedCrawler[] = [];
  for (const crawler of wanted) {
    const preparation = await crawler.prepare(WORK_FOLDER, (text) => report(`${crawler.name}: ${text}`));
    report(`${crawler.name}: ${preparation.ready ? preparation.version : `not available: ${preparation.reason}`}`);
    prepared.push({ crawler, preparation });
  }
  return prepared;
}

async function runScenario(
  scenario: Scenario,
  options: BenchOptions,
  prepared: readonly PreparedCrawler[],
  place: RunPlace,
): Promise<RunResult[]> {
  const ready = prepared.filter(({ preparation }) => preparation.ready).map(({ crawler }) => crawler);
  const pagesFor = (slow: boolean) => (slow ? scenario.slowPages : scenario.pages);
  const webs = new Map<number, LocalWeb>();
  for (const pages of new Set(ready.map((crawler) => pagesFor(crawler.slow)))) {
    const shape = { seed: options.seed, pages, hosts: scenario.hosts };
    const web = await makeWeb(join(WORK_FOLDER, 'webs'), shape, report);
    await readIntoMemory(web);
    webs.set(pages, web);
  }

  const runs: RunResult[] = [];
  for (let round = 1; round <= options.repeat; round++) {
    for (const crawler of ready) {
      const run = await runCrawler(crawler, webs.get(pagesFor(crawler.slow))!, round, place);
      runs.push(run);
      report(`${scenario.name} ${round}/${options.repeat} ${progressLine(run)}`);
    }
  }
  return runs;
}

/** Otherwise the first crawler would wait for the disk while the others find the files in memory. */
async function readIntoMemory(web: LocalWeb): Promise<void> {
  for (let page = 0; page < web.plan.shape.pages; page++) {
    const path = filePath(web.folder, web.plan, page);
    await Promise.all([readFile(path), readFile(`${path}.gz`)]);
  }
}

function progressLine(run: RunResult): string {
  const figures = `${run.pagesPerSecond.toFixed(0)} pages/s, ${run.wallSeconds.toFixed(1)} s, CPU ${run.cpuSeconds.toFixed(1)} s, ${run.peakRssMb.toFixed(0)} MB`;
  return `${run.crawler}: ${run.failure === undefined ? figures : `FAILED: ${run.failure} (${figures})`}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BadOption)) throw error;
  process.stderr.write(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}
