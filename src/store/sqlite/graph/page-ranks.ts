/**
 * The last computed PageRank: one row of single-precision numbers per block of neighbouring ids.
 *
 * The partner for PostgreSQL is store/postgres/graph/page-ranks.ts;
 * the shared contract test is test/store/contract/graph.ts.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const BLOCK_IDS = 1024;

export class PageRanks {
  readonly #select: StatementSync;
  readonly #replace: StatementSync;
  readonly #dropFrom: StatementSync;

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT ranks FROM page_ranks WHERE block = ?');
    this.#replace = db.prepare('INSERT OR REPLACE INTO page_ranks (block, ranks) VALUES (?, ?)');
    this.#dropFrom = db.prepare('DELETE FROM page_ranks WHERE block >= ?');
  }

  /** `ranks` is indexed by id. Runs inside the caller's transaction. */
  write(ranks: Float32Array): void {
    for (let from = 0; from < ranks.length; from += BLOCK_IDS) {
      const block = ranks.subarray(from, from + BLOCK_IDS);
      this.#replace.run(from / BLOCK_IDS, new Uint8Array(block.buffer, block.byteOffset, block.byteLength));
    }
    // Deletes the remaining blocks of earlier, longer ranks.
    this.#dropFrom.run(Math.ceil(ranks.length / BLOCK_IDS));
  }

  /** Returns 0 for a URL that was not known when the ranks were computed. */
  of(ids: readonly number[]): number[] {
    const ranks = new Array<number>(ids.length).fill(0);
    const byBlock = Map.groupBy(ids.keys(), (i) => Math.floor(ids[i]! / BLOCK_IDS));
    for (const [block, places] of byBlock) {
      const row = this.#select.get(block) as { ranks: Uint8Array } | undefined;
      if (row === undefined) continue;
      const bytes = new DataView(row.ranks.buffer, row.ranks.byteOffset, row.ranks.byteLength);
      for (const i of places) {
        const at = (ids[i]! - block * BLOCK_IDS) * Float32Array.BYTES_PER_ELEMENT;
        if (at < bytes.byteLength) ranks[i] = bytes.getFloat32(at, true);
      }
    }
    return ranks;
  }
}
