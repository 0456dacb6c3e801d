/**
 * PageRank of a graph that is larger than memory (E1), weighted by the attributes of the links (E6).
 *
 * In: the segments, which are read again for each iteration, and the number of known URLs. Out: a rank for every id
 * from 1 to that number. The sum of the ranks is 1.
 *
 * What always holds: every known URL is a node, fetched or not. The rank of URLs without links is spread evenly over
 * all URLs. A link from a page to itself, and a link to a URL that became known later, are ignored.
 *
 * Memory: 4 bytes per URL for the ranks of the last iteration and 8 for the current sums, 12 in all, plus one segment.
 * The last ranks may have low precision, because each is rounded only once and not once per link. The sums must be
 * precise. Compared with doubles everywhere, the error is about 10^-7 of a rank.
 */
import { OrbweaverError } from '../core/errors.ts';
import { LINK_WEIGHTS } from './link-attributes.ts';
import { SegmentReader } from './segment-reader.ts';

export interface PageRankOptions {
  /** The probability that a reader follows a link and does not jump to a random page. */
  readonly damping?: number;
  /** The computation ends when the sum of all changes is less than this. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** Ranks of an earlier run, by id, when fewer URLs were known. They need not add up to 1. Only read at the start. */
  readonly earlier?: ArrayLike<number>;
}

export interface PageRankResult {
  /** Indexed by id. There is no URL 0. */
  readonly ranks: Float64Array;
  readonly iterations: number;
  /** The sum of all changes in the last iteration. */
  readonly change: number;
}

const DAMPING = 0.85;
/**
 * With this value, the thousand highest ranks of a million pages are correct to
 * one millionth. Ordering URLs needs far less.
 */
const TOLERANCE = 1e-8;
const MAX_ITERATIONS = 100;

/** Computes one segment at a time, because the thread also has other work. */
export class PageRankRun {
  readonly #urls: number;
  readonly #damping: number;
  readonly #tolerance: number;
  readonly #maxIterations: number;
  readonly #reader = new SegmentReader();
  /** The ranks of the last iteration. */
  readonly #ranks: Float32Array;
  /** The rank that links give in this iteration. At the end, this is the result. */
  readonly #given: Float64Array;
  /** The sum of the ranks of the pages in this iteration that have links. */
  #linked = 0;
  #rankSum: number;
  #iterations = 0;
  #change = Number.POSITIVE_INFINITY;

  constructor(urls: number, options: PageRankOptions = {}) {
    this.#urls = urls;
    this.#damping = options.damping ?? DAMPING;
    this.#tolerance = options.tolerance ?? TOLERANCE;
    this.#maxIterations = options.maxIterations ?? MAX_ITERATIONS;
    this.#ranks = new Float32Array(urls + 1);
    this.#given = new Float64Array(urls + 1);
    this.#rankSum = fillFirstRanks(this.#ranks, this.#damping, options.earlier ?? []);
  }

  /** The change in the last complete iteration. */
  get change(): number {
    return this.#change;
  }

  get isDone(): boolean {
    return this.#change < this.#tolerance || this.#iterations >= this.#maxIterations;
  }

  /** Called once for each segment in an iteration, in any order. */
  add(segment: Uint8Array): void {
    const reader = this.#reader;
    reader.open(segment);
    while (reader.next()) {
      // The page was found after the URLs were counted.
      if (reader.page > this.#urls) continue;
      const rank = this.#ranks[reader.page]!;
      if (spread(reader, rank * this.#damping, this.#given, this.#urls)) this.#linked += rank;
    }
  }

  /** Called after the last iteration. The run cannot be used afterwards. */
  result(): PageRankResult {
    if (!this.isDone) throw new OrbweaverError('ERR_INTERNAL', 'the ranks were read before the last iteration');
    const ranks = this.#given;
    if (this.#iterations === 0) ranks.set(this.#ranks);
    let sum = 0;
    for (let id = 1; id <= this.#urls; id++) sum += ranks[id]!;
    for (let id = 1; id <= this.#urls; id++) ranks[id]! /= sum;
    return { ranks, iterations: this.#iterations, change: this.#change };
  }

  /** Called after all segments. Returns true if there is nothing left to do. */
  endIteration(): boolean {
    const ranks = this.#ranks;
    const given = this.#given;
    const unlinked = this.#rankSum - this.#linked;
    const everyone = (1 - this.#damping + this.#damping * unlinked) / this.#urls;
    let change = 0;
    let sum = 0;
    for (let id = 1; id <= this.#urls; id++) {
      const rank = given[id]! + everyone;
      given[id] = rank;
      const before = ranks[id]!;
      ranks[id] = rank;
      // Compares the rank as it was stored. Otherwise rounding would look like a change for ever.
      const stored = ranks[id]!;
      change += Math.abs(stored - before);
      sum += stored;
    }
    this.#rankSum = sum;
    this.#linked = 0;
    this.#change = change;
    this.#iterations++;
    if (!this.isDone) given.fill(0);
    return this.isDone;
  }
}

/**
 * Divides `amount` among the links of a page. Returns false if the page has no links that count. It needs two passes,
 * because each part is a share of the sum of all weights. Links that do not count are removed before.
 */
function spread(reader: SegmentReader, amount: number, given: Float64Array, urls: number): boolean {
  const { targets, attributes } = reader;
  const count = dropUncounted(reader, urls);
  const weightOf = LINK_WEIGHTS;
  let weights = 0;
  for (let i = 0; i < count; i++) weights += weightOf[attributes[i]!]!;
  if (count === 0) return false;
  const share = amount / weights;
  for (let i = 0; i < count; i++) given[targets[i]!]! += share * weightOf[attributes[i]!]!;
  return true;
}

/** Moves the links that count to the front of the reader's arrays, and returns their number. */
function dropUncounted({ page, count, targets, attributes }: SegmentReader, urls: number): number {
  let counted = count;
  // Targets ascend, so URLs that are not known yet are at the end.
  while (counted > 0 && targets[counted - 1]! > urls) counted--;
  for (let i = 0; i < counted; i++) {
    if (targets[i] !== page) continue;
    counted--;
    targets[i] = targets[counted]!;
    attributes[i] = attributes[counted]!;
    break;
  }
  return counted;
}

/**
 * Fills in the first ranks: equal ranks, or earlier ranks. A URL that was unknown then begins with the rank of a URL
 * without incoming links, because it was found late. Returns the sum of the stored ranks.
 */
function fillFirstRanks(ranks: Float32Array, damping: number, earlier: ArrayLike<number>): number {
  const urls = ranks.length - 1;
  const known = Math.max(0, Math.min(urls, earlier.length - 1));
  let earlierSum = 0;
  for (let id = 1; id <= known; id++) earlierSum += earlier[id]!;
  const unknown = (earlierSum > 0 ? 1 - damping : 1) / urls;
  const scale = earlierSum > 0 ? (1 - unknown * (urls - known)) / earlierSum : 0;
  let sum = 0;
  for (let id = 1; id <= urls; id++) {
    ranks[id] = id <= known && scale > 0 ? earlier[id]! * scale : unknown;
    sum += ranks[id]!;
  }
  return sum;
}
