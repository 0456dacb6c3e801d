/**
 * The options of a crawl in one table: name, parser, default and help sentence. The type, `--help`, the
 * environment variables, the configuration file and docs/options.md follow from it. Options are parsed once at the
 * edge, frozen and passed down.
 */

import { type ErrorCode, OrbweaverError } from '../errors.ts';
import { SHARES, type Share } from '../file-modes.ts';
import { didYouMean } from '../nearest.ts';
import { VERSION } from '../version.ts';
import { allowPrivate } from './allow-private.ts';
import { CLUSTER_OPTION_NAMES, type ClusterOptionName } from './cluster-options.ts';
import { flagName, type OptionSource, type OptionsOf, option, resolveTable } from './option-table.ts';
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

export { flagName } from './option-table.ts';
export { VERSION };

const none: readonly string[] = [];

export const CRAWL_OPTIONS = {
  limit: option(wholeNumber(0, 1e12), 0, 'stop when the copy holds this many pages; 0 is no limit'),
  depth: option(wholeNumber(0, 255), 10, 'follow links at most this many steps away from the seeds'),
  scope: option(oneOf(['page', 'prefix', 'host', 'domain', 'any']), 'host', 'which links belong to the crawl'),
  include: option(list, none, 'only URLs that match one of these patterns (* is any text, or /regex/)'),
  exclude: option(list, none, 'never URLs that match one of these patterns'),
  order: option(
    oneOf(['auto', 'breadth-first', 'depth-first', 'best-first', 'pvalue', 'backlink', 'opic', 'topic']),
    'auto',
    "which of a host's URLs come first; auto is topic where there is one, else breadth-first",
  ),
  pvalueForward: option(wholeNumber(0, 1_000_000), 1, 'order pvalue: weight of the links a page leads to (P4)'),
  pvalueBack: option(wholeNumber(0, 1_000_000), 1, 'order pvalue: weight of the links that lead to it'),
  pvalueMaturity: option(
    wholeNumber(1, 1e12),
    10_000,
    'order pvalue: pages at which both weights have half their effect',
  ),
  topic: option(maybeText, null, 'crawl for a topic: words and phrases, with commas between them (P3)'),
  topicExamples: option(maybeText, null, 'crawl for the topic of these pages: a file, or a folder of files'),
  topicThreshold: option(
    share,
    0.3,
    'relevance below which pages and URLs are off topic; the harvest rate counts pages from 0.5 on',
  ),
  topicSteps: option(wholeNumber(0, 255), 1, 'pages off topic in a row after which URLs below the threshold are cut'),
  images: option(flag, false, 'fetch the images of pages too, and follow them for changes'),
  assets: option(flag, false, 'fetch images, styles, scripts and media too, not only documents'),
  concurrency: option(wholeNumber(1, 4096), 256, 'requests under way or not yet committed, over all hosts'),
  perHost: option(wholeNumber(1, 256), 10, 'requests under way at one host (C5)'),
  delay: option(delayMs, null, 'pause between requests to one host; auto adapts to its answers (none on loopback)'),
  units: option(wholeNumber(0, 64), 0, 'crawler threads; 0 is one a core'),
  liveHosts: option(wholeNumber(1, 100_000), 512, 'hosts worked on at the same time'),
  patience: option(durationMs, 30_000, 'wait this long for retries before the crawl ends; the next run goes on'),
  watchers: option(
    flag,
    true,
    'ask sites for the report of a watcher, and believe one that has proved true (--no-watchers neither asks nor believes)',
  ),
  leaseWait: option(
    durationMs,
    30_000,
    'wait this long for a site whose watcher says that another crawler has it, then go on without the lease (W7)',
  ),
  leaseKey: option(
    list,
    none,
    'the key a watcher knows us by, "host|name:key": its lease is ours before that of unknown crawlers',
  ),
  otherSites: option(
    oneOf(['main', 'all']),
    'main',
    'of links to other sites on pages of a site with a watcher: only their main page, or all (W14)',
  ),
  render: option(oneOf(['never']), 'never', 'render pages in Chromium (this version: never)'),
  userAgent: option(text, `Orbweaver/${VERSION} (web crawler)`, 'who we say we are; add a contact of yours'),
  ignoreRobots: option(flag, false, 'do not ask for robots.txt (only for sites of your own)'),
  ignoreNofollow: option(flag, false, 'follow links and pages marked nofollow'),
  allowPrivate: option(
    allowPrivate,
    null,
    'reach private addresses: all of them, or only these hosts and networks; without it private seeds decide',
  ),
  timeout: option(durationMs, 60_000, 'longest time for one request'),
  connectTimeout: option(durationMs, 10_000, 'longest time to connect'),
  headersTimeout: option(durationMs, 30_000, 'longest wait for the response headers'),
  bodyTimeout: option(durationMs, 15_000, 'longest silence inside a body'),
  maxBody: option(sizeBytes, 10_000_000, 'largest body, counted after decoding; the rest is cut off'),
  maxHeaderBytes: option(sizeBytes, 65_536, 'largest response head'),
  maxLinks: option(wholeNumber(1, 1_000_000), 10_000, 'links taken from one page'),
  maxRedirects: option(wholeNumber(0, 100), 10, 'longest chain of redirects'),
  http2: option(flag, true, 'use HTTP/2 where an https server offers it'),
  proxy: option(proxyUrl, null, 'send requests through this http(s) proxy'),
  header: option(headerList, none, 'extra header "host|Name: value"; host * is every host'),
  auth: option(loginList, none, 'basic authentication "host|user:password"'),
  cookies: option(flag, false, 'keep cookies, per host, while the process runs'),
  sortQuery: option(flag, false, 'sort query parameters in the normal form'),
  dropTracking: option(flag, false, 'drop tracking parameters (utm_*, gclid, …) in the normal form'),
  keepFragment: option(oneOf(['never', 'hashbang']), 'never', 'which fragments are part of a URL'),
  maxUrlLength: option(wholeNumber(64, 65_536), 2_000, 'longer URLs are taken for a trap'),
  maxDirectories: option(wholeNumber(1, 1_000), 20, 'deeper paths are taken for a trap (C6)'),
  patternBudget: option(wholeNumber(1, 1e12), 10_000, 'URLs of one host and path pattern with parameters or dates'),
  maxSitemaps: option(wholeNumber(1, 1e9), 100_000, 'sitemaps of one host; further ones are taken for a trap'),
  learnParameters: option(
    flag,
    true,
    'find out which query parameters never change the content, and fetch their pages once (--no-learn-parameters)',
  ),
  nearDuplicate: option(
    share,
    0.8,
    'a page with this share of the fingerprints of an earlier one is its near duplicate (E5); 0 looks for none',
  ),
  fingerprintText: option(
    sizeBytes,
    4_000,
    'fingerprint so much of what a page says itself; of longer ones the beginning, and their size counts as well',
  ),
  fingerprintLength: option(wholeNumber(4, 200), 12, 'letters in a fingerprint: shorter runs in common go unnoticed'),
  fingerprintWindow: option(
    wholeNumber(1, 200),
    12,
    'fingerprints to choose one from: with the length, from how many letters on a run in common is noticed',
  ),
  archiveFile: option(sizeBytes, 1_000_000_000, 'start a new WARC file at this size'),
  share: option(
    oneOf(SHARES) as Parser<Share | null>,
    null,
    'who else on this machine may read the copy; a new one is for nobody else, one that exists stays as it is',
  ),
} as const;

export type OptionName = keyof typeof CRAWL_OPTIONS;
export type CrawlOptions = OptionsOf<typeof CRAWL_OPTIONS>;

export const OPTION_NAMES = Object.keys(CRAWL_OPTIONS) as OptionName[];

/** The name of any option: the configuration file and the environment apply to all commands. */
export type AnyOptionName = OptionName | RefreshOptionName | ClusterOptionName;

export const ALL_OPTION_NAMES: readonly AnyOptionName[] = [
  ...OPTION_NAMES,
  ...REFRESH_OPTION_NAMES,
  ...CLUSTER_OPTION_NAMES,
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
  'http2',
  'proxy',
  'header',
  'auth',
  'cookies',
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
    `${from}: no option ${unknownName(written)}${didYouMean(written, ALL_OPTION_NAMES.map(flagName))}`,
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
