/**
 * The sketch: what a crawl keeps of a page's text to know near duplicates by.
 *
 * In: the UTF-8 text of a page. Out: the SKETCH_SIZE smallest distinct fingerprints of its winnowing, ascending. Fewer than
 * that are all there are; else they are all there are up to the last one.
 *
 * Always: exactly what winnowing the whole text would give. But a rolling hash over 28 KB costs several times what
 * reading the links of the page does. So a long text is searched for the letters that
 * gram-order.ts puts first; only there K-grams are hashed, and only around the smallest of them it is looked whether
 * winnowing selects them. bench/parts/sketch.ts has the figures.
 */
import { gramValueAt, HASH_BITS, RANKS, RARE_LETTERS } from './gram-order.ts';
import { blankSpecials, COUNTS } from './letters.ts';
import { DEFAULT_K, DEFAULT_W, winnow } from './winnow.ts';

export const SKETCH_SIZE = 32;

/** Below this a search rarely finds enough, and the whole is quickly winnowed. */
const MIN_SEARCHED_BYTES = 1_024;
/** A candidate is one number, value and place, and a number has 53 bits. */
const PLACES = 2 ** 21;
/** Where so many letters are rare ones, winnowing the whole is as quick. */
const MAX_HITS = 4_096;
const BYTES_A_HIT = 12;
/** Of many hits only those with low values are wanted: this many times what is missing, since some are not selected. */
const SPARE = 1.6;
/** Up to so many numbers, sorting by insertion takes a quarter of what the built-in sort does. */
const MAX_INSERTED = 150;

// Module-wide, since they are in use only while `sketchOf` runs.
const RANKS_AT_ONCE = 4;
const HITS = Array.from({ length: RANKS_AT_ONCE }, () => new Int32Array(MAX_HITS));
const HIT_COUNTS = new Int32Array(RANKS_AT_ONCE);
const CANDIDATES = new Float64Array(MAX_HITS);

/** What is asked for, and where the last K-gram of the text begins. */
interface Grams {
  readonly k: number;
  readonly w: number;
  readonly last: number;
}

export function sketchOf(source: Buffer, k = DEFAULT_K, w = DEFAULT_W): Uint32Array {
  const text = blankSpecials(source);
  return searchSketch(text, k, w) ?? sketchOfWhole(text, k, w);
}

/** The sketch by searching for rare letters; null where they are too few, or too many. `text` has its special characters blanked. */
export function searchSketch(text: Buffer, k: number, w: number): Uint32Array | null {
  if (text.length < MIN_SEARCHED_BYTES || text.length > PLACES) return null;
  const sketch = new Uint32Array(SKETCH_SIZE);
  const grams = { k, w, last: lastGramStart(text, k) };
  let size = 0;
  for (let rank = 0; rank < RARE_LETTERS.length; rank++) {
    // One look for several ranks: one is rarely enough.
    if (rank % RANKS_AT_ONCE === 0) findHits(text, rank);
    const count = HIT_COUNTS[rank % RANKS_AT_ONCE] as number;
    if (count > text.length / BYTES_A_HIT || count > MAX_HITS) return null;
    size = addLowest(text, HITS[rank % RANKS_AT_ONCE]!.subarray(0, count), rank, sketch, size, grams);
    // All of a rank are smaller than all of the next.
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
 * Fills HITS with the places of the letters of `RANKS_AT_ONCE` ranks, and HIT_COUNTS with how many there are. Byte by byte: to
 * call `indexOf` for each hit costs as much as looking at 150 bytes, and hits are not much rarer than that.
 */
function findHits(text: Buffer, firstRank: number): void {
  const ranks = RANKS;
  const end = text.length;
  HIT_COUNTS.fill(0);
  for (let at = 0; at < end; at++) {
    const place = (ranks[text[at] as number] as number) - firstRank;
    if (place >= RANKS_AT_ONCE || place < 0) continue;
    const count = HIT_COUNTS[place] as number;
    // Writing beyond the end does nothing; that there are too many is seen by the count.
    (HITS[place] as Int32Array)[count] = at;
    HIT_COUNTS[place] = count + 1;
  }
}

/** Adds the lowest values of this rank that winnowing selects to the sketch, in order, and returns its new size. */
function addLowest(
  text: Buffer,
  hits: Int32Array,
  rank: number,
  sketch: Uint32Array,
  size: number,
  grams: Grams,
): number {
  const wanted = (SKETCH_SIZE - size) * SPARE;
  if (hits.length > wanted) {
    // Hashes are spread evenly: about as many as are wanted have values below this.
    const limit = Math.ceil((rank + wanted / hits.length) * 2 ** HASH_BITS);
    const filled = addSelected(text, sortedCandidates(text, hits, limit, grams.k), rank, sketch, size, grams);
    if (filled === SKETCH_SIZE) return filled;
  }
  return addSelected(text, sortedCandidates(text, hits, 2 ** 32, grams.k), rank, sketch, size, grams);
}

/** The K-grams that begin at a hit and have a value below `limit`: value and place in one number, ascending. */
function sortedCandidates(text: Buffer, hits: Int32Array, limit: number, k: number): Float64Array {
  const candidates = CANDIDATES;
  let count = 0;
  for (let hit = 0; hit < hits.length; hit++) {
    const at = hits[hit] as number;
    const value = gramValueAt(text, at, k, limit);
    if (value < limit) candidates[count++] = value * PLACES + at;
  }
  return count > MAX_INSERTED ? candidates.subarray(0, count).sort() : sortFew(count);
}

function addSelected(
  text: Buffer,
  sorted: Float64Array,
  rank: number,
  sketch: Uint32Array,
  oldSize: number,
  grams: Grams,
): number {
  let size = oldSize;
  for (let i = 0; i < sorted.length && size < SKETCH_SIZE; i++) {
    const value = Math.floor((sorted[i] as number) / PLACES);
    if (size > 0 && sketch[size - 1] === value) continue;
    if (isSelected(text, (sorted[i] as number) - value * PLACES, value, rank, grams)) sketch[size++] = value;
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

/** Whether there is a window of `w` K-grams in which the one at `at` is the smallest, and the rightmost of equals. */
function isSelected(text: Buffer, at: number, value: number, rank: number, { k, w, last }: Grams): boolean {
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

/** Where the last K-gram begins: `k` letters from the end. -1 where there is none. */
function lastGramStart(text: Buffer, k: number): number {
  let left = k;
  let at = text.length;
  while (left > 0 && --at >= 0) left -= COUNTS[text[at] as number] as number;
  return at;
}
