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
import { type KernelExports, loadKernel, type Position } from '../../core/kernel.ts';
import { KERNEL } from './sketch-kernel.wasm.ts';

export const K = 3;
export const W = 4;
export const SKETCH_SIZE = 32;

/** Only low values are sorted if there are many: so many times the wanted number, because some are not selected. */
const SPARE = 2;
const MAX_VALUE = 2 ** 32;

/** The sample has one byte for each part of the grams. */
export const SAMPLE_NUMBERS = 32;
const PARTS = SAMPLE_NUMBERS * 4;
const EMPTY = MAX_VALUE - 1;
/** Longer lists are sorted by the built-in sort. */
const MAX_INSERTED = 200;

/** Grams are computed in WebAssembly, four at a time: about 38 instead of 64 µs per page, by samples of a profiler. */
interface Kernel extends KernelExports {
  readonly least: Position;
  readonly words: Position;
  readonly grams: Position;
  /** Computes the grams of the first words in the memory, and the smallest hash of each part of the sample. */
  readonly fill: (count: number) => number;
  /** Replaces the words by the fingerprints up to the limit, in the order of the text. Returns how many there are. */
  readonly select: (length: number, limit: number) => number;
}

const kernel = loadKernel<Kernel>(KERNEL)();
const LEAST = new Uint32Array(kernel.memory.buffer, kernel.least.value, PARTS);
/** The words of the text that is sketched next. It has room for more words than a page can have. */
export const WORDS = new Uint32Array(
  kernel.memory.buffer,
  kernel.words.value,
  (kernel.grams.value - kernel.words.value) / Uint32Array.BYTES_PER_ELEMENT,
);

/** Sample and prints of a text, as the store keeps them (store/rules/near-duplicate-rule.ts). */
export function sketchOf(words: Uint32Array): Uint32Array {
  return sketchFirst(fill(words));
}

/** The sketch of the first words in `WORDS`, which are lost by it. */
export function sketchFirst(count: number): Uint32Array {
  const length = kernel.fill(count);
  const prints = smallest(length);
  const sketch = new Uint32Array(SAMPLE_NUMBERS + prints.length);
  fillSample(new Uint8Array(sketch.buffer, 0, PARTS));
  sketch.set(prints, SAMPLE_NUMBERS);
  return sketch;
}

/** All fingerprints of a text, ascending and distinct. */
export function fingerprintsOf(words: Uint32Array): Uint32Array {
  return selectedUpTo(kernel.fill(fill(words)), EMPTY).slice();
}

function fill(words: Uint32Array): number {
  const count = Math.min(words.length, WORDS.length);
  WORDS.set(words.subarray(0, count));
  return count;
}

/** The smallest fingerprints. They are searched among the low values first, because sorting all values costs more. */
function smallest(length: number): Uint32Array {
  for (let limit = Math.ceil((MAX_VALUE * SKETCH_SIZE * SPARE) / length); ; limit *= 4) {
    const values = selectedUpTo(length, Math.min(limit, EMPTY));
    if (values.length >= SKETCH_SIZE || limit >= MAX_VALUE) return values.subarray(0, SKETCH_SIZE);
  }
}

/**
 * Fills the sample (one-permutation hashing; Li, Owen, Zhang 2012). Another hash of the grams divides them into parts,
 * and a byte of the smallest hash of each part is kept. 0 is an empty part.
 */
function fillSample(sample: Uint8Array): void {
  for (let part = 0; part < PARTS; part++) {
    const least = LEAST[part] as number;
    sample[part] = least === EMPTY ? 0 : (least % 255) + 1;
  }
}

/** The fingerprints up to the limit, ascending and distinct. Valid until the next call. */
function selectedUpTo(length: number, limit: number): Uint32Array {
  const sorted = WORDS.subarray(0, kernel.select(length, limit));
  if (sorted.length > MAX_INSERTED) sorted.sort();
  else sortFew(sorted);
  let distinct = 0;
  for (let at = 0; at < sorted.length; at++) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[distinct++] = sorted[at] as number;
  }
  return sorted.subarray(0, distinct);
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
