/**
 * The fingerprints of a text, by winnowing (E5; Schleimer, Wilkerson, Aiken 2003), and the sketch that the store keeps
 * of them.
 *
 * In: the hashes of the words of a text, in order. Every K words in a row are a gram with a hash. The smallest hash of
 * each W grams in a row is a fingerprint, the rightmost one if several are equal. Out: the SKETCH_SIZE smallest
 * fingerprints, ascending. If there are fewer, they are all fingerprints of the text; otherwise all up to the last one.
 *
 * What always holds: two texts that share a run of K + W - 1 words share a fingerprint, wherever the run stands and
 * whatever its spacing, punctuation and case. Two texts that share no run of K words share none, except by chance.
 *
 * The unit is the word, because the page stage hashes words once for templates, near duplicates and new content.
 */
export const K = 3;
export const W = 4;
export const SKETCH_SIZE = 32;

/** Only low values are sorted if there are many: so many times the wanted number, because some are not selected. */
const SPARE = 2;
const MAX_VALUE = 2 ** 32;

/** The sample has one byte for each part of the grams. */
export const SAMPLE_NUMBERS = 32;
const PARTS = SAMPLE_NUMBERS * 4;
const PART_SHIFT = 32 - Math.log2(PARTS);
const EMPTY = MAX_VALUE - 1;
const LEAST = new Uint32Array(PARTS);

let grams = new Uint32Array(8_192);
let selected = new Uint32Array(512);
/** Longer lists are sorted by the built-in sort. */
const MAX_INSERTED = 200;

/** Sample and prints of the first `count` words, as the store keeps them (store/rules/near-duplicate-rule.ts). */
export function sketchOf(words: Uint32Array, count = words.length): Uint32Array {
  const length = gramsOf(words, count);
  const prints = smallest(length);
  const sketch = new Uint32Array(SAMPLE_NUMBERS + prints.length);
  fillSample(length, sketch);
  sketch.set(prints, SAMPLE_NUMBERS);
  return sketch;
}

/** The smallest fingerprints. They are searched among the low values first, because sorting all values costs more. */
function smallest(length: number): Uint32Array {
  for (let limit = (MAX_VALUE * SKETCH_SIZE * SPARE) / length; ; limit *= 4) {
    const values = selectedBelow(length, limit);
    if (values.length >= SKETCH_SIZE || limit >= MAX_VALUE) return values.subarray(0, SKETCH_SIZE);
  }
}

/**
 * Writes the sample into the first numbers of the sketch (one-permutation hashing; Li, Owen, Zhang 2012). Another hash
 * of the grams divides them into parts, and a byte of the smallest hash of each part is kept. 0 is an empty part.
 */
function fillSample(length: number, sketch: Uint32Array): void {
  const values = grams;
  const least = LEAST.fill(EMPTY);
  for (let at = 0; at < length; at++) {
    const value = values[at] as number;
    const hash = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0;
    const part = hash >>> PART_SHIFT;
    const rest = Math.imul(hash ^ (hash >>> 12), 0x297a2d39) >>> 0;
    if (rest < (least[part] as number)) least[part] = rest;
  }
  const bytes = new Uint8Array(sketch.buffer, 0, PARTS);
  for (let part = 0; part < PARTS; part++)
    bytes[part] = least[part] === EMPTY ? 0 : ((least[part] as number) % 255) + 1;
}

/** All fingerprints of a text, ascending and distinct. */
export function fingerprintsOf(words: Uint32Array, count = words.length): Uint32Array {
  return selectedBelow(gramsOf(words, count), MAX_VALUE).slice();
}

/** Fills the buffer with the values of all grams. A text of fewer than K words has none. Returns how many there are. */
function gramsOf(words: Uint32Array, count: number): number {
  const length = Math.max(0, count - K + 1);
  if (length > grams.length) grams = new Uint32Array(length * 2);
  const values = grams;
  for (let at = 0; at < length; at++) {
    let hash = words[at] as number;
    hash = Math.imul((hash << 7) | (hash >>> 25), 0x9e3779b1) + (words[at + 1] as number);
    hash = Math.imul((hash << 7) | (hash >>> 25), 0x9e3779b1) + (words[at + 2] as number);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    values[at] = hash ^ (hash >>> 13);
  }
  return length;
}

/** The fingerprints that are smaller than the limit, ascending and distinct. Valid until the next call. */
function selectedBelow(length: number, limit: number): Uint32Array {
  const values = grams;
  let size = 0;
  for (let at = 0; at < length; at++) {
    if ((values[at] as number) >= limit || !isSelected(at, length)) continue;
    if (size === selected.length) selected = grownTo(selected, size * 2);
    selected[size++] = values[at] as number;
  }
  const sorted = selected.subarray(0, size);
  if (size > MAX_INSERTED) sorted.sort();
  else sortFew(sorted);
  let distinct = 0;
  for (let at = 0; at < size; at++) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[distinct++] = sorted[at] as number;
  }
  return sorted.subarray(0, distinct);
}

function grownTo(values: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(size);
  grown.set(values);
  return grown;
}

/** Insertion sort takes a quarter of the time of the built-in sort here. */
function sortFew(values: Uint32Array): void {
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as number;
    let to = i;
    for (; to > 0 && (values[to - 1] as number) > value; to--) values[to] = values[to - 1] as number;
    values[to] = value;
  }
}

/** Returns true if a window of W grams has its smallest value here. A text of fewer than W grams is one window. */
function isSelected(at: number, length: number): boolean {
  const values = grams;
  const value = values[at] as number;
  let first = at;
  while (first > 0 && at - first < W - 1 && (values[first - 1] as number) >= value) first--;
  let last = at;
  while (last + 1 < length && last - first < W - 1 && (values[last + 1] as number) > value) last++;
  return last - first + 1 >= Math.min(W, length);
}
