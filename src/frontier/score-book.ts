/**
 * A score book follows what pages pass on to the pages they link to. Two numbers for each known URL:
 *
 * - *rank*, PageRank as far as the graph is known, as a multiple of its mean, so that ranks of different times compare:
 *   computed over the stored graph from time to time, and in between the estimate that each page passes its own on;
 * - *cash* (OPIC): a page that is fetched hands all it has on to its links, so a URL has what came since it is known.
 *
 * Rank alone favours the part of the web the crawl has seen most of; cash is larger where little was fetched yet. A score is
 * rank^p · cash^(1−p). The book remembers at which score a URL was last ranked, and so can tell which have grown since.
 *
 * Memory: sixteen bytes a known URL. It is rebuilt from the stored graph when a crawl goes on.
 */

const DAMPING = 0.85;
/** A score that grew by a fifth moves its URL: finer steps cost more writes and gain less than a thousandth of PageRank. */
const GROWN = 1.2;
/** What nobody has passed anything on to, such as a sitemap, still has its rank. */
const LEAST_CASH = 1e-6;
const FIRST_CAPACITY = 4_096;

/** What a page passes on to a link of weight 1; or a sum of such. */
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
  /** The score at which a URL was ranked; infinite when it does not wait any more. */
  #ranked = new Float32Array(FIRST_CAPACITY);
  readonly #grown = new Set<number>();
  #known = 0;
  /** Of a URL that no page is known to link to: what every URL has, also from the pages without links. */
  #firstRank = 1 - DAMPING;
  /** Before a page has passed anything on, what is known are the seeds, and they share all the cash there is. */
  #begun = false;

  constructor(rankPower: number) {
    this.#rankPower = rankPower;
  }

  /** URLs with an id up to this are known. */
  get known(): number {
    return this.#known;
  }

  /** Makes URLs known up to an id. */
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

  /** A page was fetched: what it passes on to a link of weight 1, its links weighing so much together. */
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

  /** Of a URL that is not known yet, and gets this. */
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

  /** All that wait are taken to be ranked as they are. */
  allRanked(): void {
    for (let id = 1; id <= this.#known; id++) {
      if (this.#ranked[id] !== Number.POSITIVE_INFINITY) this.wasRanked(id);
    }
    this.#grown.clear();
  }

  /** It was fetched, or will not be. */
  isOver(id: number): void {
    this.open(id);
    this.#ranked[id] = Number.POSITIVE_INFINITY;
    this.#grown.delete(id);
  }

  /** Waiting URLs that grew since they were last ranked; asked for once. */
  takeGrown(): number[] {
    const grown = [...this.#grown];
    this.#grown.clear();
    return grown;
  }

  /** PageRank over the whole graph, by id, in the place of the estimates. URLs found since it was begun keep theirs. */
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
