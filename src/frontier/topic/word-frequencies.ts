/**
 * How common words are on the pages of this crawl. The topic's words are counted exactly, all other words in a fixed
 * number of buckets by hash. A rare word that shares a bucket seems slightly less rare. For common words, where the
 * count matters, the error is negligible.
 *
 * What always holds: memory is 64 KB plus the topic's words, whatever is crawled; the same pages in any order give the
 * same counts.
 */
const BUCKETS = 1 << 14;
/**
 * A focused crawl fetches the topic's pages on purpose. Counting them in full would make the topic's words look common,
 * so a page on topic counts as one sixteenth. A word that is common everywhere still becomes common.
 */
const OFF_TOPIC_UNITS = 16;
const ON_TOPIC_UNITS = 1;
/** The prior: every word is on one page in fifty, with the weight of fifty pages. */
const PRIOR_UNITS = 50 * OFF_TOPIC_UNITS;
const PRIOR_SHARE = 1 / 50;
/** A word is common if more than one page in this many has it. */
const COMMON_ONE_IN = 8;

export class WordFrequencies {
  /** The number of pages, then the counts of the topic's words, then the buckets. */
  readonly #counts: Uint32Array;
  readonly #features: number;

  constructor(features: number) {
    this.#features = features;
    this.#counts = new Uint32Array(1 + features + BUCKETS);
  }

  /** Counts the different words and the topic words of a page, each once. */
  learn(
    page: { readonly hashes: ArrayLike<number>; readonly count: number },
    features: Iterable<number>,
    onTopic: boolean,
  ): void {
    const units = onTopic ? ON_TOPIC_UNITS : OFF_TOPIC_UNITS;
    this.#counts[0]! += units;
    for (const feature of features) this.#counts[1 + feature]! += units;
    const start = 1 + this.#features;
    for (let i = 0; i < page.count; i++) this.#counts[start + (page.hashes[i]! & (BUCKETS - 1))]! += units;
  }

  /**
   * How much a topic word tells: the logarithm of one over the share of pages with the word. 0 if all pages have it.
   */
  featureRarity(feature: number): number {
    return this.#rarity(this.#counts[1 + feature]!);
  }

  rarity(hash: number): number {
    return this.#rarity(this.#counts[1 + this.#features + (hash & (BUCKETS - 1))]!);
  }

  /** True for a word that says nothing about the target of a link, such as the words of “read more”. */
  isCommon(hash: number): boolean {
    const units = this.#counts[1 + this.#features + (hash & (BUCKETS - 1))]!;
    return units * COMMON_ONE_IN > this.#counts[0]! + PRIOR_UNITS;
  }

  /** Several words of one page may share a bucket, so the count is limited to the number of pages. */
  #rarity(units: number): number {
    const pages = this.#counts[0]!;
    return Math.log((pages + PRIOR_UNITS) / (Math.min(units, pages) + PRIOR_UNITS * PRIOR_SHARE));
  }
}
