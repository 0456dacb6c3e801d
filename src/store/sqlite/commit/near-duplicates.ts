/**
 * Near duplicates (E5): whether a new page says nearly the same as an earlier one.
 *
 * In: the sketch of a page that is no duplicate otherwise. Out: the most similar of the earlier pages, if one reaches the
 * threshold; among equals the one that was discovered first. Only a page that resembles no earlier one can be resembled: it
 * is a *leader*, and is indexed.
 *
 * Always: exactly what comparing with every leader would give, though only those are looked at that share some of the first
 * fingerprints with the page. A fingerprint that 8 leaders have is boilerplate: later leaders are not indexed under it but
 * under one more of the others. That changes nothing, as docs/duplicates.md shows, but for a leader that has hardly
 * anything else than boilerplate.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  isAsLarge,
  LEAST_PRINTS,
  leastCommon,
  MOST_LEADERS,
  moreSimilar,
  type NearDuplicate,
  prefixLength,
} from '../sketches.ts';
import { PrintIndex } from './print-index.ts';

/** The index keeps ids in four bytes. A page beyond is compared with the others, but none with it. */
const MOST_ID = 2 ** 32 - 1;
/** Sketches read lately; boilerplate leads to the same ones again and again. Half a kilobyte each. */
const MOST_KEPT = 4_096;

export class NearDuplicates {
  readonly #index: PrintIndex;
  readonly #selectSketch: StatementSync;
  readonly #selectBytes: StatementSync;
  /** Used again for each page. */
  readonly #common = new Map<number, number>();
  readonly #sketches = new Map<number, Uint32Array | null>();

  constructor(db: DatabaseSync, slotBits?: number) {
    this.#index = new PrintIndex(db, slotBits);
    this.#selectBytes = db.prepare('SELECT bytes FROM pages WHERE url_id = ?');
    this.#selectSketch = db.prepare('SELECT sketch FROM pages WHERE url_id = ?');
  }

  /**
   * Of which page it is a near duplicate; null makes it a leader, whose sketch the caller stores. `cutBytes`: where the sketch
   * is of the beginning of a longer page, the size of that; one page has to have as much of the other's size as of its text.
   */
  judge(id: number, sketch: Uint32Array, threshold: number, cutBytes = 0): NearDuplicate | null {
    this.#sketches.delete(id);
    if (threshold === 0 || sketch.length < LEAST_PRINTS) return null;
    const { rare, common } = this.#lookUp(sketch, prefixLength(sketch.length, threshold));
    // It may have been a page before, that was lost and fetched again, or has changed.
    const isIndexed = common.delete(id);
    const least = leastCommon(sketch.length, threshold);
    let best: NearDuplicate | null = null;
    for (const [page, prints] of common) {
      if (prints >= least && this.#isAsLarge(page, cutBytes, threshold)) {
        best = moreSimilar(sketch, page, this.#sketchOf(page), best, threshold);
      }
    }
    if (best !== null || id > MOST_ID) return best;
    for (const print of rare) {
      // A page that changes a little every day must not fill the lists of what it keeps saying.
      if (!isIndexed || !this.#index.pagesWith(print).includes(id)) this.#index.add(print, id);
    }
    return null;
  }

  /** The first fingerprints that are no boilerplate, and how many of the first ones each leader has. */
  #lookUp(sketch: Uint32Array, wanted: number): { rare: number[]; common: Map<number, number> } {
    const rare: number[] = [];
    const common = this.#common;
    common.clear();
    for (let i = 0; i < sketch.length && rare.length < wanted; i++) {
      const print = sketch[i] as number;
      const pages = this.#index.pagesWith(print);
      if (pages.length < MOST_LEADERS) rare.push(print);
      for (const page of pages) common.set(page, (common.get(page) ?? 0) + 1);
    }
    return { rare, common };
  }

  /**
   * A page says something else now, or is gone. The index still names it under fingerprints it had: that leads to a comparison
   * with what it says now, and to no more.
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

  #isAsLarge(page: number, cutBytes: number, threshold: number): boolean {
    if (cutBytes === 0) return true;
    const { bytes } = (this.#selectBytes.get(page) as { bytes: number } | undefined) ?? { bytes: 0 };
    return isAsLarge(bytes, cutBytes, threshold);
  }

  /** Null for a page that is no leader any more: it was fetched again, and is something else now. */
  #sketchOf(page: number): Uint32Array | null {
    const kept = this.#sketches.get(page);
    if (kept !== undefined) return kept;
    const row = this.#selectSketch.get(page) as { sketch: Uint8Array | null } | undefined;
    const sketch = row?.sketch ? new Uint32Array(row.sketch.slice().buffer) : null;
    if (this.#sketches.size >= MOST_KEPT) this.#sketches.clear();
    this.#sketches.set(page, sketch);
    return sketch;
  }
}
