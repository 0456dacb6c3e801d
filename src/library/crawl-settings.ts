/**
 * What a program may set of a crawl: every option of core/options.ts by its own name, as a value or as the text the command
 * line takes, and where the copy is kept and what ends it. Out: the options, parsed and frozen. Anything wrong is thrown at
 * once, before a folder is made or a thread is begun.
 *
 * Neither the environment nor a config.yaml is read: what a program does is in the program.
 */
import { OrbweaverError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';
import { CRAWL_OPTIONS, type CrawlOptions, OPTION_NAMES, type OptionName, resolveOptions } from '../core/options.ts';
import type { Order } from '../frontier/order.ts';

/** Numbers and lists may be given as text too; words are those of the table. */
type Given<T> = T extends number
  ? number | string
  : T extends readonly string[]
    ? string | readonly string[]
    : T extends null
      ? never
      : T;

export type OptionSettings = { readonly [Name in OptionName]?: Given<CrawlOptions[Name]> | undefined };

export interface CrawlSettings extends Omit<OptionSettings, 'order'> {
  /** One of the orders there are, or one of your own (docs/orders.md). */
  readonly order?: OptionSettings['order'] | Order;
  /** Where everything of the crawl is kept; a folder that has a crawl is gone on with. Without it the copy is temporary. */
  readonly dir?: string | undefined;
  /** Ends the crawl at once; what was committed is safe. The iteration throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadSettings {
  readonly dir: string | null;
  readonly signal: AbortSignal | null;
  readonly options: CrawlOptions;
  /** One of the program's own. */
  readonly order: Order | null;
}

export function readSettings(settings: CrawlSettings): ReadSettings {
  const { dir = null, signal = null, order: wanted, ...others } = settings;
  const order = typeof wanted === 'object' ? checkedOrder(wanted) : null;
  const rest = order === null ? { ...others, order: wanted } : others;
  if (dir !== null && (typeof dir !== 'string' || dir === '')) throw refusal('dir', 'needs the path of a folder');
  if (signal !== null && !(signal instanceof AbortSignal)) throw refusal('signal', 'needs an AbortSignal');
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined) given[known(name)] = checked(name as OptionName, value);
  }
  return { dir, signal, order, options: resolveOptions([{ from: 'settings of crawl()', given }]) };
}

function known(name: string): OptionName {
  const found = OPTION_NAMES.find((candidate) => candidate === name);
  if (found !== undefined) return found;
  const hint = didYouMean(name, [...OPTION_NAMES, 'dir', 'signal']);
  throw new OrbweaverError('ERR_UNKNOWN_OPTION', `crawl() has no option "${name}"${hint}`);
}

function checkedOrder(order: Order): Order {
  if (typeof order?.name !== 'string' || order.name === '' || typeof order.rank !== 'function') {
    throw refusal('order', 'needs the name of an order, or an object with a name and a rank function');
  }
  if (order.follows === 'score' && order.book === undefined)
    throw refusal('order', 'follows a score, and needs a book');
  const { lists } = order;
  if (lists !== undefined && !(lists.length > 0 && lists.every((share) => Number.isInteger(share) && share > 0))) {
    throw refusal('order', 'needs lists of whole numbers above 0, such as [4, 2, 1]');
  }
  return order;
}

function checked(name: OptionName, value: unknown): unknown {
  const { parse } = CRAWL_OPTIONS[name];
  // The command line reads 30 as seconds, most of JavaScript as milliseconds: whoever writes it must say which.
  if (parse.hint.startsWith('<time>') && typeof value === 'number' && value !== 0) {
    throw refusal(name, `needs its unit: write '${value}ms' or '${value}s'`);
  }
  try {
    parse(value);
    return value;
  } catch (error) {
    throw refusal(name, (error as Error).message);
  }
}

function refusal(name: string, problem: string): OrbweaverError {
  return new OrbweaverError('ERR_BAD_OPTION', `option ${name} of crawl() ${problem}`);
}
