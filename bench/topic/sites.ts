/**
 * Focused crawls of real sites. In: sites (bench/site) and the topics below. Out: for each topic, the relevant pages
 * that the first fifth of the crawl finds, compared with breadth-first, and the relevant pages that are cut.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { topicFromWords } from '../../src/frontier/topic/topic.ts';
import { BadOption } from '../options.ts';
import type { Machine } from '../report/machine.ts';
import { spreadOf } from '../report/summary.ts';
import { markdownRows } from '../report/tables.ts';
import type { Site } from '../site/read-site.ts';
import { DEFAULT_FOCUS } from './default-focus.ts';
import { crawlBreadthFirst, crawlFocused, type Harvest } from './simulate.ts';
import { SiteWeb } from './site-web.ts';
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

export function crawlTopics(site: Site): TopicRun[] {
  const topics = TOPICS[site.name];
  if (topics === undefined) throw new BadOption(`--sites: there are topics for ${Object.keys(TOPICS).join(', ')} only`);
  const siteWeb = new SiteWeb(site);
  return topics.map((topic) => {
    const web = siteWeb.webFor(topic);
    const way = { topic: topicFromWords(topic)!, readAround: true, raise: true, cut: DEFAULT_FOCUS };
    const fifth = Math.round(web.pages * JUDGED_SHARE);
    const foundIn = ({ found, fetched }: Harvest, most: number) =>
      found[Math.min(most, fetched) - 1]! / web.onTopicPages;
    const focused = crawlFocused(web, way);
    return {
      site: site.name,
      topic,
      pages: web.pages,
      relevant: web.onTopicPages,
      breadthFirst: foundIn(crawlBreadthFirst(web), fifth),
      focused: foundIn(focused, fifth),
      fetched: focused.fetched / web.pages,
      cut: 1 - foundIn(focused, web.pages),
    };
  });
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

Simulated crawls of folders of HTML files from their start page. \`breadth-first\` and \`focused\` are the shares of the relevant pages that
the first fifth of the pages contains; \`ratio\` is the second divided by the first (median ${median.toFixed(2)}). \`fetched\` is the share of the site that
the focused crawl fetches before it ends by itself, \`relevant cut\` the share of the relevant pages that it never fetches (${percent(cutOfAll(results.runs))} of all).
bench/topic/site-web.ts says which pages are relevant.

${siteTopicTable(results)}

- nothing of this depends on the machine: the same files give the same figures
- node ${results.machine.node}, ${results.machine.date} UTC
`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
