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
    'which pages come first',
  ),
  budget: option(wholeNumber(0, 1e12), 0, 'at most this many requests, in each round with --watch; 0 is no limit'),
  hostBudget: option(wholeNumber(0, 1e12), 0, 'at most this many pages of one host a round; 0 is no limit'),
  time: option(maybeTime, null, 'at most this long'),
  due: option(
    maybeShare,
    null,
    'only pages that have changed with at least this chance (default 0, all; with --watch 0.2)',
  ),
  minInterval: option(durationMs, 0, 'leave a page alone for at least this long'),
  maxInterval: option(durationMs, 30 * 86_400_000, 'look at every page at least this often, whatever it promises'),
  only: option(list, none, 'only pages that match one of these patterns (* is any text, or /regex/)'),
  topLevels: option(wholeNumber(1, 255), 3, 'policy top-levels: how many levels of depth are looked at'),
  weight: option(oneOf(['rank', 'equal']), 'rank', "a page's importance: its PageRank, or the same for all"),
  weights: option(list, none, 'importance by hand: "pattern|number", the first that matches multiplies'),
  noise: option(
    oneOf(['tell', 'change']),
    'tell',
    'what changed only in noise is told apart, and counts as no change; or it counts as one',
  ),
  ignore: option(list, none, 'parts of pages whose changes are noise: "host|selector"; host * is every host'),
  noiseOff: option(list, none, 'rules of noise that are not to hold, by name (docs/noise.md)'),
  sources: option(flag, true, 'believe sitemaps and feeds that have proved true (--no-sources visits all)'),
  watch: option(flag, false, 'go on until stopped, a round every --every'),
  every: option(durationMs, 15 * 60_000, 'time from one round to the next with --watch'),
  keep: option(keepRule, KEEP_ALL, 'versions of a page to keep: all, a number, or those of a time such as 90d'),
  onChange: option(maybeText, null, 'run this command with changes as JSON lines on its standard input'),
  webhook: option(maybeText, null, 'post changes to this URL, signed, until they arrive'),
  webhookSecret: option(maybeText, null, 'what webhooks are signed with; better in ORBWEAVER_WEBHOOK_SECRET'),
  feed: option(maybeText, null, 'keep the newest changes in this Atom file'),
  tellNoise: option(flag, false, 'deliver what changed only in noise, too'),
} as const;

export type RefreshOptionName = keyof typeof REFRESH_OPTIONS;
export type RefreshOptions = OptionsOf<typeof REFRESH_OPTIONS>;

export const REFRESH_OPTION_NAMES = Object.keys(REFRESH_OPTIONS) as RefreshOptionName[];

export function resolveRefreshOptions(sources: readonly OptionSource[]): RefreshOptions {
  return resolveTable(REFRESH_OPTIONS, sources);
}
