/**
 * Tests how the server finds the rows that a crawl needs: each statement of a crawl reads the large tables by a
 * condition on an index, also with a generic plan that knows no values. No statement needs a feature that an engine
 * which distributes tables by host lacks.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
import { LARGE_TABLES } from '../../../src/store/postgres/schema.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { type Recorded, recordCrawl } from './setup/recorded-crawl.ts';

/** Where any index could be used to read a whole host or all hosts: the required index, by a text of the statement. */
const BY_INDEX = {
  'u.due_at <= $': 'urls_due',
  'u.due_at IS NULL AND': 'urls_waiting',
  'ORDER BY h.ready_at': 'hosts_ready',
} as const;

/** Partial indexes that have few rows in this crawl, so that the server may read them whole. */
const SMALL_INDEXES = ['hosts_ready', 'hosts_leased', 'visits_orphaned', 'urls_redirect_to'];

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

test('each statement of a crawl finds its rows by an index and needs nothing that a distributed table lacks', {
  skip: noPostgres,
}, async (t) => {
  const { url, schema, statements } = await recordCrawl(t);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  t.after(() => sql.end());
  await sql.unsafe(`ANALYZE`);
  await sql.unsafe(`SET plan_cache_mode = force_generic_plan`);
  // The tables of a test are so small that reading them whole is cheaper. The test checks only whether an index exists.
  for (const way of ['seqscan', 'mergejoin', 'hashjoin', 'material']) await sql.unsafe(`SET enable_${way} = off`);
  const asked = statements.filter(
    ({ text }) => /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(text) && text.includes(`"${schema}".`),
  );
  assert.ok(asked.length > 40, `${asked.length} statements were recorded`);
  for (const statement of asked) {
    const text = statement.text.replaceAll(`"${schema}".`, '@.').replaceAll(/\s+/g, ' ');
    assert.doesNotMatch(
      text,
      /\bWITH \w+ AS\b.*\b(INSERT|UPDATE|DELETE)\b/i,
      'no statement writes to several tables at once',
    );
    assert.doesNotMatch(text, /\b(LISTEN|DECLARE|CURSOR|currval|lastval)\b/i);
    await checkPlan(sql, statement, text);
  }
});

test('a plan that is made while the tables are empty also uses an index', { skip: noPostgres }, async (t) => {
  const { url, schema, statements } = await recordCrawl(t);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  t.after(() => sql.end());
  // The statistics are collected while the tables are empty, so that a sequential scan seems to cost nothing.
  await sql.unsafe(`TRUNCATE ${LARGE_TABLES.map((table) => `"${schema}".${table}`).join()}`);
  await sql.unsafe('ANALYZE');
  const sent = statements.filter(({ text, isByIndex }) => isByIndex && text.includes(`"${schema}".`));
  assert.ok(sent.length > 20, `${sent.length} statements were recorded`);
  const config = statements.find(({ text }) => text.includes("set_config('enable_seqscan'"))!;
  for (const { text, values } of sent) {
    const scans = await sql.begin(async (session) => {
      await session.unsafe(config.text, config.values as string[]);
      return scansOf(await planOf(session, text, values));
    });
    for (const { 'Relation Name': name = '', 'Node Type': kind } of scans) {
      if (isLarge(name)) assert.notEqual(kind, 'Seq Scan', `${name} is read whole: ${text}`);
    }
  }
});

function isLarge(name: string): boolean {
  return LARGE_TABLES.some((table) => table === name);
}

async function checkPlan(sql: postgres.Sql, { text, values }: Recorded, shown: string): Promise<void> {
  const scans = scansOf(await planOf(sql, text, values));
  const indexes = scans.map((scan) => scan['Index Name']);
  for (const [phrase, index] of Object.entries(BY_INDEX)) {
    assert.ok(indexes.includes(index) || !shown.includes(phrase), `${index} is not used: ${shown}`);
  }
  for (const { 'Relation Name': name, 'Node Type': kind, 'Index Name': index = '', 'Index Cond': condition } of scans) {
    if (!isLarge(name ?? index.split('_')[0]!)) continue;
    assert.notEqual(kind, 'Seq Scan', `${name} is read whole: ${shown}`);
    const isFound = condition !== undefined || index === '' || SMALL_INDEXES.includes(index);
    assert.ok(isFound, `the index ${index} is read whole: ${shown}`);
  }
}

async function planOf(sql: postgres.ISql, text: string, values: readonly unknown[]): Promise<Plan> {
  await sql.unsafe(`PREPARE recorded AS ${text}`);
  const given = values.length === 0 ? '' : `(${values.map(literal).join()})`;
  const [row] = await sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE recorded${given}`);
  await sql.unsafe('DEALLOCATE recorded');
  return row!['QUERY PLAN'][0].Plan;
}

function scansOf(plan: Plan): Plan[] {
  // The index of a bitmap scan is below the table in the plan.
  const isScan = plan['Relation Name'] !== undefined || plan['Index Name'] !== undefined;
  const own = isScan && plan['Node Type'] !== 'ModifyTable' ? [plan] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)];
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  return `'${String(value).replaceAll("'", "''")}'`;
}
