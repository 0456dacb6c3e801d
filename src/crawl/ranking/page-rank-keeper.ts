/**
 * Keeps PageRank near the truth while the crawl runs: whenever the copy has grown enough, it is computed anew over the stored
 * graph, beginning with the ranks it had. That makes the whole of it cost as much as a few dozen passes over the final graph.
 * It goes on for a few milliseconds between commits, so no commit waits long for it.
 */
import { setImmediate } from 'node:timers/promises';
import { PageRankRun } from '../graph/page-rank.ts';
import type { Store } from '../store/contract.ts';
import { NearSegments } from './near-segments.ts';
import type { Ranker } from './ranker.ts';

/** Where the order follows it, and where it is only kept. */
const GROWTH = { followed: 1.5, kept: 4 };
/** Before there are so many pages, ranks say little. */
const FIRST_PAGES = 50;
/** The change of all ranks together, which are 1. What decides on the next pages may be coarser than what is kept. */
const TOLERANCE = 1e-3;
const LAST_TOLERANCE = 1e-4;
/** The share of pages whose links are new, below which the ranks that are kept will do. */
const WORTH_IT = 0.05;
/** Between two commits, which take some ten milliseconds together with what the units do meanwhile. */
const STEP_MS = 5;
/** Of the graph, kept for the next iteration where it comes over a network: some ten million links. One of our own is read again at no cost. */
const MOST_KEPT_BYTES = 64 * 1_048_576;

export interface RankingTurn {
  isOurs(): boolean;
  lastId(): Promise<number>;
  /** Of all workers together. */
  pages(): Promise<number>;
  /** How many URLs are known: fewer than ids, since workers take those in chunks. */
  urls(): Promise<number>;
}

export class PageRankKeeper {
  readonly #store: Store;
  readonly #ranker: Ranker;
  readonly #growth: number;
  readonly #turn: RankingTurn | null;
  #run: PageRankRun | null = null;
  #segments: NearSegments;
  #ranks: Float32Array = new Float32Array(1);
  /** The last segment that was read in this iteration, and the last there was when the run began. */
  #at = 0;
  #end = 0;
  /** Ids of the run under way that no URL has. */
  #gaps = 0;
  #pagesRanked: number;
  readonly #hadRanks: boolean;
  /** Pages whose links were read since the beginning. */
  #pagesSince = 0;

  /**
   * `pagesRanked`: how many pages the ranks that are kept are of; 0 computes them at the first chance. `turn`: of several workers one at a
   * time computes them, and asks how far ids go that others have given.
   */
  constructor(store: Store, ranker: Ranker, pagesRanked = 0, turn: RankingTurn | null = null) {
    this.#turn = turn;
    this.#store = store;
    this.#segments = this.#openSegments();
    this.#ranker = ranker;
    this.#pagesRanked = pagesRanked;
    this.#hadRanks = pagesRanked > 0;
    this.#growth = ranker.book === null ? GROWTH.kept : GROWTH.followed;
  }

  /** A little of the work, where there is some, after so many pages. */
  async step(pagesRead: number, stepMs = STEP_MS): Promise<void> {
    this.#pagesSince += pagesRead;
    const { pages } = this.#ranker;
    if (this.#run === null) {
      if (this.#turn?.isOurs() === false) return;
      if (pages < FIRST_PAGES || pages < this.#pagesRanked * this.#growth) return;
      await this.#begin(TOLERANCE);
    }
    await this.#step(stepMs);
  }

  async #step(stepMs: number): Promise<void> {
    const endMs = performance.now() + stepMs;
    while (this.#run !== null && performance.now() < endMs) await this.#advance(this.#run);
  }

  /** At the end of a crawl: what is left of it. */
  async finish(): Promise<void> {
    this.#run = null;
    if (this.#turn?.isOurs() === false) return;
    const pages = this.#turn === null ? this.#ranker.pages : await this.#turn.pages();
    if (pages === 0 || (this.#hadRanks && this.#pagesSince < pages * WORTH_IT)) return;
    await this.#begin(LAST_TOLERANCE);
    while (this.#run !== null) {
      await this.#step(STEP_MS);
      // Signals and timers have their turn.
      await setImmediate();
    }
  }

  async #begin(tolerance: number): Promise<void> {
    await this.#ranker.countLinks();
    if (this.#turn !== null) {
      this.#ranker.knows(await this.#turn.lastId());
      this.#gaps = Math.max(0, this.#ranker.known - (await this.#turn.urls()));
    }
    const { known } = this.#ranker;
    this.#pagesRanked = this.#ranker.pages;
    this.#end = await this.#store.lastSegment();
    this.#at = 0;
    this.#segments = this.#openSegments();
    // What no URL has takes its part of all rank, and of what it may change by.
    const share = known === 0 ? 1 : (known - this.#gaps) / known;
    this.#run = new PageRankRun(known, { tolerance: tolerance * share, earlier: this.#ranks });
  }

  #openSegments(): NearSegments {
    return new NearSegments(this.#store, this.#turn === null ? 0 : MOST_KEPT_BYTES);
  }

  async #advance(run: PageRankRun): Promise<void> {
    const segment = await this.#segments.next(this.#at);
    if (segment) run.add(segment.lists);
    this.#at = segment?.seq ?? this.#end;
    if (this.#at < this.#end) return;
    this.#at = 0;
    if (!run.endIteration()) return;
    this.#run = null;
    this.#ranks = withoutGaps(Float32Array.from(run.result().ranks), this.#gaps);
    this.#ranker.book?.correct(this.#ranks);
    await this.#store.setPageRanks(this.#ranks);
  }
}

/** Ids that no URL has are linked from nowhere, and have the least rank there is: without them, those of URLs are 1 together. */
function withoutGaps(ranks: Float32Array, gaps: number): Float32Array {
  if (gaps === 0) return ranks;
  let least = 1;
  for (let id = 1; id < ranks.length; id++) if (ranks[id]! < least) least = ranks[id]!;
  const rest = 1 - gaps * least;
  return rest > 0 ? ranks.map((rank) => rank / rest) : ranks;
}
