/**
 * An order ranks the waiting URLs of a host. The lowest rank is fetched first; equal ranks are fetched in the order of
 * discovery. A URL is ranked when it is found, and again when the value that the order follows has grown enough to
 * matter. The store keeps each queue sorted by an index, so no queue is ever sorted as a whole.
 *
 * No order may starve a URL for ever. The comment of each order says why it does not.
 */
import { ScoreBook } from './score-book.ts';

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
  if (!make) throw new RangeError(`there is no order ${name}`);
  return make(settings);
}

/**
 * Best first (E1). The score combines PageRank over the known graph and the cash that flows in along links. The numbers
 * of links in and out count a little. No URL starves, because ranks age.
 */
const bestFirst: Order = {
  name: 'best-first',
  follows: 'score',
  book: () => new ScoreBook(RANK_POWER),
  rank: ({ score, backlinks, forwardLinks, foundAt }) =>
    agingRank(score * (1 + backlinks) ** LINKS_IN * (1 + forwardLinks) ** LINKS_OUT, foundAt),
};

/**
 * Mostly PageRank. While most known URLs are not fetched, their rank is spread evenly over all, which hides the
 * difference between a chapter and a section. Cash does not have this fault (docs/orders.md).
 */
const RANK_POWER = 0.85;
/**
 * PageRank already includes the links in, so they decide only between near equals. The same
 * holds for the expected links out.
 */
const LINKS_IN = 0.02;
const LINKS_OUT = 0.01;

/**
 * Nearest to the seeds first (E2). No URL starves: for each URL, only finitely many URLs are
 * at the same depth or nearer.
 */
const breadthFirst: Order = { name: 'breadth-first', rank: ({ depth }) => depth };

/**
 * Deepest first, and equal depths in the order of discovery (E2): the crawl follows one branch to its end before it
 * starts the sibling. The depth limit ends each branch, so no URL waits for ever.
 */
const depthFirst: Order = { name: 'depth-first', rank: ({ depth }) => -depth };

/**
 * Most cash first (OPIC, on-line page importance). A fetched page passes its cash in equal parts to the pages that it
 * links to. The URL with the most cash is next. No URL starves, because ranks age.
 */
export const opic: Order = {
  name: 'opic',
  follows: 'score',
  book: () => new ScoreBook(0),
  rank: ({ score, foundAt }) => agingRank(score, foundAt),
};

/**
 * pvalue = a·FwdLK − b·BkLK, the largest first, in three lists of equal length that are served 4 : 2 : 1 (P4, P5).
 * Pages with many links come early; pages that many others link to can wait. While the copy is young, a weighs more; b
 * grows with the copy. With n pages, a = forward · m / (m + n) and b = back · n / (m + n). They are equal at the
 * maturity m if both factors are equal.
 *
 * No URL starves: one fetch in seven goes to the last list, and within a list the time of discovery counts too.
 */
const FOUND_PER_LINK = 10_000;

export function pvalue(settings: OrderSettings): Order {
  return {
    name: 'pvalue',
    follows: 'backlinks',
    drifts: true,
    lists: [4, 2, 1],
    rank: ({ forwardLinks, backlinks, pages, foundAt }) =>
      foundAt / FOUND_PER_LINK - pvalueOf(forwardLinks, backlinks, agedWeights(pages, settings)),
  };
}

interface PvalueWeights {
  readonly forward: number;
  readonly back: number;
}

export function agedWeights(pages: number, settings: OrderSettings): PvalueWeights {
  const age = pages / (settings.pvalueMaturity + pages);
  return { forward: settings.pvalueForward * (1 - age), back: settings.pvalueBack * age };
}

export function pvalueOf(forwardLinks: number, backlinks: number, { forward, back }: PvalueWeights): number {
  return forward * forwardLinks - back * backlinks;
}

/**
 * The URLs with the most back-links first, in four ranked lists, where higher lists are served more often (W18).
 * A URL moves up each time the number of its back-links has doubled. No URL starves: the lowest list gets one
 * fetch in fifteen, and ranks age.
 */
export const backlink: Order = {
  name: 'backlink',
  follows: 'backlinks',
  lists: [8, 4, 2, 1],
  rank: ({ backlinks, foundAt }) => agingRank(backlinks, foundAt),
};

/**
 * Most promising for the topic first (P3). The relevance comes from the words of the link, the words around it and the
 * words of its URL, and from the relevance of the page that contains it. Off-topic branches sink. No URL starves,
 * because ranks age. URLs below the threshold are cut; they do not wait.
 */
export const topic: Order = {
  name: 'topic',
  follows: 'relevance',
  rank: ({ relevance, foundAt }) => agingRank(relevance, foundAt),
};

/**
 * Prevents starvation under an order that prefers the best URLs. A rank grows with the time at which its URL was found,
 * so even the worst old URL eventually comes before the best new one. Time is counted in found URLs, not in seconds:
 * when no new URL is found, no URL can be overtaken.
 */

/**
 * This many newly found URLs outweigh a score that is twice as good. In a crawl of 100,000 pages the effect is tiny.
 */
const FOUND_PER_OCTAVE = 1_000_000;
/** Lower scores are raised to this value. It limits the advantage of a score to 64 octaves, so every URL catches up. */
const LEAST_SCORE = 2 ** -64;

/** A larger score gives a lower rank. */
export function agingRank(score: number, foundAt: number): number {
  return foundAt / FOUND_PER_OCTAVE - Math.log2(Math.max(score, LEAST_SCORE));
}
