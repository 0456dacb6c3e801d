/**
 * The options of the watcher, in one table like that of a crawl (core/options/options.ts). Flags, help, environment
 * variables and the configuration file derive from it. The options in `SITE_OPTION_NAMES` can differ from site to site.
 */
import { type OptionsOf, option } from '../core/options/option-table.ts';
import { durationMs, flag, list, maybeText, oneOf, text, wholeNumber } from '../core/options/option-values.ts';
import { LEASE_FOR } from './admit/lease-admission.ts';
import { INDEX_NAMES } from './site/site-options.ts';
import { cpuShare, listenText, maxLoad, rushHours } from './watch-values.ts';

const none: readonly string[] = [];

export const WATCH_OPTIONS = {
  state: option(text, 'orbweaver-watcher-state', 'where the watcher keeps what it knows; never inside a web root'),
  listen: option(listenText, '127.0.0.1:8970', 'where reports are served: host:port, a port, unix:/path or off'),
  trustProxy: option(
    list,
    none,
    'addresses of proxies whose X-Forwarded-For is believed, besides those of this machine',
  ),
  every: option(durationMs, 60_000, 'time from one sweep of the files to the next; a slow sweep comes later'),
  fileEvents: option(flag, true, 'hear of changes from the file system in between (--no-file-events sweeps only)'),
  cpu: option(cpuShare, 0.01, 'share of one core the watcher may take, on average'),
  firstCpu: option(cpuShare, 0.1, 'share while a site is read for the first time, if that of --cpu is less'),
  rush: option(rushHours, null, 'times of the day in which sweeps rest, such as 08:00-10:00,17:00-19:00 (W9)'),
  maxLoad: option(
    maxLoad,
    null,
    'with a load average above this for each core the machine is left alone as in a rush hour',
  ),
  index: option(list, [...INDEX_NAMES], 'files that a folder is served as, in the order of the web server'),
  dropExtension: option(list, none, 'endings that pages are served without: with .html, about.html is /about'),
  types: option(list, none, 'endings of further files that are pages here, such as .md'),
  include: option(list, none, 'only files that match one of these patterns (* is any text, or /regex/)'),
  exclude: option(list, none, 'never files that match one of these patterns'),
  assets: option(flag, false, 'report images, styles, scripts and media too, not only documents'),
  events: option(flag, true, 'examine what scripts of pages do on events (W4)'),
  leaseLongest: option(durationMs, 3_600_000, 'longest time one crawler may hold the site (W7)'),
  leaseFor: option(
    oneOf(LEASE_FOR),
    'anyone',
    'who may take the lease: anyone, or only crawlers known by --lease-keys and --lease-from',
  ),
  leaseKeys: option(
    maybeText,
    null,
    'file with a line name:key for each known crawler; the lease of others is no bar to it',
  ),
  leaseFrom: option(list, none, 'addresses and networks of known crawlers, such as 192.0.2.7 or 2001:db8::/48'),
  leaseAnonymous: option(durationMs, 120_000, 'longest time a crawler that is not known may hold the site'),
  leaseTakes: option(
    wholeNumber(1, 1_000_000),
    60,
    'how often in a minute one address that is not known may take the lease',
  ),
  leaseReset: option(
    oneOf(['event', 'time']),
    'time',
    'when the site may be crawled again: once a page changed, or after --lease-period',
  ),
  leasePeriod: option(durationMs, 0, 'lease reset time: from one crawl to the next at least this long'),
  writeFiles: option(flag, false, 'write report and sitemap as plain files into the web root'),
  accessLog: option(maybeText, null, 'give the lease to who asks for the plain file, by this log of the web server'),
  sitemap: option(flag, true, 'offer a sitemap beside the report'),
  indexnowKey: option(maybeText, null, 'announce changes by IndexNow with this key'),
  indexnowEndpoint: option(text, 'https://api.indexnow.org/indexnow', 'where IndexNow announcements go'),
} as const;

export type WatchOptionName = keyof typeof WATCH_OPTIONS;
export type WatchOptionValues = OptionsOf<typeof WATCH_OPTIONS>;

export const WATCH_OPTION_NAMES = Object.keys(WATCH_OPTIONS) as WatchOptionName[];

export const SITE_OPTION_NAMES = [
  'index',
  'dropExtension',
  'types',
  'include',
  'exclude',
  'assets',
  'events',
  'leaseLongest',
  'leaseFor',
  'leaseKeys',
  'leaseFrom',
  'leaseAnonymous',
  'leaseTakes',
  'leaseReset',
  'leasePeriod',
  'writeFiles',
  'accessLog',
  'sitemap',
  'indexnowKey',
  'indexnowEndpoint',
] as const satisfies readonly WatchOptionName[];

export type SiteOptionName = (typeof SITE_OPTION_NAMES)[number];
export type SiteOptions = Pick<WatchOptionValues, SiteOptionName>;
