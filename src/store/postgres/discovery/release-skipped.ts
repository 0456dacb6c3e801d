/**
 * Lets URLs wait that were left out for a reason that no longer holds: the depth limit was raised, the
 * topic changed, or lessons were dropped. Each part has its own transaction, because there may be very many
 * URLs; after an interruption the work can be continued.
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
  return partAfterPart(engine, nowMs, (session, part, tally) =>
    letWait(session, engine.db.schema, part, { reason: 'too-deep', depth: deepest }, tally),
  );
}

/** Lets URLs wait that were skipped because their host has a private address. Returns how many. */
export function allowPrivate(engine: Engine, nowMs: number): Promise<number> {
  return partAfterPart(engine, nowMs, (session, part, tally) =>
    letWait(session, engine.db.schema, part, { reason: 'private-address', depth: ANY_DEPTH }, tally),
  );
}

/** Removes all judgements by the former topic. Returns how many URLs wait again. */
export function forgetTopic(engine: Engine, nowMs: number): Promise<number> {
  const { schema } = engine.db;
  return partAfterPart(engine, nowMs, async (session, part, tally) => {
    // Pages of any host may have a relevance, so all hosts are locked.
    await session.run(`SELECT id FROM ${schema}.hosts WHERE part = $1 ORDER BY id FOR NO KEY UPDATE`, [part]);
    const [judged] = await session.all(
      `WITH old AS (SELECT url_id, relevance FROM ${schema}.pages WHERE part = $1 AND relevance IS NOT NULL FOR NO KEY UPDATE),
         cleared AS (UPDATE ${schema}.pages p SET relevance = NULL FROM old WHERE p.part = $1 AND p.url_id = old.url_id
           RETURNING old.relevance)
       SELECT count(*) AS all, count(*) FILTER (WHERE relevance >= $2) AS on_topic FROM cleared`,
      [part, ON_TOPIC],
    );
    tally.add('judged', -judged!.all);
    tally.add('on-topic', -judged!.on_topic);
    const released = await letWait(session, schema, part, { reason: 'off-topic', depth: ANY_DEPTH }, tally);
    await session.run(
      `UPDATE ${schema}.urls SET relevance = NULL, inherited = NULL, steps_off = NULL
       WHERE part = $1 AND relevance IS NOT NULL`,
      [part],
    );
    return released;
  });
}

/** Removes all lessons about parameters, and lets the URLs wait that were skipped for them. Returns how many URLs. */
export function dropLessons(engine: Engine, nowMs: number): Promise<number> {
  const { schema } = engine.db;
  return partAfterPart(engine, nowMs, async (session, part, tally) => {
    const rows = await session.all(`SELECT DISTINCT host_id FROM ${schema}.parameters WHERE part = $1`, [part]);
    if (rows.length === 0) return 0;
    const hostIds = rows.map(({ host_id }) => host_id);
    await lockHosts(session, schema, part, hostIds);
    const held = [part, numbers(hostIds)];
    await session.run(
      `DELETE FROM ${schema}.parameter_bases WHERE part = $1 AND parameter_id IN
         (SELECT id FROM ${schema}.parameters WHERE part = $1 AND host_id = ANY($2::bigint[]))`,
      held,
    );
    await session.run(`DELETE FROM ${schema}.parameters WHERE part = $1 AND host_id = ANY($2::bigint[])`, held);
    return release(
      session,
      `UPDATE ${schema}.urls SET state = 0, reason = NULL, stand_in = NULL WHERE part = $1 AND host_id = ANY($2::bigint[])
         AND stand_in IS NOT NULL AND reason = 'ignored-parameter' RETURNING host_id`,
      held,
      'ignored-parameter',
      tally,
    );
  });
}

/** Lets URLs wait that were skipped for a reason, up to a depth. */
async function letWait(
  session: Session,
  schema: string,
  part: number,
  { reason, depth }: { readonly reason: Reason; readonly depth: number },
  tally: Tally,
): Promise<number> {
  // The reason is in the text of the statement, because one index covers a single reason.
  const where = `WHERE part = $1 AND depth <= $2 AND reason = '${reason}'`;
  const rows = await session.all(`SELECT DISTINCT host_id FROM ${schema}.urls ${where}`, [part, depth]);
  if (rows.length === 0) return 0;
  const hostIds = rows.map(({ host_id }) => host_id);
  await lockHosts(session, schema, part, hostIds);
  return release(
    session,
    `UPDATE ${schema}.urls SET state = 0, reason = NULL ${where} AND host_id = ANY($3::bigint[]) RETURNING host_id`,
    [part, depth, numbers(hostIds)],
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

async function partAfterPart(
  { db, parts, slot }: Engine,
  nowMs: number,
  work: (session: Session, part: number, tally: Tally) => Promise<number>,
): Promise<number> {
  let count = 0;
  for (let part = 0; part < parts.count; part++) {
    const letOne = async (session: Session): Promise<number> => {
      const tally = new Tally();
      const done = await work(session, part, tally);
      await writeTally(session, { schema: db.schema, parts, slot }, tally, nowMs);
      return done;
    };
    count += await db.transaction(letOne, { isToldOnce: true });
  }
  return count;
}
