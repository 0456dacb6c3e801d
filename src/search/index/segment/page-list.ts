/**
 * The pages of a term, in ascending order, with the weight of the term on each. Two forms are stored, and the density
 * of the list decides: a set of bits with a byte of weight for each page, if more than one page in eight has the term;
 * otherwise the differences of the numbers.
 *
 * Operators need only the pages, and a set of bits is ready as it is stored. The weights of frequent words are read
 * only where they are asked for.
 */
import type { PageBits } from '../page-bits.ts';

/** Finds pages that are asked for in ascending order. */
export interface PageFinder {
  /** The place of the page in the list; -1 if the page does not have the term. */
  find(page: number): number;
}

/** The first `count` pages of an array, in ascending order. */
export interface SomePages {
  readonly pages: Int32Array;
  readonly count: number;
}

export interface PageList {
  readonly count: number;
  addTo(bits: PageBits): void;
  /** Adds the pages on which the byte of the weight passes. */
  addWhere(bits: PageBits, passes: Uint8Array): void;
  /** Adds the weight of the term on each of the pages, in the order of the pages. */
  addWeights(some: SomePages, weights: Float64Array, into: Float64Array): void;
  finder(): PageFinder;
  /** All pages, and the bytes of their weights. */
  all(): { readonly pages: Int32Array; readonly weights: Uint8Array };
  /** Reads the directory: the end of the positions of each block. */
  blockEnds(): Float64Array;
}

const LEAST_DENSE = 16;

/** Whether a list is stored as a set of bits. */
export function isDense(count: number, pagesOfSegment: number): boolean {
  return count >= LEAST_DENSE && 8 * count > pagesOfSegment;
}
