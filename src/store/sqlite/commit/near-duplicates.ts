/**
 * Near duplicates (E5): finds the earlier page that a new page nearly repeats (store/rules/near-duplicate-rule.ts has
 * the rule).
 *
 * In: the sketch of a page that is no other kind of duplicate. Out: the most similar earlier page that reaches the
 * threshold; among equals the one that was discovered first. Only a page that resembles no earlier page can be
 * resembled: it is a *leader*, and is indexed.
 *
 * What always holds: the result equals a comparison with every leader, although only leaders are compared that share
 * some of the first fingerprints with the page. A fingerprint of 8 leaders is boilerplate: later leaders are not
 * indexed under it, but under one more of their other fingerprints. docs/duplicates.md shows that this changes nothing,
 * except for a leader that consists almost only of boilerplate.
 *
 * The partner for PostgreSQL is store/postgres/commit/near-duplicates.ts;
 * the shared contract test is test/store/contract/near-duplicates.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import { sketchIn } from '../../records/record-rows.ts';
import {
  leastCommon,
  MOST_LEADERS,
  moreSimilar,
  type NearDuplicate,
  prefixLength,
  printsOf,
} from '../../rules/near-duplicate-rule.ts';
import { TableAccess } from '../table-access.ts';
import { FingerprintIndex } from './fingerprint-index.ts';

/** The index stores ids in four bytes. A page with a larger id is compared with others, but is not indexed itself. */
const MOST_ID = 2 ** 32 - 1;
/** Number of cached sketches, half a kilobyte each. Boilerplate leads to the same sketches again and again. */
const MOST_KEPT = 4_096;

export class NearDuplicates extends TableAccess {
  readonly #index: FingerprintIndex;
  /** Reused for each page. */
  readonly #common = new Map<number, number>();
  readonly #sketches = new Map<number, Uint32Array | null>();
  readonly #leaderSketch = this.db.prepare(
    'SELECT sketch FROM pages WHERE url_id = ? AND near_of IS NULL AND duplicate_of IS NULL',
  );

  constructor(db: DatabaseSync, slotBits?: number) {
    super(db);
    this.#index = new FingerprintIndex(db, slotBits);
  }

  /**
   * Returns the page that this page nearly duplicates. Null makes this page a leader.
   */
  judge(id: number, sketch: Uint32Array, threshold: number): NearDuplicate | null {
    this.#sketches.delete(id);
    const prints = printsOf(sketch);
    if (threshold === 0) return null;
    const { rare, common } = this.#lookUp(prints, prefixLength(prints.length, threshold));
    // The page may already be indexed: it was lost and fetched again, or it has changed.
    const isIndexed = common.delete(id);
    const least = leastCommon(prints.length, threshold);
    let best: NearDuplicate | null = null;
    for (const [page, shared] of common) {
      if (shared >= least) best = moreSimilar(sketch, page, this.#sketchOf(page), best, threshold);
    }
    if (best !== null || id > MOST_ID) return best;
    for (const print of rare) {
      // A page that changes a little every day must not fill the lists of the fingerprints that it keeps.
      if (!isIndexed || !this.#index.pagesWith(print).includes(id)) this.#index.add(print, id);
    }
    return null;
  }

  /** Returns the first fingerprints that are no boilerplate, and how many of the first fingerprints each leader has. */
  #lookUp(prints: Uint32Array, wanted: number): { rare: number[]; common: Map<number, number> } {
    const rare: number[] = [];
    const common = this.#common;
    common.clear();
    for (let i = 0; i < prints.length && rare.length < wanted; i++) {
      const print = prints[i] as number;
      const pages = this.#index.pagesWith(print);
      if (pages.length < MOST_LEADERS) rare.push(print);
      for (const page of pages) common.set(page, (common.get(page) ?? 0) + 1);
    }
    return { rare, common };
  }

  /**
   * Called when a page has another text or is gone. The index still lists it under its old fingerprints. That only
   * leads to a comparison with its current text.
   */
  leave(id: number): void {
    this.#sketches.delete(id);
  }

  write(): void {
    this.#index.write();
  }

  forget(): void {
    this.#index.forget();
    this.#sketches.clear();
  }

  /** Null for a page that is no longer a leader: it has another text now, or it became a duplicate. */
  #sketchOf(page: number): Uint32Array | null {
    const kept = this.#sketches.get(page);
    if (kept !== undefined) return kept;
    const row = this.#leaderSketch.get(page) as { sketch: Uint8Array | null } | undefined;
    const sketch = row?.sketch ? sketchIn(row.sketch) : null;
    if (this.#sketches.size >= MOST_KEPT) this.#sketches.clear();
    this.#sketches.set(page, sketch);
    return sketch;
  }
}
