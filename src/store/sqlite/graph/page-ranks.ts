/**
 * The last computed PageRank: one row of single-precision numbers per block of neighbouring ids.
 *
 * The partner for PostgreSQL is store/postgres/graph/page-ranks.ts;
 * the shared contract test is test/store/contract/graph.ts.
 */
import type { LinkEnd } from '../../../graph/segment-reader.ts';
import { TableAccess } from '../table-access.ts';

const BLOCK_IDS = 1024;

export class PageRanks extends TableAccess {
  readonly #select = this.db.prepare('SELECT ranks FROM page_ranks WHERE block = ?');
  readonly #replace = this.db.prepare('INSERT OR REPLACE INTO page_ranks (block, ranks) VALUES (?, ?)');
  readonly #dropFrom = this.db.prepare('DELETE FROM page_ranks WHERE block >= ?');

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

/**
 * Selects the pages with the highest PageRank; pages of equal rank keep their order. Millions of pages may link to a
 * URL, so only the wanted number is kept in memory.
 *
 * The partner for PostgreSQL is store/postgres/graph/graph-calls.ts;
 * the shared contract test is test/store/contract/graph.ts.
 */
export class HighestRanked {
  readonly #pageRanks: PageRanks;
  readonly #limit: number;
  #kept: { readonly end: LinkEnd; readonly rank: number }[] = [];

  constructor(pageRanks: PageRanks, limit: number) {
    this.#pageRanks = pageRanks;
    this.#limit = limit;
  }

  add(ends: readonly LinkEnd[]): void {
    if (ends.length === 0) return;
    const ranks = this.#pageRanks.of(ends.map(({ id }) => id));
    const all = [...this.#kept, ...ends.map((end, i) => ({ end, rank: ranks[i]! }))];
    this.#kept = all.sort((a, b) => b.rank - a.rank).slice(0, this.#limit);
  }

  get ends(): LinkEnd[] {
    return this.#kept.map(({ end }) => end);
  }
}
