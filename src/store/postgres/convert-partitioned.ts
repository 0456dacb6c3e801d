/**
 * Converts the tables of layouts 1 and 2. In these each row had a part, a hash of its host's name, and the large tables
 * had a partition for each part. The rows are copied into the tables of the current layout, with the id of their host.
 *
 * What always holds: ids of hosts and URLs stay. The id of a host was a number times the count of parts, plus the part,
 * so new ids begin after all of these. A commit wrote one row of the link graph for each part, and all of them had the
 * number of the commit. Now each row has its own number, so the old numbers are spread in the same way, also in
 * `pages`.
 */
import { texts } from './connection/arrays.ts';
import type { Session } from './connection/database.ts';

/** In the order of copying. `damaged_captures` had no part, and exists since layout 2. */
const TABLES = [
  ...['hosts', 'host_shares', 'urls', 'pages', 'visits', 'claims', 'sources', 'changes', 'prints', 'graph', 'contents'],
  ...['captures', 'looked_again', 'damaged_captures', 'patterns', 'parameters', 'parameter_bases', 'watchers'],
  'watch_marks',
];

/** Tables that had the id of a URL, but not of its host. */
const BY_URL = new Set(['pages', 'claims', 'changes', 'captures', 'looked_again', 'damaged_captures']);

/** Columns that later layouts added, and their values. */
const NEW_COLUMNS: Readonly<Record<string, string>> = {
  'hosts.trouble': 'NULL',
  'hosts.robots_since': 'NULL',
  'hosts.not_found': 'NULL',
  'urls.pattern': 'NULL',
  'urls.touched': 'NULL',
  'patterns.left_out': '0',
  'pages.canonical_end': 'NULL',
  'pages.canonical_verdict': 'NULL',
  'pages.word_counts': 'NULL',
  'pages.regions': 'NULL',
  'changes.level': 'NULL',
  'changes.touches': 'NULL',
  'changes.edit': 'NULL',
  'visits.copy_of': 'NULL',
  'visits.rhythm': '0',
};

/** Renames the old tables and their indexes, so that their names are free. Returns the tables. */
export async function putAside(session: Session, schema: string): Promise<readonly string[]> {
  const indexes = await session.all<{ table: string; name: string }>(
    `SELECT t.relname AS "table", x.relname AS name FROM pg_class t JOIN pg_index i ON i.indrelid = t.oid
     JOIN pg_class x ON x.oid = i.indexrelid WHERE t.relnamespace = $1::regnamespace AND t.relname = ANY($2::text[])`,
    [schema, texts(TABLES)],
  );
  for (const { name } of indexes) await session.run(`ALTER INDEX ${schema}.${name} RENAME TO old_${name}`);
  const tables = TABLES.filter((name) => indexes.some(({ table }) => table === name));
  for (const table of tables) await session.run(`ALTER TABLE ${schema}.${table} RENAME TO old_${table}`);
  return tables;
}

/** Copies all rows into the tables of the current layout, which must exist, and deletes the old tables. */
export async function convert(
  session: Session,
  schema: string,
  tables: readonly string[],
  parts: number,
): Promise<void> {
  for (const table of tables) {
    const columns = await session.all<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0`,
      [`${schema}.${table}`],
    );
    await session.run(
      `INSERT INTO ${schema}.${table} (${columns.map(({ name }) => `"${name}"`).join()})
       SELECT ${columns.map(({ name }) => newValue(schema, table, name, parts)).join()} FROM ${schema}.old_${table} o`,
    );
    await copyRights(session, schema, `old_${table}`, table);
  }
  for (const table of tables) await session.run(`DROP TABLE ${schema}.old_${table}`);
  for (const sequence of ['host_numbers', 'graph_seqs']) {
    const name = `${schema}.${sequence}`;
    await session.run(`SELECT setval('${name}', (last_value + 1) * ${parts}) FROM ${name}`);
  }
}

/** Gives other roles the rights on a table that they have on another one. */
export async function copyRights(session: Session, schema: string, from: string, to: string): Promise<void> {
  const grants = await session.all<{ what: string; role: string }>(
    `SELECT string_agg(a.privilege_type, ',') AS what, coalesce(quote_ident(r.rolname), 'PUBLIC') AS role
     FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
     WHERE c.oid = $1::regclass AND a.grantee <> c.relowner GROUP BY r.rolname`,
    [`${schema}.${from}`],
  );
  for (const { what, role } of grants) await session.run(`GRANT ${what} ON ${schema}.${to} TO ${role}`);
}

/** SQL for a column of the new table, from the old row `o`. A row whose URL is not known gets the host 0. */
function newValue(schema: string, table: string, column: string, parts: number): string {
  if (column === 'graph_seq' || (table === 'graph' && (column === 'seq' || column === 'first'))) {
    return `o.${column} * ${parts} + o.part`;
  }
  if (column === 'host_id' && BY_URL.has(table)) {
    return `coalesce((SELECT u.host_id FROM ${schema}.urls u WHERE u.id = o.url_id), 0)`;
  }
  if (column === 'host_id' && table === 'parameter_bases') {
    return `coalesce((SELECT p.host_id FROM ${schema}.parameters p WHERE p.id = o.parameter_id), 0)`;
  }
  return NEW_COLUMNS[`${table}.${column}`] ?? `o."${column}"`;
}
