/**
 * A score book tracks what pages pass on to the pages that they link to. It keeps two numbers for each known URL:
 *
 * - *rank*: PageRank over the known graph, as a multiple of its mean, so that ranks of different times can
 *   be compared. It is computed over the stored graph from time to time. In between it is estimated: each
 *   page passes on its own rank.
 * - *cash* (OPIC): a fetched page passes all its cash to its links, so a URL has the cash
 *   that arrived since it is known.
 *
 * Rank alone favours the part of the web that the crawl has seen most; cash is larger where little was fetched yet. The
 * score is rank^p · cash^(1−p). The book stores the score at which each URL was last ranked, so it knows which
 * scores have grown since then.
 *
 * Memory: sixteen bytes per known URL. The book is rebuilt from the stored graph when a crawl is resumed.
 */

const DAMPING = 0.85;
/**
 * A score that grew by a fifth ranks its URL again. Finer steps cost more writes and gain less
 * than a thousandth of PageRank.
 */
const GROWN = 1.2;
/** A URL without incoming cash, for example from a sitemap, still counts with its rank. */
const LEAST_CASH = 1e-6;
const FIRST_CAPACITY = 4_096;

/** The rank and the cash that a page passes on to a link of weight 1, or a sum of several portions. */
export interface Portion {
  readonly rank: number;
  readonly cash: number;
}

export const NOTHING: Portion = { rank: 0, cash: 0 };

export class ScoreBook {
  readonly #rankPower: number;
  #ranks = new Float32Array(FIRST_CAPACITY);
  #cash = new Float32Array(FIRST_CAPACITY);
  #backlinks = new Uint32Array(FIRST_CAPACITY);
  /** The score at which a URL was last ranked. Infinite if the URL no longer waits. */
  #ranked = new Float32Array(FIRST_CAPACITY);
  readonly #grown = new Set<number>();
  #known = 0;
  /**
   * The rank of a URL without known back-links. Every URL has at least this rank; pages
   * without links contribute to it too.
   */
  #firstRank = 1 - DAMPING;
  /**
   * False until the first page hands out its cash. Until then all known URLs are seeds, and they share all the cash.
   */
  #begun = false;

  constructor(rankPower: number) {
    this.#rankPower = rankPower;
  }

  /** The highest known URL id. */
  get known(): number {
    return this.#known;
  }

  /** Makes all URLs up to this id known. */
  open(lastId: number): void {
    if (lastId <= this.#known) return;
    if (lastId >= this.#ranks.length) this.#enlarge(lastId);
    this.#ranks.fill(this.#firstRank, this.#known + 1, lastId + 1);
    this.#cash.fill(this.#firstCash(), this.#known + 1, lastId + 1);
    this.#known = lastId;
  }

  #firstCash(): number {
    return this.#begun ? 0 : 1;
  }

  /**
   * Called when a page was fetched. `weight` is the sum of the weights of its links. Returns the
   * portion for a link of weight 1.
   */
  handOut(page: number, weight: number): Portion {
    this.open(page);
    this.#begun = true;
    if (weight === 0) return NOTHING;
    const cash = this.#cash[page] as number;
    this.#cash[page] = 0;
    return { rank: (DAMPING * (this.#ranks[page] as number)) / weight, cash: cash / weight };
  }

  receive(id: number, { rank, cash }: Portion, weight: number): void {
    this.open(id);
    (this.#ranks[id] as number) += rank * weight;
    (this.#cash[id] as number) += cash * weight;
    (this.#backlinks[id] as number)++;
    if (this.score(id) > (this.#ranked[id] as number) * GROWN) this.#grown.add(id);
  }

  /** The score of a URL that is not known yet and receives this portion. */
  firstScore({ rank, cash }: Portion): number {
    return this.#scoreOf(this.#firstRank + rank, this.#firstCash() + cash);
  }

  score(id: number): number {
    return this.#scoreOf(this.#ranks[id] as number, this.#cash[id] as number);
  }

  #scoreOf(rank: number, cash: number): number {
    return rank ** this.#rankPower * Math.max(cash, LEAST_CASH) ** (1 - this.#rankPower);
  }

  backlinks(id: number): number {
    return this.#backlinks[id] as number;
  }

  wasRanked(id: number): void {
    this.#ranked[id] = this.score(id);
  }

  /** Marks all waiting URLs as ranked at their current scores. */
  allRanked(): void {
    for (let id = 1; id <= this.#known; id++) {
      if (this.#ranked[id] !== Number.POSITIVE_INFINITY) this.wasRanked(id);
    }
    this.#grown.clear();
  }

  /** Called when a URL was fetched or will never be fetched. */
  isOver(id: number): void {
    this.open(id);
    this.#ranked[id] = Number.POSITIVE_INFINITY;
    this.#grown.delete(id);
  }

  /** Returns the waiting URLs whose score has grown since their last ranking, and clears the list. */
  takeGrown(): number[] {
    const grown = [...this.#grown];
    this.#grown.clear();
    return grown;
  }

  /**
   * Replaces the estimated ranks by PageRank over the whole graph, indexed by id. URLs that were found after the
   * computation began keep their estimates.
   */
  correct(ranks: Float32Array): void {
    if (this.#rankPower === 0) return;
    const urls = ranks.length - 1;
    this.#firstRank = Number.POSITIVE_INFINITY;
    for (let id = 1; id <= urls; id++) {
      const rank = (ranks[id] as number) * urls;
      this.#ranks[id] = rank;
      if (rank < this.#firstRank) this.#firstRank = rank;
    }
    for (let id = 1; id <= this.#known; id++) {
      const ranked = this.#ranked[id] as number;
      if (ranked === Number.POSITIVE_INFINITY) continue;
      const score = this.score(id);
      if (score > ranked * GROWN || score * GROWN < ranked) this.#grown.add(id);
    }
  }

  #enlarge(lastId: number): void {
    const capacity = Math.max(lastId + 1, Math.ceil(this.#ranks.length * 1.5));
    this.#ranks = larger(this.#ranks, new Float32Array(capacity));
    this.#cash = larger(this.#cash, new Float32Array(capacity));
    this.#backlinks = larger(this.#backlinks, new Uint32Array(capacity));
    this.#ranked = larger(this.#ranked, new Float32Array(capacity));
  }
}

function larger<T extends Float32Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
