/**
 * The sketch of a page's text, by which a crawl recognises near duplicates.
 *
 * In: the UTF-8 text of a page. Out: the SKETCH_SIZE smallest distinct fingerprints of its winnowing, ascending. If
 * there are fewer, they are all fingerprints of the text. Otherwise they are all fingerprints up to the last one.
 *
 * What always holds: the result is exactly the result of winnowing the whole text. But a rolling hash over 28 KB costs
 * several times as much as reading the links of the page. So a long text is searched for the letters that gram-order.ts
 * puts first. Only there K-grams are hashed, and only for the smallest of them the surrounding window is checked.
 * bench/parts/sketch.ts has the figures.
 */

import { blankSpecials, COUNTS } from './counted-bytes.ts';
import { gramValueAt, HASH_BITS, RANKS, RARE_LETTERS } from './gram-order.ts';
import { DEFAULT_K, DEFAULT_W, winnow } from './winnow.ts';

export const SKETCH_SIZE = 32;

/** In a shorter text the search rarely finds enough, and winnowing the whole text is fast. */
const MIN_SEARCHED_BYTES = 1_024;
/** A candidate stores its value and its position in one number of 53 bits. */
const PLACES = 2 ** 21;
/** With more rare letters than this, winnowing the whole text is as fast. */
const MAX_HITS = 4_096;
const BYTES_A_HIT = 12;
/**
 * If there are many hits, only low values are needed: this many times the
 * missing number, because some are not selected.
 */
const SPARE = 1.6;
/** Up to this many numbers, insertion sort takes a quarter of the time of the built-in sort. */
const MAX_INSERTED = 150;

// Module-wide buffers, because they are in use only while `sketchOf` runs.
const RANKS_AT_ONCE = 4;
const HITS = Array.from({ length: RANKS_AT_ONCE }, () => new Int32Array(MAX_HITS));
const HIT_COUNTS = new Int32Array(RANKS_AT_ONCE);
const CANDIDATES = new Float64Array(MAX_HITS);

/** The K-grams of a text. `last` is the index at which the last of them begins. */
interface Grams {
  readonly text: Buffer;
  readonly k: number;
  readonly w: number;
  readonly last: number;
}

export function sketchOf(source: Buffer, k = DEFAULT_K, w = DEFAULT_W): Uint32Array {
  const text = blankSpecials(source);
  return searchSketch(text, k, w) ?? sketchOfWhole(text, k, w);
}

/**
 * The sketch by searching for rare letters. Null if there are too few or too many
 * of them. `text` must come from `blankSpecials`.
 */
export function searchSketch(text: Buffer, k: number, w: number): Uint32Array | null {
  if (text.length < MIN_SEARCHED_BYTES || text.length > PLACES) return null;
  const sketch = new Uint32Array(SKETCH_SIZE);
  const grams = { text, k, w, last: lastGramStart(text, k) };
  let size = 0;
  for (let rank = 0; rank < RARE_LETTERS.length; rank++) {
    // One pass searches several ranks, because one rank is rarely enough.
    if (rank % RANKS_AT_ONCE === 0) findHits(text, rank);
    const count = HIT_COUNTS[rank % RANKS_AT_ONCE] as number;
    if (count > text.length / BYTES_A_HIT || count > MAX_HITS) return null;
    size = addLowest(grams, HITS[rank % RANKS_AT_ONCE]!.subarray(0, count), rank, sketch, size);
    // All values of a rank are smaller than all values of the next rank.
    if (size === SKETCH_SIZE) return sketch;
  }
  return null;
}

function sketchOfWhole(text: Buffer, k: number, w: number): Uint32Array {
  const values = winnow(text, k, w).values.sort();
  let size = 0;
  for (let at = 0; at < values.length && size < SKETCH_SIZE; at++) {
    if (at === 0 || values[at] !== values[at - 1]) values[size++] = values[at] as number;
  }
  return values.slice(0, size);
}

/**
 * Fills HITS with the positions of the letters of `RANKS_AT_ONCE` ranks, and HIT_COUNTS with their numbers. It goes
 * byte by byte: a call of `indexOf` costs as much as looking at 150 bytes, and hits are not much rarer than that.
 */
function findHits(text: Buffer, firstRank: number): void {
  const ranks = RANKS;
  const end = text.length;
  HIT_COUNTS.fill(0);
  for (let at = 0; at < end; at++) {
    const place = (ranks[text[at] as number] as number) - firstRank;
    if (place >= RANKS_AT_ONCE || place < 0) continue;
    const count = HIT_COUNTS[place] as number;
    // Writing beyond the end of the array has no effect. The count tells that there are too many.
    (HITS[place] as Int32Array)[count] = at;
    HIT_COUNTS[place] = count + 1;
  }
}

/** Adds the lowest values of this rank that winnowing selects to the sketch, in order. Returns the new size. */
function addLowest(grams: Grams, hits: Int32Array, rank: number, sketch: Uint32Array, size: number): number {
  const wanted = (SKETCH_SIZE - size) * SPARE;
  if (hits.length > wanted) {
    // Hashes are evenly distributed, so about as many as are wanted have values below this limit.
    const limit = Math.ceil((rank + wanted / hits.length) * 2 ** HASH_BITS);
    const filled = addSelected(grams, sortedCandidates(grams, hits, limit), rank, sketch, size);
    if (filled === SKETCH_SIZE) return filled;
  }
  return addSelected(grams, sortedCandidates(grams, hits, 2 ** 32), rank, sketch, size);
}

/** The K-grams that begin at a hit and have a value below `limit`. Value and position are one number, ascending. */
function sortedCandidates({ text, k }: Grams, hits: Int32Array, limit: number): Float64Array {
  const candidates = CANDIDATES;
  let count = 0;
  for (let hit = 0; hit < hits.length; hit++) {
    const at = hits[hit] as number;
    const value = gramValueAt(text, at, k, limit);
    if (value < limit) candidates[count++] = value * PLACES + at;
  }
  return count > MAX_INSERTED ? candidates.subarray(0, count).sort() : sortFew(count);
}

function addSelected(grams: Grams, sorted: Float64Array, rank: number, sketch: Uint32Array, oldSize: number): number {
  let size = oldSize;
  for (let i = 0; i < sorted.length && size < SKETCH_SIZE; i++) {
    const value = Math.floor((sorted[i] as number) / PLACES);
    if (size > 0 && sketch[size - 1] === value) continue;
    if (isSelected(grams, (sorted[i] as number) - value * PLACES, value, rank)) sketch[size++] = value;
  }
  return size;
}

function sortFew(count: number): Float64Array {
  const candidates = CANDIDATES;
  for (let i = 1; i < count; i++) {
    const candidate = candidates[i] as number;
    let to = i;
    for (; to > 0 && (candidates[to - 1] as number) > candidate; to--) candidates[to] = candidates[to - 1] as number;
    candidates[to] = candidate;
  }
  return candidates.subarray(0, count);
}

/** Whether some window of `w` K-grams has its smallest value at `at`, the rightmost of equal values. */
function isSelected({ text, k, w, last }: Grams, at: number, value: number, rank: number): boolean {
  const ranks = RANKS;
  const counts = COUNTS;
  let width = 1;
  for (let left = at - 1; left >= 0 && width < w; left--) {
    const code = text[left] as number;
    const other = ranks[code] as number;
    if (other <= rank && (other < rank || gramValueAt(text, left, k, value) < value)) break;
    width += counts[code] as number;
  }
  for (let right = at + 1; right <= last && width < w; right++) {
    const code = text[right] as number;
    const other = ranks[code] as number;
    if (other <= rank && (other < rank || gramValueAt(text, right, k, value + 1) <= value)) break;
    width += counts[code] as number;
  }
  return width >= w;
}

/** The index at which the last K-gram begins: `k` letters before the end. -1 if there is none. */
function lastGramStart(text: Buffer, k: number): number {
  let left = k;
  let at = text.length;
  while (left > 0 && --at >= 0) left -= COUNTS[text[at] as number] as number;
  return at;
}
