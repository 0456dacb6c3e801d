/**
 * The contenders that update a copy: how each makes its first copy, and its command after the site has changed.
 *
 * The commands are the commands of the peers' benchmark, plus the flags that let them use their copy. The full crawl is
 * a crawl by Orbweaver into an empty folder. It shows the cost without a copy, and the others are compared with it.
 */
import { join } from 'node:path';
import { orbweaverCommand } from '../../testbed/measure/built-orbweaver.ts';
import type { Command } from '../../testbed/measure/run-command.ts';
import type { Crawler, CrawlJob } from '../peers/crawler.ts';
import { orbweaver } from '../peers/orbweaver.ts';
import { scrapy } from '../peers/scrapy.ts';
import { wget } from '../peers/wget.ts';
import { VARIANT_RULES, type Variant } from './variants.ts';

export const CONTENDER_NAMES = ['refresh', 'crawl', 'wget', 'scrapy'] as const;
export type ContenderName = (typeof CONTENDER_NAMES)[number];

export interface Contender {
  readonly name: ContenderName;
  /** Name in the tables. */
  readonly title: string;
  readonly crawler: Crawler;
  /** Null for a contender that starts without a copy. */
  readonly firstCopy: ((job: CrawlJob, workFolder: string) => Command) | null;
  update(job: CrawlJob, workFolder: string, variant: Variant): Command;
}

/** The contender with Orbweaver's copy, in which the result of each page is checked. */
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
 * When wget asks by date, it does not recognise a page that is answered with 304 as HTML, because that response has no
 * content type, and it stops at the first page. With HEAD requests it continues. Without validators, HEAD would only
 * add a second request for each page.
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
