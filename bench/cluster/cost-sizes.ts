/**
 * Measures the tables of a crawl. In: a database. Out: bytes per row for each table, the base of an estimate
 * for a larger crawl.
 */
import postgres from 'postgres';
import { CRAWL_SCHEMA } from './cost-fill.ts';

export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly tableBytesPerRow: number;
  /** Bytes of all indexes together. */
  readonly indexBytesPerRow: number;
}

/** With fewer rows, most of the measured size is empty space. */
const FEWEST_ROWS = 1_000;

/** Call this after a vacuum, because the vacuum counts the rows. */
export async function tableSizes(adminUrl: string): Promise<TableSize[]> {
  const sql = postgres(adminUrl, { max: 1, fetch_types: false });
  try {
    const rows = await sql.unsafe<{ table: string; rows: number; bytes: number; indexes: number }[]>(
      `select relname as table, reltuples::float8 as rows, pg_table_size(oid)::float8 as bytes,
         pg_indexes_size(oid)::float8 as indexes
       from pg_class where relkind = 'r' and relnamespace = $1::regnamespace and reltuples >= $2
       order by pg_total_relation_size(oid) desc`,
      [CRAWL_SCHEMA, FEWEST_ROWS],
    );
    return rows.map(({ table, rows: count, bytes, indexes }) => ({
      table,
      rows: count,
      tableBytesPerRow: bytes / count,
      indexBytesPerRow: indexes / count,
    }));
  } finally {
    await sql.end();
  }
}
