/**
 * Creates or updates the tables of a crawl. The first process does this once; the others wait under an advisory lock.
 * Each migration is one transaction that also writes its version number.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { LOCK_SPACE } from './connection/advisory-locks.ts';
import type { Database, Session } from './connection/database.ts';
import { SCHEMA_PREFIX } from './connection/open.ts';
import { DEFAULT_PARTS, SPREAD_PARTS } from './rows/parts.ts';
import { LARGE_TABLES, MIGRATIONS, PARTED_TABLES, URL_KEY } from './schema.ts';

/** Rows that are written to a large table before the server collects statistics about it. */
const FEWEST_MEASURED = 5_000;

export async function layoutVersion(db: Database): Promise<number> {
  const [table] = await db.all('SELECT to_regclass($1) AS name', [`${db.schema}.layout`]);
  if (table?.name === null) return 0;
  const [row] = await db.all(`SELECT version FROM ${db.schema}.layout`);
  return row?.version ?? 0;
}

export function refuseNewer(version: number, { schema, address }: Database): void {
  if (version <= MIGRATIONS.length) return;
  throw new OrbweaverError(
    'ERR_NEWER_SCHEMA',
    `the crawl ${crawlOf(schema)} in ${address.name} has layout ${version}, this version knows up to ${MIGRATIONS.length}; use the newer orbweaver`,
  );
}

function crawlOf(schema: string): string {
  return schema.replaceAll('"', '').slice(SCHEMA_PREFIX.length);
}

/** `parts` overrides the default number of parts of a new crawl. */
export async function migrate(db: Database, parts?: number): Promise<void> {
  refuseNewer(await layoutVersion(db), db);
  while ((await layoutVersion(db)) < MIGRATIONS.length) {
    await db.transaction((session) => step(db, session, parts));
  }
}

async function step(db: Database, session: Session, wanted: number | undefined): Promise<void> {
  await session.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_SPACE, db.schema]);
  await session.run(`CREATE SCHEMA IF NOT EXISTS ${db.schema}`);
  await session.run(
    `CREATE TABLE IF NOT EXISTS ${db.schema}.layout (version integer NOT NULL, parts integer NOT NULL)`,
  );
  const [row] = await session.all(`SELECT version FROM ${db.schema}.layout`);
  const version = row?.version ?? 0;
  if (version >= MIGRATIONS.length) return;
  const isSpread = await hasCitus(session);
  for (const statement of statements(MIGRATIONS[version]!, db.schema, isSpread)) await session.run(statement);
  if (version === 0) {
    const parts = wanted ?? (isSpread ? SPREAD_PARTS : DEFAULT_PARTS);
    await (isSpread ? spread(session, db.schema) : cut(session, db.schema, parts));
    await session.run(`INSERT INTO ${db.schema}.layout VALUES (1, $1)`, [parts]);
  } else await session.run(`UPDATE ${db.schema}.layout SET version = $1`, [version + 1]);
}

async function hasCitus(session: Session): Promise<boolean> {
  const rows = await session.all(`SELECT 1 AS there FROM pg_extension WHERE extname = 'citus'`);
  return rows.length > 0;
}

function statements(migration: string, schema: string, isSpread: boolean): string[] {
  return migration
    .replaceAll('@.', `${schema}.`)
    .replaceAll(/%\w+;/g, isSpread ? ';' : 'PARTITION BY LIST (part);')
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/**
 * Makes one partition for each part. Rows are updated often: some free room in each page of the table keeps that cheap.
 *
 * A server that has statistics of a table with a few rows reads the whole table instead of its index. With
 * prepared statements it still does so when there are thousands of rows: looking up 3,000 URLs took 9 s instead of
 * 0.1 s. So it collects no statistics of small tables. There are few hosts, and they are written with every
 * commit, so their table keeps the server's default rules.
 */
async function cut(session: Session, schema: string, parts: number): Promise<void> {
  for (const table of LARGE_TABLES) {
    const thresholds = ['vacuum', 'analyze'].map((what) => `, autovacuum_${what}_threshold = ${FEWEST_MEASURED}`);
    const settings = `fillfactor = 90${table === 'hosts' ? '' : thresholds.join('')}`;
    for (let part = 0; part < parts; part++) {
      const partition = `${schema}.${table}_${part} PARTITION OF ${schema}.${table} FOR VALUES IN (${part})`;
      await session.run(`CREATE TABLE ${partition} WITH (${settings})`);
    }
  }
  for (let part = 0; part < parts; part++) {
    await session.run(`CREATE UNIQUE INDEX urls_${part}_key ON ${schema}.urls_${part} (${URL_KEY.join()})`);
  }
}

/**
 * Citus puts the rows of one part, from all tables, on the same server. A unique
 * index must include the column that distributes the rows.
 */
async function spread(session: Session, schema: string): Promise<void> {
  await session.run(`CREATE UNIQUE INDEX urls_key ON ${schema}.urls (${[...URL_KEY, 'part'].join()})`);
  const [first, ...others] = PARTED_TABLES;
  await session.run(`SELECT create_distributed_table('${schema}.${first}', 'part')`);
  for (const table of others) {
    await session.run(
      `SELECT create_distributed_table('${schema}.${table}', 'part', colocate_with => '${schema}.${first}')`,
    );
  }
}
