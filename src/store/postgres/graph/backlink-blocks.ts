/**
 * The number of pages that link to each URL, for counted links: one row for each block of neighbouring ids. A writer
 * locks the blocks that it changes, in their order, until the end of the transaction.
 *
 * The partner for SQLite is store/sqlite/graph/link-graph.ts; the
 * shared contract test is test/store/contract/graph.ts.
 */
import { addToBlock, BLOCK_IDS, type CountChange, readCounts, writeCounts } from '../../../graph/backlink-counts.ts';
import { bytes, numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

/** Blocks that are processed at once. A block has one or two kilobytes. */
const MOST_BLOCKS = 256;

const counts = new Float64Array(BLOCK_IDS);

/** Adds `by` to the count of each target. The targets are ascending; a target that occurs twice counts twice. */
export async function addBacklinks(
  session: Session,
  schema: string,
  targets: Float64Array,
  by: number,
  onChange: CountChange = () => {},
): Promise<void> {
  for (let at = 0; at < targets.length; ) {
    const blocks = blocksFrom(targets, at);
    const rows = await session.all(
      `SELECT block, counts FROM ${schema}.backlinks WHERE block = ANY($1::bigint[]) ORDER BY block FOR UPDATE`,
      [numbers(blocks)],
    );
    const known = new Map(rows.map((row) => [row.block as number, row.counts as Uint8Array]));
    const written: Uint8Array[] = [];
    for (const block of blocks) {
      readCounts(known.get(block), counts);
      at = addToBlock(counts, targets, at, by, onChange);
      written.push(writeCounts(counts).slice());
    }
    await session.run(
      `INSERT INTO ${schema}.backlinks (block, counts) SELECT * FROM unnest($1::bigint[], $2::bytea[])
       ON CONFLICT (block) DO UPDATE SET counts = excluded.counts`,
      [numbers(blocks), bytes(written)],
    );
  }
}

export async function countedBacklinks(session: Session, schema: string, ids: readonly number[]): Promise<number[]> {
  const places = Map.groupBy(ids.keys(), (i) => Math.floor(ids[i]! / BLOCK_IDS));
  const rows = await session.all(`SELECT block, counts FROM ${schema}.backlinks WHERE block = ANY($1::bigint[])`, [
    numbers(places.keys()),
  ]);
  const found = new Array<number>(ids.length).fill(0);
  for (const row of rows) {
    readCounts(row.counts, counts);
    for (const i of places.get(row.block)!) found[i] = counts[ids[i]! - row.block * BLOCK_IDS] as number;
  }
  return found;
}

/** The next blocks of these targets, ascending. */
function blocksFrom(targets: Float64Array, from: number): number[] {
  const blocks: number[] = [];
  for (let at = from; at < targets.length && blocks.length < MOST_BLOCKS; at++) {
    const block = Math.floor((targets[at] as number) / BLOCK_IDS);
    if (blocks.at(-1) !== block) blocks.push(block);
  }
  // A block must be read and written once, so all its targets must be
  // in this round. They are, because the targets ascend.
  return blocks;
}
