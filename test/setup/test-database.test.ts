import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
import { noPostgres, testDatabase } from './postgres.ts';

const QUIET = { max: 1, onnotice: () => {} } as const;

test('each test gets its own empty database, whose role may only create tables', {
  skip: noPostgres,
}, async (t) => {
  const [url, other] = [await testDatabase(t), await testDatabase(t)];
  assert.notEqual(url, other);
  const sql = postgres(url, QUIET);
  t.after(() => sql.end());
  assert.deepEqual([...(await sql`select 1 from pg_tables where schemaname = 'public'`)], []);
  await sql`create table page (url text)`;
  await sql`insert into page values ('http://example.org/')`;
  assert.equal((await sql`select count(*)::int as n from page`)[0]!.n, 1);
  await assert.rejects(sql`create database another`, { code: '42501' });
  await assert.rejects(sql`create role another superuser`, { code: '42501' });
});

test('text is sorted by language and not by bytes, so statements that need bytes must say so', {
  skip: noPostgres,
}, async (t) => {
  const sql = postgres(await testDatabase(t), QUIET);
  t.after(() => sql.end());
  const sorted = await sql`select x from (values ('B'), ('a')) v (x) order by x`;
  assert.deepEqual(
    sorted.map(({ x }) => x),
    ['a', 'B'],
  );
});

test('the database is deleted after its test, even with an open connection', { skip: noPostgres }, async (t) => {
  let sql: postgres.Sql | undefined;
  let url = '';
  await t.test('inner', async (inner) => {
    url = await testDatabase(inner);
    sql = postgres(url, QUIET);
    await sql`select 1`;
  });
  t.after(() => sql!.end());
  const again = postgres(url, QUIET);
  t.after(() => again.end());
  await assert.rejects(again`select 1`, { code: '3D000' });
});
