/**
 * The settings of a crawl in a program: every option of core/options/options.ts by its name, as a value or as the text
 * of the command line, and also the data folder and the abort signal. Out: the options, parsed and frozen. Invalid
 * settings throw at once, before a folder is created or a thread is started.
 *
 * The environment and config.yaml are not read, so the program alone controls its crawl.
 */
import { CRAWL_OPTIONS, type CrawlOptions, type OptionName, resolveOptions } from '../core/options/options.ts';
import type { Order } from '../frontier/order.ts';
import { checkedSettings, checkFolder, checkSignal, type Given, refusal } from './given-settings.ts';

const CALLER = 'crawl()';

export type OptionSettings = { readonly [Name in OptionName]?: Given<CrawlOptions[Name]> | undefined };

export interface CrawlSettings extends Omit<OptionSettings, 'order'> {
  /** The name of a built-in order, or an order of your own (docs/orders.md). */
  readonly order?: OptionSettings['order'] | Order;
  /** The data folder. A crawl that exists there is resumed. Without `dir` the copy is temporary. */
  readonly dir?: string | undefined;
  /** Ends the crawl at once. Committed data are safe. The iteration throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadSettings {
  readonly dir: string | null;
  readonly signal: AbortSignal | null;
  readonly options: CrawlOptions;
  /** The program's own order, if it gave one. */
  readonly order: Order | null;
}

export function readSettings(settings: CrawlSettings): ReadSettings {
  const { dir = null, signal = null, order: wanted, ...others } = settings;
  const order = typeof wanted === 'object' ? checkedOrder(wanted) : null;
  const rest = order === null ? { ...others, order: wanted } : others;
  if (dir !== null) checkFolder(CALLER, dir);
  checkSignal(CALLER, signal);
  const given = checkedSettings(CALLER, CRAWL_OPTIONS, ['dir', 'signal'], rest);
  return { dir, signal, order, options: resolveOptions([{ from: `settings of ${CALLER}`, given }]) };
}

function checkedOrder(order: Order): Order {
  if (typeof order?.name !== 'string' || order.name === '' || typeof order.rank !== 'function') {
    throw refusal(CALLER, 'order', 'needs the name of an order, or an object with a name and a rank function');
  }
  if (order.follows === 'score' && order.book === undefined) {
    throw refusal(CALLER, 'order', 'follows a score, so it needs a book');
  }
  const { lists } = order;
  if (lists !== undefined && !(lists.length > 0 && lists.every((share) => Number.isInteger(share) && share > 0))) {
    throw refusal(CALLER, 'order', 'needs lists of whole numbers above 0, such as [4, 2, 1]');
  }
  return order;
}
