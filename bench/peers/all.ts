/** The crawlers, in the order in which a round runs them. */
import { colly } from './colly.ts';
import { crawlee } from './crawlee.ts';
import type { Crawler } from './crawler.ts';
import { orbweaver } from './orbweaver.ts';
import { scrapy } from './scrapy.ts';
import { spider } from './spider.ts';
import { wget } from './wget.ts';

export const CRAWLERS: readonly Crawler[] = [orbweaver, wget, colly, spider, crawlee, scrapy];
export const OURS = orbweaver.name;
