/**
 * PageRank of a graph that is larger than memory (E1), weighted by the attributes of the links (E6).
 *
 * In come the segments, read again for each iteration, and the number of known URLs; out goes a rank for every id from 1 to
 * that number, together 1. What always holds: every known URL is a node, fetched or not; the rank of those without links is
 * spread evenly over all; a link of a page to itself, and one to a URL that became known later, counts for nothing.
 *
 * Memory: 4 bytes a URL for the ranks of the last iteration and 8 for those being summed up, 12 in all, beside one segment. The last ranks may be coarse because each is rounded once, not once a link;
 * sums must not be. Against doubles throughout that costs some 10^-7 of a rank.
 */
import { OrbweaverError } from '../core/errors.ts';
import { LINK_WEIGHTS } from './link-attributes.ts';
import { SegmentReader } from './segment-reader.ts';

export interface PageRankOptions {
  /** The chance that a reader follows a link instead of going anywhere. */
  readonly damping?: number;
  /** It ends when all ranks together change by less than this. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** By id: the ranks of an earlier time, when fewer URLs were known. They need not add up to 1. Only read at the start. */
  readonly earlier?: ArrayLike<number>;
}

export interface PageRankResult {
  /** By id; there is no URL 0. */
  readonly ranks: Float64Array;
  readonly iterations: number;
  /** By how much the last iteration changed all ranks together. */
  readonly change: number;
}

const DAMPING = 0.85;
/** Then the thousand highest ranks of a million pages are right to a millionth; an order of URLs needs far less. */
const TOLERANCE = 1e-8;
const MAX_ITERATIONS = 100;

export type OpenSegments = () => Iterable<Uint8Array>;

export function pageRank(openSegments: OpenSegments, urls: number, options: PageRankOptions = {}): PageRankResult {
  const run = new PageRankRun(urls, options);
  while (!run.isDone) {
    for (const segment of openSegments()) run.add(segment);
    run.endIteration();
  }
  return run.result();
}

/** The same a segment at a time, for a thread that has something else to do as well. */
export class PageRankRun {
  readonly #urls: number;
  readonly #damping: number;
  readonly #tolerance: number;
  readonly #maxIterations: number;
  readonly #reader = new SegmentReader();
  /** Of the last iteration. */
  readonly #ranks: Float32Array;
  /** What the links give in this one; at the end, the result. */
  readonly #given: Float64Array;
  /** Rank of the pages met in this iteration that have links. */
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

  /** Of the last whole iteration. */
  get change(): number {
    return this.#change;
  }

  get isDone(): boolean {
    return this.#change < this.#tolerance || this.#iterations >= this.#maxIterations;
  }

  /** Each segment once in an iteration, in any order. */
  add(segment: Uint8Array): void {
    const reader = this.#reader;
    reader.open(segment);
    while (reader.next()) {
      // Found after the URLs were counted.
      if (reader.page > this.#urls) continue;
      const rank = this.#ranks[reader.page]!;
      if (spread(reader, rank * this.#damping, this.#given, this.#urls)) this.#linked += rank;
    }
  }

  /** After the last slice; the run is over then. */
  result(): PageRankResult {
    if (!this.isDone) throw new OrbweaverError('ERR_INTERNAL', 'the ranks are not ready');
    const ranks = this.#given;
    if (this.#iterations === 0) ranks.set(this.#ranks);
    let sum = 0;
    for (let id = 1; id <= this.#urls; id++) sum += ranks[id]!;
    for (let id = 1; id <= this.#urls; id++) ranks[id]! /= sum;
    return { ranks, iterations: this.#iterations, change: this.#change };
  }

  /** After all segments. True when there is nothing left to do. */
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
      // As it was stored, or the rounding would look like a change for ever.
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
 * Gives the links of a page their parts of `amount`. False when it has none that count.
 * Two rounds, because a part is a share of all the weights; what does not count is taken out of both before.
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

/** Leaves the links that count at the front of the reader's arrays, and says how many they are. */
function dropUncounted({ page, count, targets, attributes }: SegmentReader, urls: number): number {
  let counted = count;
  // Ascending, so what is not known yet is at the end.
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
 * Where the iteration begins: evenly, or with earlier ranks. A URL that was not known then begins with what every URL has
 * without links, for it was found late. Gives the sum of what is stored.
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
