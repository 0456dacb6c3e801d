/**
 * Near duplicates (E5): whether a new page says nearly the same as an earlier one.
 *
 * In: the sketch of a page that is no duplicate otherwise. Out: the most similar of the earlier pages, if one reaches the
 * threshold; among equals the one that was discovered first. Only a page that resembles no earlier one can be resembled: it
 * is a *leader*, and is indexed.
 *
 * Always: exactly what comparing with every leader would give, though only those are looked at that share one of the first
 * fingerprints with the page. A fingerprint that 16 leaders have is boilerplate: later leaders are not indexed under it but
 * under one more of the others. That changes nothing, as docs/duplicates.md shows, but for a leader that has hardly
 * anything else than boilerplate.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LEAST_PRINTS, prefixLength, similarity } from '../sketches.ts';
import { MOST_PAGES, PrintIndex } from './print-index.ts';

export interface NearDuplicate {
  readonly of: number;
  readonly similarity: number;
}

/** The index keeps ids in four bytes. A page beyond is compared with the others, but none with it. */
const MOST_ID = 2 ** 32 - 1;
/** Sketches read lately; boilerplate leads to the same ones again and again. Half a kilobyte each. */
const MOST_KEPT = 4_096;

export class NearDuplicates {
  readonly #index: PrintIndex;
  readonly #selectSketch: StatementSync;
  readonly #sketches = new Map<number, Uint32Array | null>();

  constructor(db: DatabaseSync, slotBits?: number) {
    this.#index = new PrintIndex(db, slotBits);
    this.#selectSketch = db.prepare('SELECT sketch FROM pages WHERE url_id = ?');
  }

  /** Of which page it is a near duplicate; null makes it a leader, whose sketch the caller stores. */
  judge(id: number, sketch: Uint32Array, threshold: number): NearDuplicate | null {
    this.#sketches.delete(id);
    if (threshold === 0 || sketch.length < LEAST_PRINTS) return null;
    let best: NearDuplicate | null = null;
    let wanted = prefixLength(sketch.length, threshold);
    const rare: number[] = [];
    // Itself, too: it may have been a page before, that was lost and fetched again.
    const compared = new Set([id]);
    for (let i = 0; i < sketch.length && rare.length < wanted; i++) {
      const print = sketch[i] as number;
      const pages = this.#index.pagesWith(print);
      if (pages.length < MOST_PAGES) rare.push(print);
      for (const page of pages) {
        if (compared.has(page)) continue;
        compared.add(page);
        const before: NearDuplicate | null = best;
        best = this.#moreSimilar(sketch, page, before, threshold);
        // What is to be at least as similar as this one shares one of fewer fingerprints.
        if (best !== before) wanted = prefixLength(sketch.length, best!.similarity);
      }
    }
    if (best === null && id <= MOST_ID) for (const print of rare) this.#index.add(print, id);
    return best;
  }

  write(): void {
    this.#index.write();
  }

  forget(): void {
    this.#index.forget();
    this.#sketches.clear();
  }

  /** The page if it is more similar than the best so far, or as similar and discovered earlier; else the best so far. */
  #moreSimilar(sketch: Uint32Array, page: number, best: NearDuplicate | null, threshold: number): NearDuplicate | null {
    const other = this.#sketchOf(page);
    const share = other === null ? 0 : similarity(sketch, other, best?.similarity ?? threshold);
    if (share === 0 || (best !== null && share === best.similarity && page > best.of)) return best;
    return { of: page, similarity: share };
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
