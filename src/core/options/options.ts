/**
 * The options of a crawl in one table: name, parser, default and help sentence. The type, `--help`, the
 * environment variables, the configuration file and docs/options.md follow from it. Options are parsed once at the
 * edge, frozen and passed down.
 */

import { didYouMean } from '../did-you-mean.ts';
import { type ErrorCode, OrbweaverError } from '../errors.ts';
import { SHARES, type Share } from '../file-modes.ts';
import { VERSION } from '../version.ts';
import { allowPrivate } from './allow-private.ts';
import { CLUSTER_OPTION_NAMES, type ClusterOptionName } from './cluster-options.ts';
import { flagName, local, type OptionSource, type OptionsOf, resolveTable, rule, secret } from './option-table.ts';
import {
  delayMs,
  durationMs,
  flag,
  list,
  maybeText,
  oneOf,
  type Parser,
  share,
  sizeBytes,
  text,
  wholeNumber,
} from './option-values.ts';
import { REFRESH_OPTION_NAMES, type RefreshOptionName } from './refresh-options.ts';
import { headerList, loginList, proxyUrl, unknownName } from './secret-values.ts';
import { SERVE_OPTION_NAMES, type ServeOptionName } from './serve-options.ts';

export { flagName } from './option-table.ts';
export { VERSION };

const none: readonly string[] = [];

export const CRAWL_OPTIONS = {
  limit: rule(wholeNumber(0, 1e12), 0, 'stop when the copy has this many pages; 0 means no limit'),
  depth: rule(wholeNumber(0, 255), 10, 'follow links at most this many steps from the seeds'),
  scope: rule(oneOf(['page', 'prefix', 'host', 'domain', 'any']), 'host', 'which links belong to the crawl'),
  include: rule(list, none, 'crawl only URLs that match one of these patterns (* matches any text; or /regex/)'),
  exclude: rule(list, none, 'do not crawl URLs that match one of these patterns'),
  order: rule(
    oneOf(['auto', 'breadth-first', 'depth-first', 'best-first', 'pvalue', 'backlink', 'opic', 'topic']),
    'auto',
    'which URLs of a host are fetched first; auto means topic in a crawl with a topic, otherwise breadth-first',
  ),
  pvalueForward: rule(wholeNumber(0, 1_000_000), 1, 'order pvalue: weight of the links from a page (P4)'),
  pvalueBack: rule(wholeNumber(0, 1_000_000), 1, 'order pvalue: weight of the links to a page'),
  pvalueMaturity: rule(
    wholeNumber(1, 1e12),
    10_000,
    'order pvalue: pages at which both weights have half their effect',
  ),
  topic: rule(maybeText, null, 'crawl for a topic: words and phrases, separated by commas (P3)'),
  topicExamples: rule(maybeText, null, 'crawl for the topic of these example pages: a file, or a folder of files'),
  topicThreshold: rule(
    share,
    0.3,
    'pages and URLs with a lower relevance are off topic; the harvest rate counts pages with at least 0.5',
  ),
  topicSteps: rule(
    wholeNumber(0, 255),
    1,
    'consecutive off-topic pages after which URLs below the threshold are left out',
  ),
  sitemapOnly: rule(flag, false, 'crawl the pages that sitemaps list, and follow no links from pages'),
  images: rule(flag, false, 'also fetch the images of pages, and check them for changes'),
  assets: rule(flag, false, 'also fetch everything that pages are made of: images, styles, scripts, fonts, media'),
  guess: rule(
    flag,
    false,
    'also try strings in scripts, text and comments that look like URLs, while they are often right',
  ),
  concurrency: local(wholeNumber(1, 4096), 256, 'number of running and not yet committed requests, over all hosts'),
  perHost: rule(wholeNumber(1, 256), 10, 'number of concurrent requests to one host (C5)'),
  delay: rule(
    delayMs,
    null,
    'pause between requests to one host; auto adapts to its response times (none on loopback)',
  ),
  units: local(wholeNumber(0, 64), 0, 'number of crawler threads; 0 chooses by the number of cores'),
  liveHosts: local(wholeNumber(1, 100_000), 512, 'number of hosts that are crawled at the same time'),
  patience: rule(durationMs, 30_000, 'wait this long for retries before the crawl ends; the next run continues'),
  watchers: rule(flag, true, 'read the reports of watchers, and trust those that have proved correct (--no-watchers)'),
  leaseWait: rule(
    durationMs,
    30_000,
    'wait this long for a site that its watcher has leased to another crawler, then continue without the lease (W7)',
  ),
  leaseKey: secret(
    list,
    none,
    'key that identifies this crawler to a watcher, "host|name:key"; known crawlers get the lease before unknown ones',
  ),
  otherSites: rule(
    oneOf(['main', 'all']),
    'main',
    'links from a site with a watcher to other sites: follow only links to main pages, or all links (W14)',
  ),
  render: rule(oneOf(['never']), 'never', 'render pages in Chromium (this version cannot)'),
  userAgent: rule(
    text,
    `Orbweaver/${VERSION} (web crawler)`,
    'User-Agent of all requests; please add a contact address',
  ),
  ignoreRobots: rule(flag, false, 'do not read robots.txt (only for your own sites)'),
  ignoreNofollow: rule(flag, false, 'follow links and pages that are marked nofollow'),
  allowPrivate: rule(
    allowPrivate,
    null,
    'allow private addresses: all, or these hosts and networks (default: decided by the seeds)',
  ),
  timeout: rule(durationMs, 60_000, 'time limit for one request'),
  connectTimeout: rule(durationMs, 10_000, 'time limit for connecting'),
  headersTimeout: rule(durationMs, 30_000, 'time limit for the response headers'),
  bodyTimeout: rule(durationMs, 15_000, 'longest pause while a body is received'),
  maxBody: rule(sizeBytes, 10_000_000, 'largest body after decoding; the rest is cut off'),
  maxSitemapBody: rule(sizeBytes, 52_428_800, 'largest sitemap after decoding, if this is more than --max-body'),
  maxHeaderBytes: rule(sizeBytes, 65_536, 'largest size of the response headers'),
  maxLinks: rule(wholeNumber(1, 1_000_000), 10_000, 'largest number of different URLs that are used from one page'),
  maxRedirects: rule(wholeNumber(0, 100), 10, 'longest chain of redirects'),
  http2: rule(flag, true, 'use HTTP/2 if an https server offers it'),
  proxy: secret(proxyUrl, null, 'send requests through this http(s) proxy'),
  header: secret(headerList, none, 'send an extra header: "host|Name: value"; host * means every host'),
  auth: secret(loginList, none, 'use basic authentication: "host|user:password"'),
  cookies: rule(flag, false, 'keep the cookies of each host while the process runs'),
  followActions: rule(
    flag,
    false,
    'with cookies or a login, also follow links that change something (log out, delete, buy, vote …)',
  ),
  sortQuery: rule(flag, false, 'sort the query parameters of URLs'),
  dropTracking: rule(flag, false, 'remove tracking parameters (utm_*, gclid, …) from URLs'),
  keepFragment: rule(oneOf(['never', 'hashbang']), 'never', 'which fragments are part of a URL'),
  maxUrlLength: rule(wholeNumber(64, 65_536), 2_000, 'longer URLs count as a trap'),
  maxDirectories: rule(wholeNumber(1, 1_000), 20, 'paths with more directories count as a trap (C6)'),
  patternBudget: rule(
    wholeNumber(1, 1e12),
    10_000,
    'number of URLs of one host that a path pattern with parameters or dates may have without anything new; more count as a trap',
  ),
  maxSitemaps: rule(wholeNumber(1, 1e9), 100_000, 'number of sitemaps of one host; more count as a trap'),
  learnParameters: rule(
    flag,
    true,
    'learn which query parameters never change the content, and fetch each page once (--no-learn-parameters)',
  ),
  nearDuplicate: rule(
    share,
    0.8,
    'a page with this share of the fingerprints of an earlier page is its near duplicate (E5); 0 turns this off',
  ),
  revisits: rule(
    flag,
    false,
    'archive every visit of a refresh that finds a page unchanged, as a dated revisit record',
  ),
  search: rule(
    flag,
    true,
    'keep a search index of the copy beside the crawl (--no-search; orbweaver index makes it later)',
  ),
  archiveFile: local(sizeBytes, 1_000_000_000, 'start a new WARC file at this size'),
  share: local(
    oneOf(SHARES) as Parser<Share | null>,
    null,
    'who else on this machine may read the copy (default: nobody for a new copy; an existing one stays as it is)',
  ),
} as const;

export type OptionName = keyof typeof CRAWL_OPTIONS;
export type CrawlOptions = OptionsOf<typeof CRAWL_OPTIONS>;

export const OPTION_NAMES = Object.keys(CRAWL_OPTIONS) as OptionName[];

/** The name of any option: the configuration file and the environment apply to all commands. */
export type AnyOptionName = OptionName | RefreshOptionName | ClusterOptionName | ServeOptionName;

export const ALL_OPTION_NAMES: readonly AnyOptionName[] = [
  ...OPTION_NAMES,
  ...REFRESH_OPTION_NAMES,
  ...CLUSTER_OPTION_NAMES,
  ...SERVE_OPTION_NAMES,
];

/**
 * Options that control the requests of a run. They may differ between refreshes; the other
 * options stay as in the crawl.
 */
export const ASKING_OPTIONS = [
  'images',
  'concurrency',
  'perHost',
  'delay',
  'units',
  'liveHosts',
  'patience',
  'watchers',
  'leaseWait',
  'leaseKey',
  'userAgent',
  'ignoreRobots',
  'allowPrivate',
  'timeout',
  'connectTimeout',
  'headersTimeout',
  'bodyTimeout',
  'maxBody',
  'maxSitemapBody',
  'http2',
  'proxy',
  'header',
  'auth',
  'cookies',
  'followActions',
  'revisits',
  'search',
  'archiveFile',
  'share',
] as const satisfies readonly OptionName[];

/** The unparsed values of one source, by option name. */
export type GivenOptions = Partial<Record<AnyOptionName, unknown>>;

export function resolveOptions(sources: readonly OptionSource[]): CrawlOptions {
  return resolveTable(CRAWL_OPTIONS, sources);
}

/** Finds the option with this written name. A misspelt name is refused, and the message suggests the right one. */
export function optionNamed(written: string, from: string, code: ErrorCode = 'ERR_UNKNOWN_OPTION'): AnyOptionName {
  const found = ALL_OPTION_NAMES.find((name) => flagName(name) === written || name === written);
  if (found) return found;
  throw new OrbweaverError(
    code,
    `${from}: there is no option ${unknownName(written)}${didYouMean(written, ALL_OPTION_NAMES.map(flagName))}`,
  );
}

export function optionsFromEnvironment(env: NodeJS.ProcessEnv): GivenOptions {
  const given: GivenOptions = {};
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('ORBWEAVER_') || value === undefined) continue;
    // The watcher reads its own variables, because it may be another program.
    if (variable.startsWith('ORBWEAVER_WATCHER_')) continue;
    const written = variable.slice('ORBWEAVER_'.length).toLowerCase().replaceAll('_', '-');
    given[optionNamed(written, `environment variable ${variable}`)] = value;
  }
  return given;
}
