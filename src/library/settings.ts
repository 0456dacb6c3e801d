/**
 * The settings of a crawl and of a refresh in a program. In: options of the tables in core/options by their names, as
 * values or as the text of the command line, the data folder and the abort signal. Out: the options, parsed and frozen.
 *
 * What always holds: invalid settings throw at once, before a folder is created or a thread is started. For an unknown
 * name the message suggests the nearest known name. The environment and config.yaml are not read, so the program alone
 * controls its run.
 */

import { didYouMean } from '../core/did-you-mean.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { KeepRule } from '../core/options/keep-rule.ts';
import type { OptionSource, OptionTable } from '../core/options/option-table.ts';
import {
  ASKING_OPTIONS,
  CRAWL_OPTIONS,
  type CrawlOptions,
  type OptionName,
  resolveOptions,
} from '../core/options/options.ts';
import { REFRESH_OPTIONS, type RefreshOptions, resolveRefreshOptions } from '../core/options/refresh-options.ts';
import { listenersFrom } from '../crawl/delivery/listeners-from.ts';
import { noiseBookOf } from '../crawl/unit/change/noise-options.ts';
import type { Order } from '../frontier/order.ts';

/** Numbers and lists may also be given as text. Other words are the words of the table. */
type Given<T> = T extends number
  ? number | string
  : T extends readonly string[]
    ? string | readonly string[]
    : T extends null
      ? never
      : T;

type OptionSettings = { readonly [Name in OptionName]?: Given<CrawlOptions[Name]> | undefined };

export interface CrawlSettings extends Omit<OptionSettings, 'order'> {
  /** The name of a built-in order, or an order of your own (docs/orders.md). */
  readonly order?: OptionSettings['order'] | Order;
  /** The data folder. A crawl that exists there is resumed by its rules. Without `dir` the copy is temporary. */
  readonly dir?: string | undefined;
  /** Adds the seeds to the crawl in `dir`, even if it has none of them. */
  readonly add?: boolean | undefined;
  /** Ends the crawl at once. Committed data are safe. The iteration throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadSettings {
  readonly dir: string | null;
  readonly signal: AbortSignal | null;
  readonly adds: boolean;
  /** The given options, not yet merged with the rules of a crawl in the folder. */
  readonly source: OptionSource;
  readonly options: CrawlOptions;
  /** The program's own order, if it gave one. */
  readonly order: Order | null;
}

export function readSettings(settings: CrawlSettings): ReadSettings {
  const { dir = null, signal = null, add: adds = false, order: wanted, ...others } = settings;
  const order = typeof wanted === 'object' ? checkedOrder(wanted) : null;
  const rest = order === null ? { ...others, order: wanted } : others;
  if (dir !== null) checkFolder('crawl()', dir);
  checkSignal('crawl()', signal);
  if (typeof adds !== 'boolean') throw refusal('crawl()', 'add', 'must be true or false');
  const source = { from: 'settings of crawl()', given: checkedSettings('crawl()', CRAWL_OPTIONS, rest) };
  return { dir, signal, adds, order, source, options: resolveOptions([source]) };
}

function checkedOrder(order: Order): Order {
  if (typeof order?.name !== 'string' || order.name === '' || typeof order.rank !== 'function') {
    throw refusal('crawl()', 'order', 'needs the name of an order, or an object with a name and a rank function');
  }
  if (order.follows === 'score' && order.book === undefined) {
    throw refusal('crawl()', 'order', 'follows a score, so it needs a book');
  }
  const { lists } = order;
  if (lists !== undefined && !(lists.length > 0 && lists.every((share) => Number.isInteger(share) && share > 0))) {
    throw refusal('crawl()', 'order', 'needs lists of whole numbers above 0, such as [4, 2, 1]');
  }
  return order;
}

type AskingName = (typeof ASKING_OPTIONS)[number];
type AskingSettings = { readonly [Name in AskingName]?: Given<CrawlOptions[Name]> | undefined };
type PlanSettings = {
  readonly [Name in Exclude<keyof RefreshOptions, 'keep'>]?: Given<RefreshOptions[Name]> | undefined;
};

/** Every option of a refresh, and the crawl options that control the requests. The others stay as in the crawl. */
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
  /** The given options, not yet merged with the rules of the copy. */
  readonly source: OptionSource;
  readonly refresh: RefreshOptions;
}

const ASKING = Object.fromEntries(ASKING_OPTIONS.map((name) => [name, CRAWL_OPTIONS[name]]));

export function readRefreshSettings(settings: RefreshSettings): ReadRefreshSettings {
  const { dir, signal = null, ...options } = settings ?? {};
  checkFolder('refresh()', dir);
  checkSignal('refresh()', signal);
  const given = checkedSettings('refresh()', { ...REFRESH_OPTIONS, ...ASKING }, options);
  const source = { from: 'settings of refresh()', given };
  const refresh = resolveRefreshOptions([source]);
  noiseBookOf(refresh);
  listenersFrom(refresh);
  return { dir, signal, source, refresh };
}

/** Undefined values are ignored. */
function checkedSettings(
  caller: string,
  table: OptionTable,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(table, name)) {
      const hint = didYouMean(name, [...Object.keys(table), 'dir', 'signal', 'add']);
      throw new OrbweaverError('ERR_UNKNOWN_OPTION', `${caller} has no option "${name}"${hint}`);
    }
    given[name] = checked(caller, table, name, value);
  }
  return given;
}

function checked(caller: string, table: OptionTable, name: string, value: unknown): unknown {
  const { parse } = table[name]!;
  // The command line reads 30 as seconds, but most JavaScript code means milliseconds. The program must give the unit.
  if (parse.hint.startsWith('<time>') && typeof value === 'number' && value !== 0) {
    throw refusal(caller, name, `needs its unit: write '${value}ms' or '${value}s'`);
  }
  try {
    parse(value);
    return value;
  } catch (error) {
    throw refusal(caller, name, (error as Error).message);
  }
}

function checkSignal(caller: string, signal: unknown): void {
  if (signal !== null && !(signal instanceof AbortSignal)) throw refusal(caller, 'signal', 'needs an AbortSignal');
}

function checkFolder(caller: string, dir: unknown): void {
  if (typeof dir !== 'string' || dir === '') throw refusal(caller, 'dir', 'needs the path of a folder');
}

function refusal(caller: string, name: string, problem: string): OrbweaverError {
  return new OrbweaverError('ERR_BAD_OPTION', `option ${name} of ${caller} ${problem}`);
}
