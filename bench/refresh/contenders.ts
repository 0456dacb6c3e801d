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
import { VARIANT_RULES, type Variant } from './variants.ts';

export const CONTENDER_NAMES = ['refresh', 'crawl', 'wget', 'scrapy'] as const;
export type ContenderName = (typeof CONTENDER_NAMES)[number];

export interface Contender {
  readonly name: ContenderName;
  /** As the tables call it. */
  readonly title: string;
  readonly crawler: Crawler;
  /** Null for one that begins with nothing. */
  readonly firstCopy: ((job: CrawlJob, workFolder: string) => Command) | null;
  update(job: CrawlJob, workFolder: string, variant: Variant): Command;
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
  { name: 'wget', title: 'wget -N -r', crawler: wget, firstCopy: mirror, update: updateMirror },
  { name: 'scrapy', title: 'scrapy, HTTP cache', crawler: scrapy, firstCopy: cachedCrawl, update: cachedCrawl },
];

function mirror(job: CrawlJob, workFolder: string): Command {
  const command = wget.command(job, workFolder);
  return { ...command, args: ['--timestamping', ...command.args] };
}

/**
 * Asked by date, wget takes a page that is answered with 304 for no HTML, since that answer has no type, and ends with the first.
 * With HEAD it goes on; without validators that would only be a second request for each page.
 */
function updateMirror(job: CrawlJob, workFolder: string, variant: Variant): Command {
  const command = mirror(job, workFolder);
  const asking = VARIANT_RULES[variant].validators ? ['--no-if-modified-since'] : [];
  return { ...command, args: [...asking, ...command.args] };
}

function cachedCrawl(job: CrawlJob, workFolder: string): Command {
  const command = scrapy.command(job, workFolder);
  return { ...command, args: [...command.args, join(job.folder, 'cache')] };
}
