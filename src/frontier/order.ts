/**
 * An order ranks a host's waiting URLs: the lowest rank is fetched first, equal ranks in the order of discovery. A rank is
 * given when a URL is found, and again when what the order follows has grown enough to matter; the store keeps each queue
 * sorted by an index, so that nothing is ever sorted as a whole.
 *
 * No order may starve a URL for ever; each file says why it does not.
 */
import { backlink } from './orders/backlink.ts';
import { bestFirst } from './orders/best-first.ts';
import { breadthFirst } from './orders/breadth-first.ts';
import { depthFirst } from './orders/depth-first.ts';
import { opic } from './orders/opic.ts';
import { pvalue } from './orders/pvalue.ts';
import { topic } from './orders/topic.ts';
import type { ScoreBook } from './score-book.ts';

/** What is known of a URL that waits. What an order does not follow may be older than the last page. */
export interface WaitingUrl {
  readonly url: string;
  /** Links between the seeds and this URL. */
  readonly depth: number;
  /** How many URLs were known when it was found: the crawl's own clock. */
  readonly foundAt: number;
  /** Pages that link to it. */
  readonly backlinks: number;
  /** Links that pages like it have: the mean of those in its directory. */
  readonly forwardLinks: number;
  /** From 0 to 1, how much it promises for the topic; 0 without one. */
  readonly relevance: number;
  /** What the order's own book says; 0 without one. */
  readonly score: number;
  /** Pages the crawl has. */
  readonly pages: number;
}

export interface Order {
  readonly name: string;
  rank(url: WaitingUrl): number;
  /** What makes a waiting URL be ranked again; nothing, unless said otherwise. */
  readonly follows?: 'backlinks' | 'score' | 'relevance';
  /** Its ranks change with the size of the copy too: all that wait are ranked anew, a few at a time. */
  readonly drifts?: boolean;
  /** For an order that follows the score. */
  readonly book?: () => ScoreBook;
  /**
   * Several ranked frontiers in one queue: it is cut into as many lists of equal length, and for every `lists[0]` URLs of the
   * first there are `lists[1]` of the second, and so on. One list, unless said otherwise.
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
