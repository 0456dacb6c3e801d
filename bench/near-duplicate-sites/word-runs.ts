/**
 * The full comparison of texts by their runs of three words. In: texts as hashes of words. Out: the share of common runs
 * (Jaccard), and for each text all earlier texts that reach a share.
 *
 * What always holds: runs are numbered and not hashed, so two different runs never count as the same, and no pair that
 * reaches the share is missed.
 */
import type { PageWords } from '../../src/core/page/page-words.ts';

const RUN = 3;
/** More different words than any site here has. The number of a pair of words times this is exact in a number. */
const MOST_WORDS = 2 ** 21;
const MOST_RUNS = 2 ** 32;
/** Products of a share and a number have a smaller error than this. */
const ROUNDING = 1e-9;

/** Numbers keys in the order of their first use. */
class Numbering {
  readonly #numbers = new Map<number, number>();

  numberOf(key: number): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** Numbers the runs of all texts that are compared with each other. */
export class RunNumbers {
  readonly #words = new Numbering();
  readonly #pairs = new Numbering();
  readonly #runs = new Numbering();

  /** The different runs of a text, ascending. */
  runsOf(text: Uint32Array): Uint32Array {
    const words = text.map((word) => this.#words.numberOf(word));
    if (words.some((word) => word >= MOST_WORDS)) throw new Error(`there are more than ${MOST_WORDS} different words`);
    const runs = new Set<number>();
    for (let at = RUN - 1; at < words.length; at++) {
      const pair = this.#pairs.numberOf(words[at - 2]! * MOST_WORDS + words[at - 1]!);
      runs.add(this.#runs.numberOf(pair * MOST_WORDS + words[at]!));
    }
    return Uint32Array.from(runs).sort();
  }
}

/** The words of the blocks that are not template. */
export function ownWords({ words, count, ends, blocks }: PageWords, marks: Uint8Array): Uint32Array {
  const text = new Uint32Array(count);
  let length = 0;
  for (let block = 0; block < blocks; block++) {
    if (marks[block] === 1) continue;
    const own = words.subarray(block === 0 ? 0 : ends[block - 1]!, ends[block]!);
    text.set(own, length);
    length += own.length;
  }
  return text.slice(0, length);
}

/** The share of common elements of two ascending lists. */
export function jaccard(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let common = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left, right] = [a[i]!, b[j]!];
    if (left === right) common++;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return common === 0 ? 0 : common / (a.length + b.length - common);
}

export interface SimilarText {
  readonly at: number;
  readonly share: number;
}

/**
 * For each list of runs, the earlier lists with at least this share of common runs. If two sets have it, the smallest
 * common element of any order is among the first n − ⌈least · n⌉ + 1 of either (the prefix filter; Chaudhuri, Ganti,
 * Kaushik 2006). Rare runs come first in the order, so few pairs are compared.
 */
export function earlierSimilar(texts: readonly Uint32Array[], least: number): SimilarText[][] {
  const counts = new Map<number, number>();
  for (const runs of texts) for (const run of runs) counts.set(run, (counts.get(run) ?? 0) + 1);
  const ordered = texts.map((runs) => Float64Array.from(runs, (run) => counts.get(run)! * MOST_RUNS + run).sort());
  const textsWith = new Map<number, number[]>();
  return ordered.map((runs, at) => {
    const candidates = new Set<number>();
    const prefix = runs.length === 0 ? 0 : runs.length - Math.ceil(least * runs.length - ROUNDING) + 1;
    for (const run of runs.subarray(0, prefix)) {
      // A run of a single text leads to no other text.
      if (run < 2 * MOST_RUNS) continue;
      const others = textsWith.get(run) ?? [];
      for (const other of others) candidates.add(other);
      others.push(at);
      textsWith.set(run, others);
    }
    return [...candidates]
      .map((other) => ({ at: other, share: jaccard(runs, ordered[other]!) }))
      .filter(({ share }) => share >= least);
  });
}
