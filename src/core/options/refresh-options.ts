/** The options of a refresh. Like the table in options.ts, this table defines everything about its options. */
import { KEEP_ALL, keepRule } from './keep-rule.ts';
import { type OptionSource, type OptionsOf, option, resolveTable } from './option-table.ts';
import { durationMs, flag, list, maybeText, oneOf, type Parser, share, wholeNumber } from './option-values.ts';

const none: readonly string[] = [];
const maybeTime = durationMs as Parser<number | null>;
const maybeShare = share as Parser<number | null>;

export const REFRESH_OPTIONS = {
  policy: option(
    oneOf(['adaptive', 'uniform', 'rank', 'top-levels', 'watcher', 'nutch']),
    'adaptive',
    'which pages are visited first',
  ),
  budget: option(wholeNumber(0, 1e12), 0, 'send at most this many requests, per round with --watch; 0 means no limit'),
  hostBudget: option(wholeNumber(0, 1e12), 0, 'visit at most this many pages of one host per round; 0 means no limit'),
  time: option(maybeTime, null, 'stop after this time'),
  due: option(maybeShare, null, 'visit only pages with at least this chance of a change (default 0; with --watch 0.2)'),
  minInterval: option(durationMs, 0, 'wait at least this long before a page is visited again'),
  maxInterval: option(durationMs, 30 * 86_400_000, 'visit every page at least this often, even if no change is likely'),
  only: option(list, none, 'visit only pages that match one of these patterns (* matches any text; or /regex/)'),
  topLevels: option(wholeNumber(1, 255), 3, 'policy top-levels: number of levels of depth that are visited'),
  weight: option(oneOf(['rank', 'equal']), 'rank', 'importance of a page: its PageRank, or the same for all pages'),
  weights: option(list, none, 'factors of the importance: "pattern|number"; the first matching pattern counts'),
  noise: option(
    oneOf(['tell', 'change']),
    'tell',
    'a difference that is only noise is reported apart and is no change (tell), or counts as a change (change)',
  ),
  ignore: option(list, none, 'parts of pages whose changes are noise: "host|selector"; host * means every host'),
  noiseOff: option(list, none, 'names of noise rules to turn off (docs/noise.md)'),
  sources: option(flag, true, 'trust sitemaps and feeds that have proved correct (--no-sources visits all pages)'),
  watch: option(flag, false, 'continue until stopped, with a round every --every'),
  every: option(durationMs, 15 * 60_000, 'with --watch: time from the start of one round to the next'),
  keep: option(keepRule, KEEP_ALL, 'versions of a page to keep: all, a number, or those of a period such as 90d'),
  onChange: option(maybeText, null, 'run this command; it reads the changes as JSON lines from its standard input'),
  webhook: option(maybeText, null, 'post the changes to this URL, signed, and retry until they arrive'),
  webhookSecret: option(maybeText, null, 'secret that signs webhooks; safer in ORBWEAVER_WEBHOOK_SECRET'),
  feed: option(maybeText, null, 'write the newest changes to this Atom file'),
  tellNoise: option(flag, false, 'also deliver differences that are only noise'),
} as const;

export type RefreshOptionName = keyof typeof REFRESH_OPTIONS;
export type RefreshOptions = OptionsOf<typeof REFRESH_OPTIONS>;

export const REFRESH_OPTION_NAMES = Object.keys(REFRESH_OPTIONS) as RefreshOptionName[];

export function resolveRefreshOptions(sources: readonly OptionSource[]): RefreshOptions {
  return resolveTable(REFRESH_OPTIONS, sources);
}
