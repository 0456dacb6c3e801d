/**
 * Lets URLs wait that were left out for a reason that no longer holds: the depth limit was raised, the
 * topic changed, or lessons were dropped.
 *
 * The partner for SQLite is store/sqlite/discovery/discovery.ts;
 * the shared contract test is test/store/contract/seen.ts.
 */
import { ON_TOPIC } from '../../../core/on-topic.ts';
import type { Reason } from '../../../core/reasons.ts';
import { countReleased } from '../../rules/left-out.ts';
import { Tally } from '../../rules/tally.ts';
import { numbers } from '../connection/arrays.ts';
import type { Session, Value } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { lockHosts } from '../leases/lock-hosts.ts';
import { writeTally } from '../leases/tally-writer.ts';

const ANY_DEPTH = 2 ** 31 - 1;

/** Lets URLs wait that were skipped because they were too deep and are not deeper than `depth`. Returns how many. */
export function allowDepth(engine: Engine, depth: number, nowMs: number): Promise<number> {
  const deepest = Math.min(Math.floor(depth), ANY_DEPTH);
  return counting(engine, nowMs, (session, tally) =>
    releaseFor(session, engine.db.schema, { reason: 'too-deep', depth: deepest }, tally),
  );
}

/** Lets URLs wait that were skipped for this reason. Returns how many. */
export function letWait(engine: Engine, reason: Reason, nowMs: number): Promise<number> {
  return counting(engine, nowMs, (session, tally) =>
    releaseFor(session, engine.db.schema, { reason, depth: ANY_DEPTH }, tally),
  );
}

/** Removes all judgements by the former topic. Returns how many URLs wait again. */
export function forgetTopic(engine: Engine, nowMs: number): Promise<number> {
  const { schema } = engine.db;
  return counting(engine, nowMs, async (session, tally) => {
    // Pages of any host may have a relevance, so all hosts are locked.
    await session.run(`SELECT id FROM ${schema}.hosts ORDER BY id FOR NO KEY UPDATE`);
    const [judged] = await session.all(
      `WITH old AS (SELECT url_id, relevance FROM ${schema}.pages WHERE relevance IS NOT NULL FOR NO KEY UPDATE),
         cleared AS (UPDATE ${schema}.pages p SET relevance = NULL FROM old WHERE p.url_id = old.url_id
           RETURNING old.relevance)
       SELECT count(*) AS all, count(*) FILTER (WHERE relevance >= $1) AS on_topic FROM cleared`,
      [ON_TOPIC],
    );
    tally.add('judged', -judged!.all);
    tally.add('on-topic', -judged!.on_topic);
    const released = await releaseFor(session, schema, { reason: 'off-topic', depth: ANY_DEPTH }, tally);
    await session.run(
      `UPDATE ${schema}.urls SET relevance = NULL, inherited = NULL, steps_off = NULL WHERE relevance IS NOT NULL`,
    );
    return released;
  });
}

/** Removes all lessons about parameters, and lets the URLs wait that were skipped for them. Returns how many URLs. */
export function dropLessons(engine: Engine, nowMs: number): Promise<number> {
  const { schema } = engine.db;
  return counting(engine, nowMs, async (session, tally) => {
    const rows = await session.all(`SELECT DISTINCT host_id FROM ${schema}.parameters`);
    if (rows.length === 0) return 0;
    const hostIds = rows.map(({ host_id }) => host_id);
    await lockHosts(session, schema, hostIds);
    const held = [numbers(hostIds)];
    await session.run(
      `DELETE FROM ${schema}.parameter_bases WHERE parameter_id IN
         (SELECT id FROM ${schema}.parameters WHERE host_id = ANY($1::bigint[]))`,
      held,
    );
    await session.run(`DELETE FROM ${schema}.variant_pages WHERE host_id = ANY($1::bigint[])`, held);
    await session.run(`DELETE FROM ${schema}.parameters WHERE host_id = ANY($1::bigint[])`, held);
    return release(
      session,
      `UPDATE ${schema}.urls SET state = 0, reason = NULL, stand_in = NULL WHERE host_id = ANY($1::bigint[])
         AND stand_in IS NOT NULL AND reason = 'ignored-parameter' RETURNING host_id`,
      held,
      'ignored-parameter',
      tally,
    );
  });
}

/** Lets URLs wait that were skipped for a reason, up to a depth. */
async function releaseFor(
  session: Session,
  schema: string,
  { reason, depth }: { readonly reason: Reason; readonly depth: number },
  tally: Tally,
): Promise<number> {
  // The reason is in the text of the statement, because one index covers a single reason.
  const where = `WHERE depth <= $1 AND reason = '${reason}'`;
  const rows = await session.all(`SELECT DISTINCT host_id FROM ${schema}.urls ${where}`, [depth]);
  if (rows.length === 0) return 0;
  const hostIds = rows.map(({ host_id }) => host_id);
  await lockHosts(session, schema, hostIds);
  return release(
    session,
    `UPDATE ${schema}.urls SET state = 0, reason = NULL ${where} AND host_id = ANY($2::bigint[]) RETURNING host_id`,
    [depth, numbers(hostIds)],
    reason,
    tally,
  );
}

async function release(
  session: Session,
  update: string,
  values: readonly Value[],
  reason: Reason,
  tally: Tally,
): Promise<number> {
  const rows = await session.all(
    `WITH released AS (${update}) SELECT host_id, count(*) AS urls FROM released GROUP BY host_id`,
    values,
  );
  let count = 0;
  for (const { host_id, urls } of rows) {
    countReleased(host_id, reason, tally, urls);
    count += urls;
  }
  return count;
}

/** Runs `work` in a transaction, and writes the counts that it changes. */
function counting(
  { db, slot }: Engine,
  nowMs: number,
  work: (session: Session, tally: Tally) => Promise<number>,
): Promise<number> {
  const run = async (session: Session): Promise<number> => {
    const tally = new Tally();
    const count = await work(session, tally);
    await writeTally(session, { schema: db.schema, slot }, tally, nowMs);
    return count;
  };
  return db.transaction(run, { isToldOnce: true });
}
