/** Sketches for tests of the store, and the two measures of similarity written plainly. */
import { SAMPLE_NUMBERS, SKETCH_SIZE } from '../../src/store/rules/near-duplicate-rule.ts';

const SAMPLE_BYTES = 4 * SAMPLE_NUMBERS;

/**
 * The sketch of a text with these fingerprints. Every fingerprint also counts as a gram of the sample, so two sketches
 * with common prints have a similar sample.
 */
export function sketchWith(fingerprints: Iterable<number>): Uint32Array {
  const all = Uint32Array.from(new Set(fingerprints)).sort();
  const least = new Map<number, number>();
  for (const print of all) {
    const hash = Math.imul(print ^ (print >>> 15), 0x45d9f3b) >>> 0;
    const part = hash % SAMPLE_BYTES;
    least.set(part, Math.min(least.get(part) ?? 2 ** 32, hash));
  }
  const prints = all.subarray(0, SKETCH_SIZE);
  const sketch = new Uint32Array(SAMPLE_NUMBERS + prints.length);
  const bytes = new Uint8Array(sketch.buffer);
  for (const [part, hash] of least) bytes[part] = 1 + ((hash >>> 8) % 255);
  sketch.set(prints, SAMPLE_NUMBERS);
  return sketch;
}

/**
 * The share of common fingerprints, up to the value where both sketches are complete. It is exact if both texts are
 * short.
 */
export function comparePrints(a: Uint32Array, b: Uint32Array): number {
  const isWhole = (prints: Uint32Array): boolean => prints.length < SKETCH_SIZE;
  const end = Math.min(isWhole(a) ? 2 ** 32 : (a.at(-1) as number), isWhole(b) ? 2 ** 32 : (b.at(-1) as number));
  return sharedPart(
    a.filter((print) => print <= end),
    b.filter((print) => print <= end),
  );
}

/** The share of the values of both lists that are in both. */
export function sharedPart(a: Iterable<number>, b: Iterable<number>): number {
  const [inA, inB] = [new Set(a), new Set(b)];
  const shared = [...inA].filter((value) => inB.has(value)).length;
  return shared === 0 ? 0 : shared / (inA.size + inB.size - shared);
}

/** The share of equal bytes among those that stand for a part with grams in one of the texts. */
export function compareSamples(a: Uint32Array, b: Uint32Array): number {
  const [left, right] = [a, b].map((sketch) => [...new Uint8Array(sketch.buffer, sketch.byteOffset, SAMPLE_BYTES)]);
  const used = left!.map((byte, part) => [byte, right![part]!] as const).filter(([x, y]) => x !== 0 || y !== 0);
  return used.length === 0 ? 0 : used.filter(([x, y]) => x === y).length / used.length;
}
