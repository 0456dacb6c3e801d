/**
 * Fills the tables of a crawl with known URLs, with one statement per host. The calls of the store would need many
 * minutes for five million URLs.
 *
 * This file depends on the layout of the tables (src/store/postgres/schema.ts). What always holds: the URLs are the
 * URLs of CostWeb, with the keys that the store gives them (the last step checks this). All URLs are waiting.
 */
import postgres from 'postgres';
import { slotOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { CostWeb } from './cost-web.ts';

export const CRAWL_NAME = 'cost';
export const CRAWL_SCHEMA = `orbweaver_${CRAWL_NAME}`;

export async function fillTables(url: string, hosts: number, urlsPerHost: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`set synchronous_commit = off`);
    await sql.unsafe(`set maintenance_work_mem = '512MB'`);
    // The indexes are created again after the rows are inserted: inserting entry by entry takes several times as long.
    const indexes = await sql.unsafe<{ name: string; made: string }[]>(
      `select indexname as name, indexdef as made from pg_indexes
       where schemaname = $1 and tablename = 'urls' and indexname <> 'urls_pkey'`,
      [CRAWL_SCHEMA],
    );
    for (const { name } of indexes) await sql.unsafe(`drop index ${CRAWL_SCHEMA}.${name}`);
    for (let number = 0; number < hosts; number++) {
      const [id, host] = [number + 1, CostWeb.hostName(number)];
      // Each host gets its own `ready_at`, so that the hosts are claimed in this order.
      await sql.unsafe(
        `insert into ${CRAWL_SCHEMA}.hosts (id, host, slot, ready_at, waiting) values ($1, $2, $3, $4, $5)`,
        [id, host, slotOf(host), number, urlsPerHost],
      );
      await sql.unsafe(
        `insert into ${CRAWL_SCHEMA}.urls (id, state, hops, depth, host_id, key, rank, url)
         select $1::bigint + place, 0, 0, 1, $2, encode(substring(sha256(convert_to(url, 'UTF8')) from 1 for 16), 'hex')::uuid, 1, url
         from generate_series(0, $3::integer - 1) place,
           lateral (select $4::text || '/section-' || place % 100 || '/page-' || place || '.html' as url) made`,
        [1 + number * urlsPerHost, id, urlsPerHost, host],
      );
    }
    for (const { made } of indexes) await sql.unsafe(made);
    await sql.unsafe(`select setval('${CRAWL_SCHEMA}.url_ids', ${hosts * urlsPerHost + 1_001})`);
    await sql.unsafe(`select setval('${CRAWL_SCHEMA}.host_numbers', ${hosts + 1})`);
    await checkKey(sql, CostWeb.url(hosts - 1, urlsPerHost - 1));
  } finally {
    await sql.end();
  }
}

/**
 * Does the maintenance that a database needs once after so many new rows, so that it does not run during a measurement.
 */
export async function settleTables(adminUrl: string): Promise<void> {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe('vacuum (analyze)');
    await sql.unsafe('checkpoint');
  } finally {
    await sql.end();
  }
}

async function checkKey(sql: postgres.Sql, url: string): Promise<void> {
  const [row] = await sql.unsafe<{ key: string }[]>(
    `select replace(key::text, '-', '') as key from ${CRAWL_SCHEMA}.urls where url = $1`,
    [url],
  );
  if (row?.key !== urlKeyHex(url)) throw new Error('the keys of the filled tables are not those of the store');
}
