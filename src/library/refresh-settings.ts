/**
 * What a program may set of a refresh: every option of core/refresh-options.ts and, of the crawl's, those that say how to ask;
 * the rest is as the copy was crawled. In the same style as those of a crawl (crawl-settings.ts), and refused as early.
 */
import type { KeepRule } from '../core/keep-rule.ts';
import { ASKING_OPTIONS, CRAWL_OPTIONS, type CrawlOptions } from '../core/options.ts';
import { REFRESH_OPTIONS, type RefreshOptions, resolveRefreshOptions } from '../core/refresh-options.ts';
import { listenersFrom } from '../crawl/deliver/listeners-from.ts';
import { noiseBookOf } from '../crawl/noise-book.ts';
import { checkedSettings, checkFolder, checkSignal, type Given } from './given-settings.ts';

type AskingName = (typeof ASKING_OPTIONS)[number];
type AskingSettings = { readonly [Name in AskingName]?: Given<CrawlOptions[Name]> | undefined };
type PlanSettings = {
  readonly [Name in Exclude<keyof RefreshOptions, 'keep'>]?: Given<RefreshOptions[Name]> | undefined;
};

export interface RefreshSettings extends AskingSettings, PlanSettings {
  /** The folder of the copy. */
  readonly dir: string;
  /** Versions of a page to keep: `'all'`, a number, or a time such as `'90d'`. */
  readonly keep?: string | number | KeepRule | undefined;
  /** Ends the refresh at once; what was committed is safe. The iteration throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadRefreshSettings {
  readonly dir: string;
  readonly signal: AbortSignal | null;
  /** Of the crawl's options, not yet joined with those the copy was crawled with. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly refresh: RefreshOptions;
}

const CALLER = 'refresh()';
const ASKING = Object.fromEntries(ASKING_OPTIONS.map((name) => [name, CRAWL_OPTIONS[name]]));

export function readRefreshSettings(settings: RefreshSettings): ReadRefreshSettings {
  const { dir, signal = null, ...options } = settings ?? {};
  checkFolder(CALLER, dir);
  checkSignal(CALLER, signal);
  const given = checkedSettings(CALLER, { ...REFRESH_OPTIONS, ...ASKING }, ['dir', 'signal'], options);
  const refresh = resolveRefreshOptions([{ from: `settings of ${CALLER}`, given }]);
  noiseBookOf(refresh);
  listenersFrom(refresh);
  return { dir, signal, given, refresh };
}
