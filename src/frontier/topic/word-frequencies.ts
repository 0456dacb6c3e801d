/**
 * How common words are on the pages of this crawl: the topic's words exactly, all others in a fixed number of buckets by hash. Rare
 * words that share a bucket seem a little less rare; common words, whose commonness matters, hardly notice.
 *
 * What always holds: 64 KB and the topic's words, whatever is crawled; the same pages in any order give the same counts; counts
 * made apart add up (`merge`).
 */
const BUCKETS = 1 << 14;
/**
 * A focused crawl fetches the topic's pages on purpose, and to count them in full would make the topic's words look common. So a
 * page on topic counts a sixteenth: what everybody says still becomes common, on whatever pages.
 */
const OFF_TOPIC_UNITS = 16;
const ON_TOPIC_UNITS = 1;
/** Until the crawl knows better, every word is taken to be on one page in fifty, as firmly as if fifty pages had been seen. */
const PRIOR_UNITS = 50 * OFF_TOPIC_UNITS;
const PRIOR_SHARE = 1 / 50;
/** A word is common that more than one page in so many has. */
const COMMON_ONE_IN = 8;

export class WordFrequencies {
  /** The pages, then the topic's words, then the buckets: one array, so that it is sent and added as a whole. */
  readonly #counts: Uint32Array;
  readonly #features: number;

  constructor(features: number) {
    this.#features = features;
    this.#counts = new Uint32Array(1 + features + BUCKETS);
  }

  /** A page's different words and topic words, each named once. */
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

  /** How much a topic word tells: the logarithm of one over the share of pages that have it; 0 where all do. */
  featureRarity(feature: number): number {
    return this.#rarity(this.#counts[1 + feature]!);
  }

  rarity(hash: number): number {
    return this.#rarity(this.#counts[1 + this.#features + (hash & (BUCKETS - 1))]!);
  }

  /** A word that says nothing of what a link leads to, such as those of “read more”. */
  isCommon(hash: number): boolean {
    const units = this.#counts[1 + this.#features + (hash & (BUCKETS - 1))]!;
    return units * COMMON_ONE_IN > this.#counts[0]! + PRIOR_UNITS;
  }

  /** Several words of one page may have fallen into a bucket: no word is on more pages than there are. */
  #rarity(units: number): number {
    const pages = this.#counts[0]!;
    return Math.log((pages + PRIOR_UNITS) / (Math.min(units, pages) + PRIOR_UNITS * PRIOR_SHARE));
  }

  /** As plain numbers, to be stored or sent. */
  get counts(): Uint32Array {
    return this.#counts;
  }

  /** Adds the counts of another crawler with the same topic. */
  merge(counts: Uint32Array): void {
    if (counts.length !== this.#counts.length) throw new RangeError('the counts are of another topic');
    for (let i = 0; i < counts.length; i++) this.#counts[i]! += counts[i]!;
  }
}
