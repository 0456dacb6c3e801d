/**
 * The options of the watcher, in one table like that of a crawl (core/options/options.ts). Flags, help, environment
 * variables and the configuration file derive from it. The options in `SITE_OPTIONS` can differ from site to site.
 */
import { type OptionsOf, local as option } from '../core/options/option-table.ts';
import { durationMs, flag, list, maybeText, oneOf, text, wholeNumber } from '../core/options/option-values.ts';
import { LEASE_FOR } from './admit/lease-admission.ts';
import { INDEX_NAMES } from './site/site-options.ts';
import { cpuShare, listenText, maxLoad, rushHours } from './watch-values.ts';

const none: readonly string[] = [];

const PROCESS_OPTIONS = {
  state: option(text, 'orbweaver-watcher-state', 'folder for the state of the watcher, outside every web root'),
  listen: option(listenText, '127.0.0.1:8970', 'address that serves reports: host:port, a port, unix:/path or off'),
  trustProxy: option(
    list,
    none,
    'addresses of proxies whose X-Forwarded-For is trusted, besides proxies on this machine',
  ),
  every: option(durationMs, 60_000, 'time from the start of one sweep to the next; longer if a sweep is slow'),
  fileEvents: option(flag, true, 'also use file system events between sweeps (--no-file-events: sweeps only)'),
  cpu: option(cpuShare, 0.01, 'share of one core that the watcher may use on average'),
  firstCpu: option(cpuShare, 0.1, 'share during the first sweep of a site, if larger than --cpu'),
  rush: option(rushHours, null, 'times of day without sweeps, such as 08:00-10:00,17:00-19:00 (W9)'),
  maxLoad: option(maxLoad, null, 'load average per core above which sweeps pause, as in --rush'),
} as const;

export const SITE_OPTIONS = {
  index: option(list, [...INDEX_NAMES], 'index files of a folder, in the order of the web server'),
  dropExtension: option(list, none, 'extensions that URLs omit: with .html, about.html is /about'),
  types: option(list, none, 'further extensions that are pages, such as .md'),
  include: option(list, none, 'report only files that match one of these patterns (* is any text, or /regex/)'),
  exclude: option(list, none, 'do not report files that match one of these patterns'),
  assets: option(flag, false, 'report images, styles, scripts and media too, not only documents'),
  events: option(flag, true, 'report the events that scripts of pages handle (W4)'),
  leaseLongest: option(durationMs, 3_600_000, 'longest lease of one crawler (W7)'),
  leaseFor: option(
    oneOf(LEASE_FOR),
    'anyone',
    'who may take the lease: anyone, or only crawlers known by --lease-keys and --lease-from',
  ),
  leaseKeys: option(
    maybeText,
    null,
    'file with one name:key line per known crawler; unknown crawlers do not block known ones',
  ),
  leaseFrom: option(list, none, 'addresses and networks of known crawlers, such as 192.0.2.7 or 2001:db8::/48'),
  leaseAnonymous: option(durationMs, 120_000, 'longest lease of an unknown crawler'),
  leaseTakes: option(wholeNumber(1, 1_000_000), 60, 'how often per minute an unknown address may take the lease'),
  leaseReset: option(
    oneOf(['event', 'time']),
    'time',
    'when the site may be crawled again: after a page changed, or after --lease-period',
  ),
  leasePeriod: option(durationMs, 0, 'with --lease-reset time: shortest time from one crawl to the next'),
  writeFiles: option(flag, false, 'write report and sitemap as plain files into the web root'),
  accessLog: option(maybeText, null, 'log of the web server: the lease goes to a crawler that requests the plain file'),
  sitemap: option(flag, true, 'publish a sitemap beside the report'),
  indexnowKey: option(maybeText, null, 'key for announcing changes with IndexNow'),
  indexnowEndpoint: option(text, 'https://api.indexnow.org/indexnow', 'URL for IndexNow announcements'),
} as const;

export const WATCH_OPTIONS = { ...PROCESS_OPTIONS, ...SITE_OPTIONS } as const;

export type WatchOptionName = keyof typeof WATCH_OPTIONS;
export type WatchOptionValues = OptionsOf<typeof WATCH_OPTIONS>;
export const WATCH_OPTION_NAMES = Object.keys(WATCH_OPTIONS) as WatchOptionName[];

export type SiteOptionName = keyof typeof SITE_OPTIONS;
export type SiteOptions = OptionsOf<typeof SITE_OPTIONS>;
