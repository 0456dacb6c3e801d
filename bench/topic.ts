/**
 * The benchmark of the topic focus: the share of on-topic pages in a focused crawl, compared with breadth-first on the
 * same web, and the on-topic pages that a focused crawl misses when it cuts branches.
 *
 * In: flags. Out: tables on stdout, progress on stderr, and bench/results/topic.json and .md (topic-sites for real
 * sites). A partial run writes to bench/work/results instead. What always holds: the focus is the crawler's own code,
 * the webs are seeded, and no time is measured. The exit code is 1 when the median harvest over the first fifth is less
 * than four times the harvest of breadth-first.
 */
import { join } from 'node:path';
import { describeMachine } from './report/machine.ts';
import { FIRST_SEED, readTopicOptions, TOPIC_HELP } from './topic/options.ts';
import { harvestRatio, type TopicResults, textReport, writeTopicResults } from './topic/report.ts';
import { crawlTopics, isReachedOn, siteTopicTable, writeSiteTopics } from './topic/sites.ts';
import { TopicWeb } from './topic/topic-web.ts';
import { crawlAllWays, JUDGED_WAY, type WayResult } from './topic/ways.ts';

const LEAST_RATIO = 4;

export async function benchTopic(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const options = readTopicOptions(args);
  if (options === 'help') {
    process.stdout.write(TOPIC_HELP);
    return 0;
  }
  if (options.sites !== undefined) return benchSites(options.sites, resultsFolder, report);
  const runs: WayResult[] = [];
  const onTopic: number[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + options.seeds; seed++) {
    const web = new TopicWeb(seed, options.pages);
    onTopic.push(web.onTopicPages / web.pages);
    runs.push(...crawlAllWays(web, seed, report));
  }
  const results: TopicResults = { options, machine: describeMachine(new Date()), onTopic, runs };
  const written = await writeTopicResults(options.partial ? join(workFolder, 'results') : resultsFolder, results);
  process.stdout.write(`\n${textReport(results)}\n`);
  report(`written: ${written}.md and .json`);
  return harvestRatio(runs, JUDGED_WAY)!.median >= LEAST_RATIO ? 0 : 1;
}

async function benchSites(text: string, resultsFolder: string, report: (text: string) => void): Promise<number> {
  const results = { machine: describeMachine(new Date()), runs: await crawlTopics(text, report) };
  const written = await writeSiteTopics(resultsFolder, results);
  process.stdout.write(`\n${siteTopicTable(results)}\n`);
  report(`written: ${written}.md and .json`);
  return isReachedOn(results) ? 0 : 1;
}
