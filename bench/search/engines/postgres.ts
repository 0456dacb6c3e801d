/**
 * PostgreSQL full text as an engine of the search benchmark: a server of its own, which ends with this process. The
 * dictionary is the English stemmer, and keeps all words, because phrases may have any words.
 */
import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { PostgresServer } from '../../../testbed/servers/postgres-server.ts';
import { type QueryKind, TOP } from '../choose-queries.ts';
import type { Document } from '../collection.ts';
import { type Answer, runEngine } from './serve.ts';

/** Set as for a machine of 8 GB that has other work, too. One process works on a query. */
const SETTINGS = {
  shared_buffers: '512MB',
  maintenance_work_mem: '512MB',
  work_mem: '64MB',
  max_wal_size: '4GB',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
};
const ROWS_AT_ONCE = 200;
const CREATE = `
  CREATE TEXT SEARCH DICTIONARY english_all (TEMPLATE = snowball, Language = english);
  CREATE TEXT SEARCH CONFIGURATION all_words (COPY = pg_catalog.english);
  ALTER TEXT SEARCH CONFIGURATION all_words ALTER MAPPING REPLACE english_stem WITH english_all;
  CREATE TABLE pages (id int PRIMARY KEY, words tsvector NOT NULL)`;
const INSERT = `
  INSERT INTO pages
  SELECT id, setweight(to_tsvector('all_words', title), 'A') || to_tsvector('all_words', text)
  FROM json_to_recordset($1::text::json) AS page (id int, title text, text text)`;
/** A vector of words has at most one megabyte. */
const MOST_TEXT = 1_000_000;

const server = await PostgresServer.create({ settings: SETTINGS });
const sql = postgres(server.adminUrl(), { max: 1, fetch_types: false, onnotice: () => {} });
const pid = (await sql`SELECT pg_backend_pid() AS pid`)[0]!.pid as number;

await runEngine({
  isInMemory: true,
  cpuMicroseconds: () => Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1_000,
  async index(documents) {
    await sql.unsafe(CREATE);
    let rows: Pick<Document, 'id' | 'title' | 'text'>[] = [];
    const insert = async (): Promise<void> => {
      await sql.unsafe(INSERT, [JSON.stringify(rows)]);
      rows = [];
    };
    for (const { id, title, text } of documents) {
      const row = { id, title: cutText(title), text: cutText(text) };
      if (rows.push(row) === ROWS_AT_ONCE) await insert();
    }
    await insert();
    await sql`CREATE INDEX pages_words ON pages USING gin (words)`;
    await sql`VACUUM ANALYZE pages`;
    const [sizes] = await sql`SELECT pg_total_relation_size('pages')::float8 AS bytes`;
    return sizes!.bytes as number;
  },
  open(): Answer {
    return async (kind, words) => {
      const text = queryText(kind, words);
      if (text === null) return null;
      const found = await sql`SELECT id FROM pages, to_tsquery('all_words', ${text}) AS query WHERE words @@ query
        ORDER BY ts_rank(words, query) DESC LIMIT ${TOP}`;
      return found.length;
    };
  },
});

function cutText(text: string): string {
  return text.slice(0, MOST_TEXT).replaceAll('\0', ' ');
}

/** NEAR in any order does not exist: it is a phrase with each distance, in both orders. */
function queryText(kind: QueryKind, words: readonly string[]): string | null {
  switch (kind) {
    case 'and':
      return words.join(' & ');
    case 'phrase':
    case 'frequent phrase':
      return words.join(' <-> ');
    case 'near': {
      const [a, b] = words;
      return Array.from({ length: 5 }, (_, i) => `${a} <${i + 1}> ${b} | ${b} <${i + 1}> ${a}`).join(' | ');
    }
    case 'prefix':
      return `${words[0]}:*`;
    case 'intitle':
      return `${words[0]}:A`;
    case 'not':
      return `${words[0]} & !${words[1]}`;
    default:
      return words.join(' | ');
  }
}
