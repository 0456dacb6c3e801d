/**
 * The last computed PageRank: one row of single-precision numbers for each block of neighbouring ids.
 *
 * The partner for SQLite is store/sqlite/graph/page-ranks.ts; the shared contract test is test/store/contract/graph.ts.
 */

import { bytes, numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

const BLOCK_IDS = 1024;
/** Blocks that are processed at once. A block has four kilobytes. */
const MOST_BLOCKS = 64;

/** Writes the ranks, indexed by URL id, inside the caller's transaction. */
export async function writePageRanks(session: Session, schema: string, ranks: Float32Array): Promise<void> {
  const blocks = Math.ceil(ranks.length / BLOCK_IDS);
  for (let from = 0; from < blocks; from += MOST_BLOCKS) {
    const some = Array.from({ length: Math.min(MOST_BLOCKS, blocks - from) }, (_, i) => from + i);
    await session.run(
      `INSERT INTO ${schema}.page_ranks (block, ranks) SELECT * FROM unnest($1::bigint[], $2::bytea[])
       ON CONFLICT (block) DO UPDATE SET ranks = excluded.ranks`,
      [numbers(some), bytes(some.map((block) => blockOf(ranks, block)))],
    );
  }
  // Deletes blocks of an earlier, longer list of ranks.
  await session.run(`DELETE FROM ${schema}.page_ranks WHERE block >= $1`, [blocks]);
}

/** Returns 0 for a URL that was not known when the ranks were computed. */
export async function pageRanksOf(session: Session, schema: string, ids: readonly number[]): Promise<number[]> {
  const found = new Array<number>(ids.length).fill(0);
  const places = Map.groupBy(ids.keys(), (i) => Math.floor(ids[i]! / BLOCK_IDS));
  const blocks = [...places.keys()];
  for (let from = 0; from < blocks.length; from += MOST_BLOCKS) {
    const rows = await session.all(`SELECT block, ranks FROM ${schema}.page_ranks WHERE block = ANY($1::bigint[])`, [
      numbers(blocks.slice(from, from + MOST_BLOCKS)),
    ]);
    for (const { block, ranks } of rows) {
      for (const i of places.get(block)!) {
        const at = (ids[i]! - block * BLOCK_IDS) * Float32Array.BYTES_PER_ELEMENT;
        if (at < ranks.length) found[i] = (ranks as Buffer).readFloatLE(at);
      }
    }
  }
  return found;
}

function blockOf(ranks: Float32Array, block: number): Uint8Array {
  const { buffer, byteOffset, byteLength } = ranks.subarray(block * BLOCK_IDS, (block + 1) * BLOCK_IDS);
  return new Uint8Array(buffer, byteOffset, byteLength);
}
