/**
 * Keeps PageRank up to date during the crawl. When the copy has grown enough, the ranks are computed again over the
 * stored graph, starting from the previous ranks. In total this costs as much as a few dozen passes over the final
 * graph. The computation runs for a few milliseconds between commits, so no commit waits long for it.
 */
import { setImmediate } from 'node:timers/promises';
import { PageRankRun } from '../../graph/page-rank.ts';
import type { GraphSegment, Store } from '../../store/contract.ts';
import type { Ranker } from './ranker.ts';

/** Growth of the copy before the next computation, if the order follows PageRank, and if PageRank is only stored. */
const GROWTH = { followed: 1.5, kept: 4 };
/** With fewer pages, ranks say little. */
const FIRST_PAGES = 16;
/**
 * The total change of all ranks, whose sum is 1. Ranks that only choose the next pages may
 * be less exact than stored ones.
 */
const TOLERANCE = 1e-3;
const LAST_TOLERANCE = 1e-4;
/** If a smaller share of the pages has new links, the stored ranks are good enough. */
const MIN_NEW_SHARE = 0.05;
/** A commit takes some ten milliseconds, together with the work of the units meanwhile. */
const STEP_MS = 5;
/**
 * Bytes of the graph that are cached for the next iteration if it comes over a network: some ten million
 * links. A local graph is read again at no cost.
 */
const MAX_CACHED_BYTES = 64 * 1_048_576;

export interface RankingTurn {
  isOwnTurn(): boolean;
  lastId(): Promise<number>;
  /** The pages of all workers together. */
  pages(): Promise<number>;
  /** The number of known URLs. It is smaller than the largest id, because workers reserve ids in chunks. */
  urls(): Promise<number>;
}

export class PageRankKeeper {
  readonly #store: Store;
  readonly #ranker: Ranker;
  readonly #growth: number;
  readonly #turn: RankingTurn | null;
  #run: PageRankRun | null = null;
  #segments: CachedSegments;
  #ranks: Float32Array = new Float32Array(1);
  /** The last segment read in this iteration, and the last segment that existed when the run began. */
  #at = 0;
  #end = 0;
  /** Ids in the current run that no URL has. */
  #gaps = 0;
  #pagesRanked: number;
  readonly #hadRanks: boolean;
  /** Pages whose links were read since the start. */
  #pagesSince = 0;

  /**
   * `pagesRanked`: the number of pages when the stored ranks were computed; 0 computes them as soon
   * as possible. `turn`: in a cluster, one worker at a time computes the ranks, and asks for the
   * largest id that any worker has assigned.
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

  /** Does a little of the work, if there is any. `pagesRead`: the pages read since the last call. */
  async step(pagesRead: number, stepMs = STEP_MS): Promise<void> {
    this.#pagesSince += pagesRead;
    const { pages } = this.#ranker;
    if (this.#run === null) {
      if (this.#turn?.isOwnTurn() === false) return;
      if (pages < FIRST_PAGES || pages < this.#pagesRanked * this.#growth) return;
      await this.#begin(TOLERANCE);
    }
    await this.#step(stepMs);
  }

  async #step(stepMs: number): Promise<void> {
    const endMs = performance.now() + stepMs;
    while (this.#run !== null && performance.now() < endMs) await this.#advance(this.#run);
  }

  /** Finishes the computation at the end of a crawl. */
  async finish(): Promise<void> {
    this.#run = null;
    if (this.#turn?.isOwnTurn() === false) return;
    const pages = this.#turn === null ? this.#ranker.pages : await this.#turn.pages();
    if (pages === 0 || (this.#hadRanks && this.#pagesSince < pages * MIN_NEW_SHARE)) return;
    await this.#begin(LAST_TOLERANCE);
    while (this.#run !== null) {
      await this.#step(STEP_MS);
      // Lets signals and timers run.
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
    // Ids without a URL take a share of the total rank, and so of the tolerance.
    const share = known === 0 ? 1 : (known - this.#gaps) / known;
    this.#run = new PageRankRun(known, { tolerance: tolerance * share, earlier: this.#ranks });
  }

  #openSegments(): CachedSegments {
    return new CachedSegments(this.#store, this.#turn === null ? 0 : MAX_CACHED_BYTES);
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

/**
 * Ids without a URL have no links to them and so the lowest rank. This removes them, so
 * that the ranks of the URLs sum to 1.
 */
function withoutGaps(ranks: Float32Array, gaps: number): Float32Array {
  if (gaps === 0) return ranks;
  let least = 1;
  for (let id = 1; id < ranks.length; id++) if (ranks[id]! < least) least = ranks[id]!;
  const rest = 1 - gaps * least;
  return rest > 0 ? ranks.map((rank) => rank / rest) : ranks;
}

/**
 * A local cache of the link graph, for repeated reading of a store across a network. In: the number of a segment. Out:
 * the next segment; segments are requested in order. The first segments are kept, up to a size limit.
 */
export class CachedSegments {
  readonly #store: Pick<Store, 'segments'>;
  readonly #maxBytes: number;
  /** The first segments, without a gap. */
  readonly #cached: GraphSegment[] = [];
  #cachedBytes = 0;
  #at = 0;

  constructor(store: Pick<Store, 'segments'>, maxBytes: number) {
    this.#store = store;
    this.#maxBytes = maxBytes;
  }

  /** The segment after `seq`; 0 starts again with the first one. */
  async next(seq: number): Promise<GraphSegment | undefined> {
    if (seq === 0) this.#at = 0;
    const kept = this.#cached[this.#at];
    if (kept !== undefined) {
      this.#at++;
      return kept;
    }
    const [segment] = await this.#store.segments(seq, 1);
    if (segment && this.#isNextToKeep(seq) && this.#cachedBytes + segment.lists.length <= this.#maxBytes) {
      this.#cached.push(segment);
      this.#cachedBytes += segment.lists.length;
      this.#at++;
    }
    return segment;
  }

  #isNextToKeep(seq: number): boolean {
    return (this.#cached.at(-1)?.seq ?? 0) === seq;
  }
}
