/**
 * Who brings a copy up to date: how each makes its first copy, and what it is told when the site has changed.
 *
 * The commands are those of the peers' benchmark, but for what lets them use the copy they have. The full crawl is
 * Orbweaver's own into an empty folder: what it costs to have no copy, and the yardstick of the others.
 */
import { join } from 'node:path';
import { orbweaverCommand } from '../measure/built-orbweaver.ts';
import type { Command } from '../measure/run-command.ts';
import type { Crawler, CrawlJob } from '../peers/crawler.ts';
import { orbweaver } from '../peers/orbweaver.ts';
import { scrapy } from '../peers/scrapy.ts';
import { wget } from '../peers/wget.ts';

export const CONTENDER_NAMES = ['refresh', 'crawl', 'wget', 'scrapy'] as const;
export type ContenderName = (typeof CONTENDER_NAMES)[number];

export interface Contender {
  readonly name: ContenderName;
  /** As the tables call it. */
  readonly title: string;
  readonly crawler: Crawler;
  /** Null for one that begins with nothing. */
  readonly firstCopy: ((job: CrawlJob, workFolder: string) => Command) | null;
  update(job: CrawlJob, workFolder: string): Command;
}

/** Orbweaver's copy, with which it is checked what became of each page. */
export const OURS = 'refresh' satisfies ContenderName;
export const YARDSTICK = 'crawl' satisfies ContenderName;

export const CONTENDERS: readonly Contender[] = [
  {
    name: 'refresh',
    title: 'orbweaver refresh',
    crawler: orbweaver,
    firstCopy: orbweaver.command,
    update: ({ folder }) => orbweaverCommand(['refresh', '--dir', folder, '--json']),
  },
  {
    name: 'crawl',
    title: 'orbweaver crawl, full',
    crawler: orbweaver,
    firstCopy: null,
    update: orbweaver.command,
  },
  { name: 'wget', title: 'wget -N -r', crawler: wget, firstCopy: mirror, update: mirror },
  { name: 'scrapy', title: 'scrapy, HTTP cache', crawler: scrapy, firstCopy: cachedCrawl, update: cachedCrawl },
];

function mirror(job: CrawlJob, workFolder: string): Command {
  const command = wget.command(job, workFolder);
  return { ...command, args: ['--timestamping', ...command.args] };
}

function cachedCrawl(job: CrawlJob, workFolder: string): Command {
  const command = scrapy.command(job, workFolder);
  return { ...command, args: [...command.args, join(job.folder, 'cache')] };
}
