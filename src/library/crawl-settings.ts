/**
 * What a program may set of a crawl: every option of core/options.ts by its own name, as a value or as the text the command
 * line takes, and where the copy is kept and what ends it. Out: the options, parsed and frozen. Anything wrong is thrown at
 * once, before a folder is made or a thread is begun.
 *
 * Neither the environment nor a config.yaml is read: what a program does is in the program.
 */
import { CRAWL_OPTIONS, type CrawlOptions, type OptionName, resolveOptions } from '../core/options.ts';
import type { Order } from '../frontier/order.ts';
import { checkedSettings, checkFolder, checkSignal, type Given, refusal } from './given-settings.ts';

const CALLER = 'crawl()';

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
  if (dir !== null) checkFolder(CALLER, dir);
  checkSignal(CALLER, signal);
  const given = checkedSettings(CALLER, CRAWL_OPTIONS, ['dir', 'signal'], rest);
  return { dir, signal, order, options: resolveOptions([{ from: `settings of ${CALLER}`, given }]) };
}

function checkedOrder(order: Order): Order {
  if (typeof order?.name !== 'string' || order.name === '' || typeof order.rank !== 'function') {
    throw refusal(CALLER, 'order', 'needs the name of an order, or an object with a name and a rank function');
  }
  if (order.follows === 'score' && order.book === undefined)
    throw refusal(CALLER, 'order', 'follows a score, and needs a book');
  const { lists } = order;
  if (lists !== undefined && !(lists.length > 0 && lists.every((share) => Number.isInteger(share) && share > 0))) {
    throw refusal(CALLER, 'order', 'needs lists of whole numbers above 0, such as [4, 2, 1]');
  }
  return order;
}
