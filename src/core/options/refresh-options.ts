/** The options of a refresh. Like the table in options.ts, this table defines everything about its options. */
import { CHANGE_LEVELS } from '../page/change-class.ts';
import { KEEP_ALL, keepRule } from './keep-rule.ts';
import { local, type OptionSource, type OptionsOf, resolveTable, rule, secret } from './option-table.ts';
import { durationMs, flag, list, maybeText, oneOf, type Parser, share, wholeNumber } from './option-values.ts';

const none: readonly string[] = [];
const maybeTime = durationMs as Parser<number | null>;
const maybeShare = share as Parser<number | null>;

export const REFRESH_OPTIONS = {
  policy: local(
    oneOf(['adaptive', 'uniform', 'rank', 'top-levels', 'watcher', 'nutch']),
    'adaptive',
    'which pages are visited first',
  ),
  budget: local(wholeNumber(0, 1e12), 0, 'send at most this many requests, per round with --watch; 0 means no limit'),
  hostBudget: local(wholeNumber(0, 1e12), 0, 'visit at most this many pages of one host per round; 0 means no limit'),
  time: local(maybeTime, null, 'stop after this time'),
  due: local(maybeShare, null, 'visit only pages with at least this chance of a change (default 0; with --watch 0.2)'),
  minInterval: local(durationMs, 0, 'wait at least this long before a page is visited again'),
  maxInterval: local(durationMs, 30 * 86_400_000, 'visit every page at least this often, even if no change is likely'),
  only: local(list, none, 'visit only pages that match one of these patterns (* matches any text; or /regex/)'),
  topLevels: local(wholeNumber(1, 255), 3, 'policy top-levels: number of levels of depth that are visited'),
  weight: local(oneOf(['rank', 'equal']), 'rank', 'importance of a page: its PageRank, or the same for all pages'),
  weights: local(list, none, 'factors of the importance: "pattern|number"; the first matching pattern counts'),
  level: rule(
    oneOf(CHANGE_LEVELS),
    'content',
    'the changes that count: content; layout counts markup and styles too; hidden counts every other byte',
  ),
  ignore: rule(list, none, 'parts of pages whose changes are noise: "host|selector"; host * means every host'),
  onlyIn: rule(
    list,
    none,
    'the only parts of pages whose changes are content: "host|selector"; pages of other hosts count as a whole',
  ),
  noiseOff: rule(list, none, 'names of noise rules to turn off (docs/noise.md)'),
  learnNoise: rule(
    flag,
    true,
    'learn which regions of the pages of a host differ without meaning (--no-learn-noise reports all of them)',
  ),
  sources: local(flag, true, 'trust sitemaps and feeds that have proved correct (--no-sources visits all pages)'),
  watch: local(flag, false, 'continue until stopped, with a round every --every'),
  every: local(durationMs, 15 * 60_000, 'with --watch: time from the start of one round to the next'),
  keep: local(keepRule, KEEP_ALL, 'versions of a page to keep: all, a number, or those of a period such as 90d'),
  onChange: local(maybeText, null, 'run this command; it reads the changes as JSON lines from its standard input'),
  webhook: local(maybeText, null, 'post the changes to this URL, signed, and retry until they arrive'),
  webhookSecret: secret(maybeText, null, 'secret that signs webhooks; safer in ORBWEAVER_WEBHOOK_SECRET'),
  webhookFormat: local(
    oneOf(['auto', 'json', 'slack', 'discord', 'teams']),
    'auto',
    'form of the posts: JSON for programs or a chat message; auto knows the hosts of the chat services',
  ),
  when: local(list, none, 'deliver only changes whose new version meets one of these, such as "price < 100"'),
  quietHours: local(list, none, 'deliver nothing at these times: "22:00-07:00" or "sat,sun 00:00-24:00"'),
  digest: local(maybeText, null, 'deliver changes together: every "6h", or each day at "08:00"'),
  timeZone: local(
    maybeText,
    null,
    'time zone of quiet hours and digests, such as Europe/Berlin (default: this machine)',
  ),
  feed: local(maybeText, null, 'write the newest changes to this Atom file'),
  tellNoise: local(flag, false, 'also deliver differences that are only noise'),
} as const;

export type RefreshOptionName = keyof typeof REFRESH_OPTIONS;
export type RefreshOptions = OptionsOf<typeof REFRESH_OPTIONS>;

export const REFRESH_OPTION_NAMES = Object.keys(REFRESH_OPTIONS) as RefreshOptionName[];

export function resolveRefreshOptions(sources: readonly OptionSource[]): RefreshOptions {
  return resolveTable(REFRESH_OPTIONS, sources);
}
