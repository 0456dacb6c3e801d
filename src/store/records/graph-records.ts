/** What the store tells of the link graph and of the queues that are ranked by it. */
import type { UrlState } from './records.ts';

/** A waiting URL gets another place in its host's queue. */
export interface NewRank {
  readonly id: number;
  readonly rank: number;
  /** Where its row is. An engine that has to look for it is slower, no more. */
  readonly hostId?: number;
  /** Where it is given, the rank counts only if this is more than the URL promised so far. */
  readonly relevance?: number;
}

/** What an order may want to know of a URL that waits. */
export interface WaitingRecord {
  readonly id: number;
  readonly hostId: number;
  readonly url: string;
  readonly depth: number;
  readonly relevance: number | null;
}

/**
 * The waiting URLs of a host, by rank, are cut into as many lists of equal length; for every `lists[0]` URLs of the first
 * there are `lists[1]` of the second, and so on. `[1]` is one list.
 */
export type ListShares = readonly number[];

/** A part of the link graph: the lists of some pages in the order of their commit (graph/segment.ts). */
export interface GraphSegment {
  readonly seq: number;
  readonly lists: Uint8Array;
}

/** A waiting URL to which twice as many pages link as when this was last said. */
export interface GrownUrl extends WaitingRecord {
  readonly backlinks: number;
}

/** The other end of a link. */
export interface LinkRecord {
  readonly id: number;
  readonly url: string;
  readonly state: UrlState;
  readonly title: string;
  /** graph/link-attributes.ts */
  readonly attributes: number;
}
