/**
 * Tests the layout for a server that can distribute tables over other servers (Citus). Citus is not available in tests:
 * a database that claims to have it, and a function that records which tables would be distributed, replace it. The
 * tables are then whole instead of partitioned, and a crawl runs on them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database, type Session } from '../../../src/store/postgres/connection/database.ts';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { SPREAD_PARTS } from '../../../src/store/postgres/rows/parts.ts';
import { PARTED_TABLES } from '../../../src/store/postgres/schema.ts';
import { noPostgres, testDatabase } from '../../setup/postgres.ts';
import { claimOne, commit, found, NOW_MS, OWNER, page, resultOf } from '../rows.ts';

const SCHEMA = 'orbweaver_spread';

/** Claims that the extension is there, and records the statements that are sent. */
class SpreadingDatabase extends Database {
  readonly sent: string[] = [];

  override transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return super.transaction((session) =>
      work({
        all: async (text, values) => {
          if (text.includes('pg_extension')) return [{ there: 1 }] as never;
          return session.all(text, values);
        },
        run: (text, values) => {
          this.sent.push(text);
          return session.run(text, values);
        },
      }),
    );
  }
}

test('tables are spread by part, all of a part to one server, and a crawl runs on tables that are not cut', {
  skip: noPostgres,
}, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const db = new SpreadingDatabase(address, SCHEMA);
  t.after(() => db.close());
  await db.run('CREATE TABLE public.spread (name text, by text, beside text)');
  await db.run(
    `CREATE FUNCTION public.create_distributed_table(name text, by text, colocate_with text DEFAULT '') RETURNS void LANGUAGE sql
     AS 'INSERT INTO public.spread VALUES (name, by, colocate_with)'`,
  );
  await migrate(db);
  assert.deepEqual(await db.all(`SELECT parts FROM ${SCHEMA}.layout`), [{ parts: SPREAD_PARTS }]);
  const spread = await db.all('SELECT * FROM public.spread');
  const [first, ...others] = PARTED_TABLES;
  const expected = [
    { name: `${SCHEMA}.${first}`, by: 'part', beside: '' },
    ...others.map((name) => ({ name: `${SCHEMA}.${name}`, by: 'part', beside: `${SCHEMA}.${first}` })),
  ];
  const plain = ({ name, by, beside }: (typeof spread)[number]) => ({
    name: name.replaceAll('"', ''),
    by,
    beside: beside.replaceAll('"', ''),
  });
  assert.deepEqual(spread.map(plain), expected);
  for (const text of db.sent) assert.doesNotMatch(text, /PARTITION|REFERENCES|TRIGGER|\bserial\b|GENERATED/i);
  // An engine that distributes tables can keep a row unique only within its part.
  const keys = await db.all(
    `SELECT t.relname AS "table", pg_get_indexdef(i.indexrelid) AS index FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
     JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = $1 AND i.indisunique`,
    [SCHEMA],
  );
  const parted = keys.filter(({ table }) => (PARTED_TABLES as readonly string[]).includes(table));
  assert.ok(parted.length >= PARTED_TABLES.length);
  for (const { table, index } of parted) assert.match(index, /\(.*\bpart\b.*\)/, `${table}: ${index}`);

  const store = await openPostgresStore({ address, name: 'spread', process: 'a' });
  t.after(() => store.close());
  await store.seed([found('http://a.test/'), found('http://a.test/2')], NOW_MS);
  const lease = await claimOne(store);
  const foundLinks = [found('http://b.test/')];
  const { states } = await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks })]);
  await store.release(OWNER, [lease.hostId], NOW_MS);
  const { states: counts } = await store.counts();
  assert.deepEqual([states, counts.fetched, counts.waiting], [['fetched'], 1, 2]);
});
