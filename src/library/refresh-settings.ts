/**
 * The settings of a refresh in a program: every option of core/options/refresh-options.ts, and the crawl options that
 * control the requests. The other options stay as in the crawl. The style is that of crawl-settings.ts, and invalid
 * settings are refused as early.
 */
import type { KeepRule } from '../core/options/keep-rule.ts';
import { ASKING_OPTIONS, CRAWL_OPTIONS, type CrawlOptions } from '../core/options/options.ts';
import { REFRESH_OPTIONS, type RefreshOptions, resolveRefreshOptions } from '../core/options/refresh-options.ts';
import { listenersFrom } from '../crawl/delivery/listeners-from.ts';
import { noiseBookOf } from '../crawl/unit/noise-book.ts';
import { checkedSettings, checkFolder, checkSignal, type Given } from './given-settings.ts';

type AskingName = (typeof ASKING_OPTIONS)[number];
type AskingSettings = { readonly [Name in AskingName]?: Given<CrawlOptions[Name]> | undefined };
type PlanSettings = {
  readonly [Name in Exclude<keyof RefreshOptions, 'keep'>]?: Given<RefreshOptions[Name]> | undefined;
};

export interface RefreshSettings extends AskingSettings, PlanSettings {
  /** The data folder of the copy. */
  readonly dir: string;
  /** Versions of a page to keep: `'all'`, a number, or a time such as `'90d'`. */
  readonly keep?: string | number | KeepRule | undefined;
  /** Ends the refresh at once. Committed data are safe. The iteration throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadRefreshSettings {
  readonly dir: string;
  readonly signal: AbortSignal | null;
  /** The given crawl options, not yet merged with the stored options of the copy. */
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
