/** Records of the link graph, and of the queues that are ranked by it. */
import type { UrlState } from './records.ts';

/** A new place of a waiting URL in the queue of its host. */
export interface NewRank {
  readonly id: number;
  readonly rank: number;
  /** If it is set, the new rank applies only if this relevance is higher than the URL's previous one. */
  readonly relevance?: number;
}

/** The facts about a waiting URL that an order may use. */
export interface WaitingRecord {
  readonly id: number;
  readonly hostId: number;
  readonly url: string;
  readonly depth: number;
  readonly relevance: number | null;
}

/**
 * The waiting URLs of a host, sorted by rank, are divided into as many lists of equal length. For every `lists[0]` URLs
 * of the first list, `lists[1]` URLs of the second list are served, and so on. `[1]` is one list.
 */
export type ListShares = readonly number[];

/** A part of the link graph: the link lists of some pages in the order of their commits (graph/segment.ts). */
export interface GraphSegment {
  readonly seq: number;
  readonly lists: Uint8Array;
}

/** A waiting URL whose number of linking pages has doubled since this was last reported. */
export interface GrownUrl extends WaitingRecord {
  readonly backlinks: number;
}

/** The other end of a link. */
export interface LinkRecord {
  readonly id: number;
  readonly url: string;
  readonly state: UrlState;
  readonly title: string;
  /** Encoded as in graph/link-attributes.ts. */
  readonly attributes: number;
}
