/**
 * A score book follows what pages pass on to the pages they link to, a number for each known URL. It remembers at which score
 * a URL was last ranked, and so can tell which waiting ones have grown enough to be ranked again.
 *
 * Memory: twelve bytes a known URL. It is rebuilt from the stored graph when a crawl goes on.
 */

/** A score that grew by a fifth moves its URL: finer steps cost more writes and gain less than a thousandth of PageRank. */
const GROWN = 1.2;
const FIRST_CAPACITY = 4_096;

export abstract class ScoreBook {
  protected scores = new Float32Array(FIRST_CAPACITY);
  /** The score at which a URL was ranked; infinite when it does not wait any more. */
  #ranked = new Float32Array(FIRST_CAPACITY);
  #backlinks = new Uint32Array(FIRST_CAPACITY);
  readonly #grown = new Set<number>();
  #known = 0;

  /** Whether `correct` is wanted as the graph grows. */
  abstract readonly wantsPageRank: boolean;
  /** What a URL has before any page has passed something on to it. */
  abstract get start(): number;
  /** A page was fetched: what it passes on to its links, all together. */
  abstract handOut(page: number): number;
  /** PageRank over the whole graph, by id, in the place of what was estimated. */
  abstract correct(ranks: Float32Array): void;

  /** URLs with an id up to this are known. */
  get known(): number {
    return this.#known;
  }

  /** Makes URLs known up to an id; they have the score they start with. */
  open(lastId: number): void {
    if (lastId <= this.#known) return;
    if (lastId >= this.scores.length) this.#enlarge(lastId);
    this.scores.fill(this.start, this.#known + 1, lastId + 1);
    this.#known = lastId;
  }

  /** A page passes something on to a URL. */
  receive(id: number, amount: number): void {
    const score = (this.scores[id] as number) + amount;
    this.scores[id] = score;
    (this.#backlinks[id] as number)++;
    if (score > (this.#ranked[id] as number) * GROWN) this.#grown.add(id);
  }

  score(id: number): number {
    return this.scores[id] as number;
  }

  backlinks(id: number): number {
    return this.#backlinks[id] as number;
  }

  wasRanked(id: number): void {
    this.#ranked[id] = this.scores[id] as number;
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
    this.#ranked[id] = Number.POSITIVE_INFINITY;
    this.#grown.delete(id);
  }

  /** Waiting URLs that grew since they were last ranked; asked for once. */
  takeGrown(): number[] {
    const grown = [...this.#grown];
    this.#grown.clear();
    return grown;
  }

  /** After a correction: all that now stand much higher or lower than they were ranked. */
  protected compareAll(): void {
    for (let id = 1; id <= this.#known; id++) {
      const ranked = this.#ranked[id] as number;
      const score = this.scores[id] as number;
      if (ranked !== Number.POSITIVE_INFINITY && (score > ranked * GROWN || score * GROWN < ranked))
        this.#grown.add(id);
    }
  }

  #enlarge(lastId: number): void {
    const capacity = Math.max(lastId + 1, Math.ceil(this.scores.length * 1.5));
    const larger = <T extends Float32Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.scores = larger(this.scores, new Float32Array(capacity));
    this.#ranked = larger(this.#ranked, new Float32Array(capacity));
    this.#backlinks = larger(this.#backlinks, new Uint32Array(capacity));
  }
}
