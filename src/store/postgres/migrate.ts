/**
 * Creates or updates the tables of a crawl. The first process does this once; the others wait under an advisory lock.
 * Everything is one transaction that also writes the version number.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { LOCK_SPACE } from './connection/advisory-locks.ts';
import type { Database, Session } from './connection/database.ts';
import { SCHEMA_PREFIX } from './connection/open.ts';
import { convert, copyRights, putAside } from './convert-partitioned.ts';
import { LAYOUT, LAYOUT_VERSION } from './schema.ts';

/** The tables of layouts up to this one are copied; later layouts only add columns and tables. */
const LAST_PARTITIONED = 2;
/** Roles that could read an older crawl must be able to read the tables that it gets now. */
const NEW_IN_5 = [
  ['pattern_answers', 'patterns'],
  ['variant_pages', 'patterns'],
  ['canonical_tasks', 'pages'],
  ['templates', 'hosts'],
] as const;

export async function layoutVersion(db: Database): Promise<number> {
  const [table] = await db.all('SELECT to_regclass($1) AS name', [`${db.schema}.layout`]);
  if (table?.name === null) return 0;
  const [row] = await db.all(`SELECT version FROM ${db.schema}.layout`);
  return row?.version ?? 0;
}

export function refuseNewer(version: number, { schema, address }: Database): void {
  if (version <= LAYOUT_VERSION) return;
  throw new OrbweaverError(
    'ERR_NEWER_SCHEMA',
    `the crawl ${crawlOf(schema)} in ${address.name} has layout ${version}, this version knows up to ${LAYOUT_VERSION}; use the newer orbweaver`,
  );
}

function crawlOf(schema: string): string {
  return schema.replaceAll('"', '').slice(SCHEMA_PREFIX.length);
}

export async function migrate(db: Database): Promise<void> {
  const version = await layoutVersion(db);
  refuseNewer(version, db);
  if (version < LAYOUT_VERSION) await db.transaction((session) => update(session, db.schema));
}

async function update(session: Session, schema: string): Promise<void> {
  await session.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_SPACE, schema]);
  await session.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  // Every version recognises a crawl by these two columns (open.ts), although `parts` has no meaning any more.
  await session.run(`CREATE TABLE IF NOT EXISTS ${schema}.layout (version integer NOT NULL, parts integer NOT NULL)`);
  const [row] = await session.all<{ version: number; parts: number }>(`SELECT version, parts FROM ${schema}.layout`);
  if (row !== undefined && row.version >= LAYOUT_VERSION) return;
  if (row) await actAsOwner(session, schema);
  const old = row && row.version <= LAST_PARTITIONED ? await putAside(session, schema) : null;
  const [indexes = [], tables = []] = [true, false].map((isIndex) =>
    statementsFor(schema).filter((statement) => /^CREATE (UNIQUE )?INDEX/.test(statement) === isIndex),
  );
  for (const statement of tables) await session.run(statement);
  if (old) await convert(session, schema, old, row!.parts);
  if (row && row.version < 4) await countRetryReasons(session, schema);
  if (row && row.version < 6) await forgetWords(session, schema);
  if (row && row.version < 5) {
    await judgeCanonicals(session, schema);
    await renewBudgets(session, schema);
    for (const [table, like] of NEW_IN_5) await copyRights(session, schema, like, table);
  }
  if (row && row.version < 9) await beginFollowing(session, schema);
  if (row && row.version < 10) await copyRights(session, schema, 'hosts', 'noise_evidence');
  if (row && row.version < 11) await noteCopies(session, schema);
  // Building an index of existing rows is several times faster than adding the rows one by one.
  for (const statement of indexes) await session.run(statement);
  await session.run(`DELETE FROM ${schema}.layout`);
  await session.run(`INSERT INTO ${schema}.layout (version, parts) VALUES ($1, 1)`, [LAYOUT_VERSION]);
}

/** A superuser may do the update. The tables must stay with their owner, and new ones must belong to the same role. */
async function actAsOwner(session: Session, schema: string): Promise<void> {
  await session.run(
    `SELECT set_config('role', pg_get_userbyid(relowner), true) FROM pg_class WHERE oid = $1::regclass`,
    [`${schema}.layout`],
  );
}

/** Layouts before 4 did not count waiting URLs by the reason of their last failure. */
async function countRetryReasons(session: Session, schema: string): Promise<void> {
  await session.run(
    `INSERT INTO ${schema}.totals (slot, name, value) SELECT 0, 'retry-reason/' || reason, count(*) FROM ${schema}.urls
     WHERE state = 0 AND failures > 0 AND reason IS NOT NULL GROUP BY reason`,
  );
}

/** Layouts before 6 had other hashes of words, and layouts before 5 sketches of letters. Nothing matches them now. */
async function forgetWords(session: Session, schema: string): Promise<void> {
  await session.run(`DELETE FROM ${schema}.templates`);
  await session.run(`UPDATE ${schema}.pages SET sketch = NULL WHERE sketch IS NOT NULL`);
  await session.run(`TRUNCATE ${schema}.prints`);
}

/** Layouts before 5 believed every canonical link. The pages are judged at the beginning of the next run. */
async function judgeCanonicals(session: Session, schema: string): Promise<void> {
  await session.run(`DROP INDEX IF EXISTS ${schema}.pages_of_canonical`);
  await session.run(`UPDATE ${schema}.pages SET canonical_end = canonical WHERE canonical <> url_id`);
  await session.run(
    `INSERT INTO ${schema}.canonical_tasks (target, after)
     SELECT DISTINCT canonical_end, 0 FROM ${schema}.pages WHERE canonical_end IS NOT NULL`,
  );
}

/** Layouts before 5 did not count answers. All URLs count as answered, so each pattern has its whole budget again. */
async function renewBudgets(session: Session, schema: string): Promise<void> {
  await session.run(
    `INSERT INTO ${schema}.pattern_answers (host_id, pattern, slot, answered)
     SELECT host_id, pattern, 0, count FROM ${schema}.patterns`,
  );
}

/** Layouts before 9 had no marks of touched pages: one commit counts for all. The cursors of listeners were notes. */
async function beginFollowing(session: Session, schema: string): Promise<void> {
  await session.run(`UPDATE ${schema}.urls SET touched = 1 WHERE id IN (SELECT url_id FROM ${schema}.pages)`);
  const isCursor = "name LIKE 'delivered/%'";
  await session.run(
    `INSERT INTO ${schema}.followers (name, version, position) SELECT name, 1, value FROM ${schema}.notes WHERE ${isCursor}`,
  );
  await session.run(`DELETE FROM ${schema}.notes WHERE ${isCursor}`);
  await copyRights(session, schema, 'notes', 'followers');
}

/** Layouts before 11 did not note at a visit of which page the visited page is a copy. */
async function noteCopies(session: Session, schema: string): Promise<void> {
  await session.run(
    `UPDATE ${schema}.visits v SET copy_of = CASE p.duplicate_of WHEN 0 THEN f.url_id ELSE p.duplicate_of END
     FROM ${schema}.pages p LEFT JOIN ${schema}.contents f ON f.digest = encode(substr(p.digest, 1, 16), 'hex')::uuid
     WHERE p.url_id = v.url_id AND p.duplicate_of IS NOT NULL`,
  );
}

function statementsFor(schema: string): string[] {
  return LAYOUT.replaceAll('@.', `${schema}.`)
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
