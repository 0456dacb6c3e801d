/**
 * An order ranks the waiting URLs of a host. The lowest rank is fetched first; equal ranks are fetched in the order of
 * discovery. A URL is ranked when it is found, and again when the value that the order follows has grown enough to
 * matter. The store keeps each queue sorted by an index, so no queue is ever sorted as a whole.
 *
 * No order may starve a URL for ever. Each file says why its order does not.
 */
import { backlink } from './orders/backlink.ts';
import { bestFirst } from './orders/best-first.ts';
import { breadthFirst } from './orders/breadth-first.ts';
import { depthFirst } from './orders/depth-first.ts';
import { opic } from './orders/opic.ts';
import { pvalue } from './orders/pvalue.ts';
import { topic } from './orders/topic.ts';
import type { ScoreBook } from './score-book.ts';

/** The known facts about a waiting URL. A fact that the order does not follow may be older than the last page. */
export interface WaitingUrl {
  readonly url: string;
  /** Number of links between the seeds and this URL. */
  readonly depth: number;
  /** Number of URLs that were known when this URL was found. It is the crawl's own clock. */
  readonly foundAt: number;
  /** Number of pages that link to this URL. */
  readonly backlinks: number;
  /** Expected number of links on the page: the mean of the fetched pages of its directory. */
  readonly forwardLinks: number;
  /** Expected relevance for the topic, from 0 to 1. 0 without a topic. */
  readonly relevance: number;
  /** The score from the order's score book. 0 without a book. */
  readonly score: number;
  /** Number of pages that the crawl has. */
  readonly pages: number;
}

export interface Order {
  readonly name: string;
  rank(url: WaitingUrl): number;
  /** The value whose growth causes a waiting URL to be ranked again. If it is absent, URLs are never ranked again. */
  readonly follows?: 'backlinks' | 'score' | 'relevance';
  /**
   * True if the ranks also change with the size of the copy. All waiting URLs are then ranked again, a few at a time.
   */
  readonly drifts?: boolean;
  /** Makes the score book of an order that follows the score. */
  readonly book?: () => ScoreBook;
  /**
   * Splits the queue into `lists.length` ranked lists of equal length. For every `lists[0]` URLs of the first list,
   * `lists[1]` URLs of the second list are fetched, and so on. The default is one list.
   */
  readonly lists?: readonly number[];
}

export const ORDERS = {
  'breadth-first': () => breadthFirst,
  'depth-first': () => depthFirst,
  'best-first': () => bestFirst,
  pvalue,
  backlink: () => backlink,
  opic: () => opic,
  topic: () => topic,
} satisfies Record<string, (settings: OrderSettings) => Order>;

export interface OrderSettings {
  readonly pvalueForward: number;
  readonly pvalueBack: number;
  readonly pvalueMaturity: number;
}

export function orderNamed(name: string, settings: OrderSettings): Order {
  const make = ORDERS[name as keyof typeof ORDERS];
  if (!make) throw new RangeError(`no order ${name}`);
  return make(settings);
}
