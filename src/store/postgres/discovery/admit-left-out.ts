/**
 * Lets URLs wait that were left out for the budget of their path pattern, when the pattern has room again. Runs in
 * transactions of its own, after the transaction that left URLs out or counted answers.
 *
 * What always holds: whoever leaves a URL out and whoever counts an answer looks here afterwards, so one of the two
 * sees the work of the other. If a process dies in between, the next answer or the next start of a run does it.
 *
 * The partner for SQLite is store/sqlite/discovery/pattern-budgets.ts;
 * the shared contract test is test/store/contract/budgets.ts.
 */
import { pathPattern } from '../../../url/traps/path-pattern.ts';
import { countReleased } from '../../rules/left-out.ts';
import { countByHost, OVER_BUDGET, patternKey, roomFor } from '../../rules/pattern-budget-rule.ts';
import { Tally } from '../../rules/tally.ts';
import { bytes, numbers } from '../connection/arrays.ts';
import type { Database, Session } from '../connection/database.ts';
import { lockHosts } from '../leases/lock-hosts.ts';
import { writeTally } from '../leases/tally-writer.ts';
import { type PatternRow, toUse, usesOf } from './pattern-budgets.ts';

/** URLs of older versions that get their pattern at once. */
const AT_ONCE = 5_000;
const BY_INDEX = { isByIndex: true, isToldOnce: true };

export interface PatternOfHost {
  readonly hostId: number;
  readonly pattern: string;
}

export interface Admission {
  readonly patternBudget: number;
  readonly slot: number;
  readonly nowMs: number;
}

/** Looks at these patterns. Returns the number of URLs that wait again, by host. */
export async function admitLeftOut(
  db: Database,
  patterns: readonly PatternOfHost[],
  admission: Admission,
): Promise<ReadonlyMap<string, number>> {
  if (patterns.length === 0) return new Map();
  const named = new Map(patterns.map(({ hostId, pattern }) => [`${hostId} ${patternKey(pattern)}`, pattern]));
  const released = new Map<string, number>();
  for (const [name, count] of await admit(db, keysOf(named.keys()), admission)) {
    countByHost(released, named.get(name)!, count);
  }
  return released;
}

/** Looks at all patterns with left-out URLs. Returns the number of URLs that wait again. */
export async function fillBudgets(db: Database, admission: Admission): Promise<number> {
  while (await adopt(db));
  const rows = await db.all<PatternRow>(
    `SELECT host_id, encode(pattern, 'hex') AS pattern FROM ${db.schema}.patterns WHERE left_out > 0`,
  );
  const released = await admit(db, rows, admission);
  return released.values().reduce((sum, count) => sum + count, 0);
}

type Key = Pick<PatternRow, 'host_id' | 'pattern'>;

/** Most patterns have no left-out URL or no room, which one statement without locks finds out. */
async function admit(
  db: Database,
  keys: readonly Key[],
  { patternBudget, slot, nowMs }: Admission,
): Promise<ReadonlyMap<string, number>> {
  const { schema } = db;
  const hasRoom = (row: PatternRow): boolean => row.left_out > 0 && roomFor(toUse(row), patternBudget) > 0;
  const open = (await db.all<PatternRow>(usesAt(schema, ''), listsOf(keys))).filter(hasRoom);
  if (open.length === 0) return new Map();
  return db.transaction(async (session) => {
    const lists = listsOf(open);
    // The order of locks is that of a discovery: patterns, then hosts.
    await session.run(usesAt(schema, 'FOR NO KEY UPDATE OF p'), lists);
    const rows = (await session.all<PatternRow>(usesAt(schema, ''), lists)).filter(hasRoom);
    await lockHosts(
      session,
      schema,
      rows.map(({ host_id }) => host_id),
    );
    const tally = new Tally();
    const released = new Map<string, number>();
    for (const row of rows) {
      const count = await letWait(session, schema, row, Math.min(row.left_out, roomFor(toUse(row), patternBudget)));
      countReleased(row.host_id, OVER_BUDGET, tally, count);
      if (count > 0) released.set(`${row.host_id} ${row.pattern}`, count);
    }
    await writeTally(session, { schema, slot }, tally, nowMs);
    return released;
  }, BY_INDEX);
}

async function letWait(session: Session, schema: string, { host_id, pattern }: Key, most: number): Promise<number> {
  const count = await session.run(
    `UPDATE ${schema}.urls SET state = 0, reason = NULL WHERE id IN (SELECT id FROM ${schema}.urls
       WHERE host_id = $1 AND pattern = decode($2, 'hex') AND reason = '${OVER_BUDGET}' ORDER BY id LIMIT $3)`,
    [host_id, pattern, most],
  );
  // If there are fewer than the count says, the others wait already.
  await session.run(
    `UPDATE ${schema}.patterns SET left_out = CASE WHEN $3::bigint < $4::bigint THEN 0 ELSE left_out - $3 END
     WHERE host_id = $1 AND pattern = decode($2, 'hex')`,
    [host_id, pattern, count, most],
  );
  return count;
}

/** Earlier versions left URLs out for good, and did not store their patterns. They counted them as answered. */
function adopt(db: Database): Promise<boolean> {
  const { schema } = db;
  return db.transaction(async (session) => {
    const rows = await session.all<{ id: number; host_id: number; url: string }>(
      `SELECT id, host_id, url FROM ${schema}.urls WHERE reason = '${OVER_BUDGET}' AND pattern IS NULL
       ORDER BY id LIMIT ${AT_ONCE} FOR NO KEY UPDATE`,
    );
    if (rows.length === 0) return false;
    const keys = rows.map(({ url }) => patternKey(pathPattern(url) ?? ''));
    const lists = [
      numbers(rows.map(({ id }) => id)),
      numbers(rows.map(({ host_id }) => host_id)),
      bytes(keys.map((key) => Buffer.from(key, 'hex'))),
    ];
    const perPattern = `(SELECT host_id, pattern, count(*) AS urls
      FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS n(id, host_id, pattern) GROUP BY host_id, pattern) n`;
    const isSame = 'p.host_id = n.host_id AND p.pattern = n.pattern';
    await session.run(
      `UPDATE ${schema}.patterns p SET left_out = p.left_out + n.urls FROM ${perPattern} WHERE ${isSame}`,
      lists,
    );
    await session.run(
      `UPDATE ${schema}.pattern_answers p SET answered = p.answered - n.urls FROM ${perPattern}
       WHERE ${isSame} AND p.slot = 0`,
      lists,
    );
    await session.run(
      `UPDATE ${schema}.urls u SET pattern = n.pattern FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
         AS n(id, host_id, pattern) WHERE u.id = n.id`,
      lists,
    );
    return true;
  });
}

function usesAt(schema: string, lock: string): string {
  const at = 'JOIN unnest($1::bigint[], $2::bytea[]) AS n(host_id, pattern) USING (host_id, pattern)';
  if (lock === '') return usesOf(schema, `(SELECT p.* FROM ${schema}.patterns p ${at})`);
  return `SELECT 1 FROM ${schema}.patterns p ${at} ORDER BY p.host_id, p.pattern ${lock}`;
}

function keysOf(names: Iterable<string>): Key[] {
  return Array.from(names, (name) => {
    const [hostId = '', pattern = ''] = name.split(' ');
    return { host_id: Number(hostId), pattern };
  });
}

function listsOf(keys: readonly Key[]): string[] {
  return [numbers(keys.map(({ host_id }) => host_id)), bytes(keys.map(({ pattern }) => Buffer.from(pattern, 'hex')))];
}
