/** Winnowing written plainly, by its definition (E5). */
import { fingerprintsOf, K } from '../../src/content/fingerprints/fingerprints.ts';

/** The value of each gram of a text: a text of K words has one gram, which is its only fingerprint. */
export function gramValuesOf(words: Uint32Array): number[] {
  const values: number[] = [];
  for (let at = 0; at + K <= words.length; at++) values.push(fingerprintsOf(words.subarray(at, at + K))[0] as number);
  return values;
}

/** The places of the smallest value of each window of `w` values, the rightmost one if several are equal. */
export function selectMinima(values: readonly number[], w: number): number[] {
  const places = new Set<number>();
  const width = Math.min(w, values.length);
  for (let first = 0; first + width <= values.length && width > 0; first++) {
    const window = values.slice(first, first + width);
    places.add(first + window.lastIndexOf(Math.min(...window)));
  }
  return [...places];
}
