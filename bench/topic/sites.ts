/**
 * Focused crawls of real sites. In: sites (bench/site) and the topics below. Out: for each topic, the relevant pages
 * that the first fifth of the crawl finds, compared with breadth-first, and the relevant pages that are cut.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BadOption } from '../options.ts';
import type { Machine } from '../report/machine.ts';
import { spreadOf } from '../report/summary.ts';
import { markdownRows } from '../report/tables.ts';
import { readSites } from '../site/read-site.ts';
import { crawlSite } from './crawl-site.ts';
import { TopicPages } from './topic-pages.ts';
import { JUDGED_SHARE } from './ways.ts';

/** The topics of each site, chosen before anything was tuned. */
const TOPICS: Readonly<Record<string, readonly string[]>> = {
  postgresql: ['PostgreSQL replication', 'full text search', 'vacuum'],
  cppreference: ['iterator algorithm', 'regular expressions', 'atomic operations'],
  python: ['asyncio event loop', 'regular expressions', 'email messages'],
};

const MOST_CUT = 0.03;
const LEAST_RATIO = 1;
const LEAST_MEDIAN_RATIO = 3;

export interface TopicRun {
  readonly site: string;
  readonly topic: string;
  readonly pages: number;
  readonly relevant: number;
  /** The share of the relevant pages that the first fifth of the crawl finds. */
  readonly breadthFirst: number;
  readonly focused: number;
  /** The share of the site that the focused crawl fetches, and of the relevant pages that it does not fetch. */
  readonly fetched: number;
  readonly cut: number;
}

export interface SiteTopicResults {
  readonly machine: Machine;
  readonly runs: readonly TopicRun[];
}

/** `text`: the names of sites and their start pages. */
export async function crawlTopics(text: string, report: (line: string) => void): Promise<TopicRun[]> {
  const runs: TopicRun[] = [];
  for (const each of text.split(',')) {
    const [site] = readSites(each, true);
    const topics = TOPICS[site!.name];
    if (topics === undefined) {
      throw new BadOption(`--sites: there are topics for ${Object.keys(TOPICS).join(', ')} only`);
    }
    const folder = dirname(each.slice(each.indexOf('=') + 1));
    const topicPages = new TopicPages(site!);
    const [plain, pages] = [await crawlSite(site!, folder, null), site!.pages.length];
    const fifth = Math.round(pages * JUDGED_SHARE);
    for (const topic of topics) {
      const onTopic = topicPages.onTopic(topic);
      const relevant = onTopic.filter(Boolean).length;
      const shareIn = (order: readonly number[]) => order.filter((page) => onTopic[page]).length / relevant;
      const focused = await crawlSite(site!, folder, topic);
      const [breadthFirst, early] = [plain, focused].map((order) => shareIn(order.slice(0, fifth))) as [number, number];
      const [fetched, cut] = [focused.length / pages, 1 - shareIn(focused)];
      runs.push({ site: site!.name, topic, pages, relevant, breadthFirst, focused: early, fetched, cut });
      report(`${site!.name}, ${topic}: ${percent(breadthFirst)}, ${percent(early)}, cut ${percent(cut)}`);
    }
  }
  return runs;
}

export function isReachedOn({ runs }: SiteTopicResults): boolean {
  const { median, min } = spreadOf(runs.map(ratioOf))!;
  return cutOfAll(runs) <= MOST_CUT && min >= LEAST_RATIO && median >= LEAST_MEDIAN_RATIO;
}

/** The share of the relevant pages of all topics that is never fetched. */
function cutOfAll(runs: readonly TopicRun[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return sum(runs.map(({ cut, relevant }) => cut * relevant)) / sum(runs.map(({ relevant }) => relevant));
}

function ratioOf({ focused, breadthFirst }: TopicRun): number {
  return focused / breadthFirst;
}

export function siteTopicTable({ runs }: SiteTopicResults): string {
  const headings = [
    'site',
    'topic',
    'pages',
    'relevant',
    'breadth-first',
    'focused',
    'ratio',
    'fetched',
    'relevant cut',
  ];
  const rows = runs.map((run) => [
    run.site,
    run.topic,
    run.pages.toLocaleString('en'),
    String(run.relevant),
    ...[run.breadthFirst, run.focused].map(percent),
    run.breadthFirst === 0 ? '∞' : ratioOf(run).toFixed(2),
    percent(run.fetched),
    percent(run.cut),
  ]);
  return markdownRows(headings, rows);
}

export async function writeSiteTopics(folder: string, results: SiteTopicResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'topic-sites');
  await writeFile(`${path}.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  return path;
}

function markdown(results: SiteTopicResults): string {
  const { median } = spreadOf(results.runs.map(ratioOf))!;
  return `# topics on real sites

Real crawls of folders of HTML files, served on a loopback address, from their start page, with default options. \`breadth-first\` and \`focused\` are the shares of the relevant pages that
the first fifth of the pages contains; \`ratio\` is the second divided by the first (median ${median.toFixed(2)}). \`fetched\` is the share of the site that
the focused crawl fetches before it ends by itself, \`relevant cut\` the share of the relevant pages that it never fetches (${percent(cutOfAll(results.runs))} of all).
bench/topic/topic-pages.ts says which pages are relevant.

${siteTopicTable(results)}

- the order of requests depends a little on the machine, because the units work in parallel
- node ${results.machine.node}, ${results.machine.date} UTC
`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
