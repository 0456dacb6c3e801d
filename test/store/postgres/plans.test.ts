/**
 * Tests what the statements of a crawl need from the server: each touches one partition of a table and finds its
 * rows by an index, also with a generic plan that knows no values. No statement needs a feature that an engine
 * which distributes tables by `part` lacks.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
import { LARGE_TABLES, PARTED_TABLES } from '../../../src/store/postgres/schema.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { type Recorded, recordCrawl } from './setup/recorded-crawl.ts';

/** Statements that may query every part: a text that only the statement contains, and the reason. */
const EVERY_PART = {
  'bool_or(is_shared)': 'one look after a commit whether there is anything to claim',
  'min(ready_at)': 'how long to wait when there is nothing',
  'host_shares SET ready_at = $2': 'shares of hosts are few',
  'ORDER BY id': 'URLs whose back-links doubled, once in hundreds of pages',
  'WITH ORDINALITY': 'pages to be looked at again, which come as ids',
  'FROM @.graph WHERE closed IS NULL': 'the few open segments of the link graph',
  'orphaned_at IS NOT NULL LIMIT $1': 'whether there is any orphan at all',
  'SELECT DISTINCT digest': "a content that is no page's any more",
  'duplicate_of = $1': 'a page that is gone, and what was its duplicate',
  'near_of = $1': 'the same of near duplicates',
  'v.part, v.url_id': 'pages to which a link was taken away',
} as const;

/** Where any index could be used to read a whole host or all hosts: the required index, by a text of the statement. */
const BY_INDEX = {
  'u.due_at <= $': /^urls_\d+_host_id_due_at/,
  'u.due_at IS NULL AND': /^urls_\d+_host_id_rank_id/,
  'ORDER BY h.ready_at': /^hosts_\d+_ready_at/,
} as const;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

test('each statement of a crawl touches one partition, by an index, and needs nothing that a spread table lacks', {
  skip: noPostgres,
}, async (t) => {
  const { url, schema, parts, statements } = await recordCrawl(t);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  t.after(() => sql.end());
  await sql.unsafe(`ANALYZE`);
  await sql.unsafe(`SET plan_cache_mode = force_generic_plan`);
  // The tables of a test are so small that a sequential scan is cheaper. The test checks only whether an index exists.
  await sql.unsafe(`SET enable_seqscan = off`);
  const asked = statements.filter(
    ({ text }) => /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(text) && tablesIn(text).length > 0,
  );
  assert.ok(asked.length > 40, `${asked.length} statements were recorded`);
  const excused = new Set<string>();
  for (const statement of asked) {
    const text = statement.text.replaceAll(`"${schema}".`, '@.').replaceAll(`${schema}.`, '@.').replaceAll(/\s+/g, ' ');
    const excuse = namesAPart(text) ? undefined : Object.keys(EVERY_PART).find((phrase) => text.includes(phrase));
    if (excuse) excused.add(excuse);
    assert.ok(namesAPart(text) || excuse, `it names no part: ${text}`);
    assert.doesNotMatch(text, /\bWITH \w+ AS\b.*\b(INSERT|UPDATE|DELETE)\b/i, 'it writes to several tables at once');
    assert.doesNotMatch(text, /\b(LISTEN|DECLARE|CURSOR|currval|lastval)\b/i);
    await checkPlan(sql, statement, parts, excuse !== undefined, text);
  }
  assert.deepEqual([...excused].sort(), Object.keys(EVERY_PART).sort(), 'an excuse that nobody needs');
});

test('a plan that is made while the tables are empty goes by an index, too', { skip: noPostgres }, async (t) => {
  const { url, schema, statements } = await recordCrawl(t);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  t.after(() => sql.end());
  // The statistics are collected while the tables are empty, so that a sequential scan seems to cost nothing.
  await sql.unsafe(`TRUNCATE ${LARGE_TABLES.map((table) => `"${schema}".${table}`).join()}`);
  await sql.unsafe('ANALYZE');
  const sent = statements.filter(({ text, isByIndex }) => isByIndex && tablesIn(text).length > 0);
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
  return LARGE_TABLES.some((table) => table === name.replace(/_\d+$/, ''));
}

function tablesIn(text: string): string[] {
  return [...text.matchAll(/\.(\w+)/g)]
    .map(([, name]) => name!.replace(/_\d+$/, ''))
    .filter((name) => (PARTED_TABLES as readonly string[]).includes(name));
}

/**
 * A statement names a part by a condition, or as the first column of an insert:
 * each row goes to the partition of its part.
 */
function namesAPart(text: string): boolean {
  return (
    /\bpart = \$\d/.test(text) ||
    /^INSERT INTO \S+ (AS \w+ )?\(part, [^)]*\) (SELECT \$1::smallint|VALUES \(\$1),/.test(text) ||
    /^INSERT INTO \S+ \(part, [^)]*\) SELECT \*(, \$\d::\w+)* FROM unnest\(\$1::smallint\[\],/.test(text)
  );
}

async function checkPlan(
  sql: postgres.Sql,
  { text, values }: Recorded,
  parts: number,
  isEveryPart: boolean,
  shown: string,
): Promise<void> {
  const scans = scansOf(await planOf(sql, text, values));
  for (const [phrase, index] of Object.entries(BY_INDEX)) {
    const isUsed = scans.some(({ 'Index Name': name }) => index.test(name ?? ''));
    assert.ok(isUsed || !shown.includes(phrase), `${index} is of no use: ${shown}`);
  }
  const touched = new Map<string, Set<string>>();
  for (const { 'Relation Name': name, 'Node Type': kind } of scans) {
    if (name === undefined) continue;
    const [, table, part] = /^(\w+?)(?:_(\d+))?$/.exec(name)!;
    if (!isLarge(name)) continue;
    assert.notEqual(kind, 'Seq Scan', `${name} is read whole: ${shown}`);
    touched.set(table!, (touched.get(table!) ?? new Set()).add(part!));
  }
  for (const [table, some] of touched) {
    assert.ok(some.size <= (isEveryPart ? parts : 1), `${some.size} partitions of ${table}: ${shown}`);
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
