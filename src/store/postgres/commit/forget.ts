/**
 * Handles an archive that is shorter than the database says, after a power failure. Lost captures are fetched again,
 * and so are captures that only refer to a lost payload, in whatever file they are. For a page this means its current
 * content. If only an older version is lost, the page stays.
 *
 * Everything runs in one transaction, with some URLs at a time.
 *
 * The partner for SQLite is store/sqlite/commit/forget.ts; the shared contract test is test/store/contract/commits.ts.
 */
import { URL_STATES, type UrlState } from '../../contract.ts';
import { Tally } from '../../rules/tally.ts';
import { takeCrawlLock } from '../connection/advisory-locks.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { GraphWriter } from '../graph/graph-writer.ts';
import { writeTally } from '../leases/tally-writer.ts';
import { WorkingSet } from '../rows/working-set.ts';
import { Canonicals } from './canonicals.ts';
import { Crossing } from './commits-across-hosts.ts';
import { Copies } from './copies.ts';
import { PageWriter } from './write-page.ts';

const AT_ONCE = 1_000;

/**
 * States of URLs without a page that come from the newest capture, so losing that
 * capture loses the state. A waiting URL keeps waiting.
 */
const ANSWERED: readonly UrlState[] = ['redirect', 'failed'];

export interface AnswerRow {
  readonly url_id: number;
  readonly fetched_at: number;
  readonly status: number;
  readonly payload_digest: string;
  readonly is_lost: boolean;
}

/** The captures after offset `from` of a file, and the revisit records of their payloads. */
interface Loss {
  readonly fileId: number;
  readonly from: number;
  /** Lost payloads that revisit records refer to. */
  readonly digests: string;
}

const IS_LOST =
  '((c.file_id = $1 AND c."offset" + c.length > $2) OR (c.revisit AND c.payload_digest = ANY($3::text[])))';

/** Returns how many URLs wait again. */
export function forgetCaptures(engine: Engine, file: string, from: number, nowMs: number): Promise<number> {
  const { db, slot, memory } = engine;
  return db.transaction(async (session) => {
    const alone = await Crossing.alone(session, db.schema);
    const [row] = await session.all(`SELECT id FROM ${db.schema}.archive_files WHERE name = $1 FOR UPDATE`, [file]);
    if (row === undefined) return 0;
    const loss = await lossOf(session, db.schema, row.id, from);
    // Links are removed here, and pages may lose their last link.
    await takeCrawlLock(session, db.schema, 'unlinking', 'alone');
    const tally = new Tally();
    let waiting = 0;
    for (let after = 0; ; ) {
      const set = new WorkingSet(session, db.schema, tally);
      const captures = await capturesAfter(session, db.schema, loss, after);
      if (captures.size === 0) break;
      const ids = [...captures.keys()];
      await set.urls.load(ids, 'held');
      await set.pages.load(ids, 'held');
      const lost = ids.filter((id) => isAnswerLost(set, id, captures.get(id)!));
      await letWait(set, new GraphWriter(set, memory), lost, alone);
      await deleteLost(set, [...captures.values()].flat());
      await set.flush();
      waiting += lost.length;
      after = ids.at(-1)!;
    }
    await session.run(`UPDATE ${db.schema}.archive_files SET bytes = $2 WHERE id = $1`, [row.id, from]);
    // Captures were also lost in other files, so all counts are reset and made again when they are needed.
    await session.run(`UPDATE ${db.schema}.archive_files SET kept = NULL WHERE kept IS NOT NULL`);
    await writeTally(session, { schema: db.schema, slot }, tally, nowMs);
    return waiting;
  });
}

async function lossOf(session: Session, schema: string, fileId: number, from: number): Promise<Loss> {
  const rows = await session.all(
    `SELECT DISTINCT l.payload_digest AS digest FROM ${schema}.captures l
     WHERE NOT l.revisit AND l.file_id = $1 AND l."offset" + l.length > $2
       AND EXISTS (SELECT 1 FROM ${schema}.captures r WHERE r.revisit AND r.payload_digest = l.payload_digest)`,
    [fileId, from],
  );
  return { fileId, from, digests: texts(rows.map(({ digest }) => digest)) };
}

/** All captures of the next URLs that have a lost capture. */
async function capturesAfter(
  session: Session,
  schema: string,
  { fileId, from, digests }: Loss,
  after: number,
): Promise<Map<number, AnswerRow[]>> {
  const rows = await session.all<AnswerRow>(
    `SELECT c.url_id, c.fetched_at, c.status, c.payload_digest, ${IS_LOST} AS is_lost FROM ${schema}.captures c
     WHERE c.url_id IN (SELECT DISTINCT c.url_id FROM ${schema}.captures c WHERE c.url_id > $4 AND ${IS_LOST} ORDER BY 1 LIMIT ${AT_ONCE})
     ORDER BY c.url_id, c.fetched_at`,
    [fileId, from, digests, after],
  );
  return Map.groupBy(rows, ({ url_id }) => url_id);
}

/** Whether a URL must be fetched again for its current state. `captures` are in the order of time. */
export function isAnswerLost({ urls, pages }: WorkingSet, id: number, captures: readonly AnswerRow[]): boolean {
  if (pages.get(id) === null) {
    const state = URL_STATES[urls.get(id)!.state]!;
    return ANSWERED.includes(state) && captures.at(-1)!.is_lost;
  }
  const answers = captures.filter(({ status }) => status >= 200 && status <= 299);
  const newest = answers.at(-1);
  // The page never had a successful capture.
  if (newest === undefined) return true;
  if (!newest.is_lost) return false;
  return !answers.some(({ is_lost, payload_digest }) => !is_lost && payload_digest === newest.payload_digest);
}

/** Lets URLs wait as if they had not been fetched. */
export async function letWait(
  set: WorkingSet,
  graph: GraphWriter,
  ids: readonly number[],
  alone: Crossing,
): Promise<void> {
  const { urls, visits, tally } = set;
  const copies = new Copies(set, alone);
  const canonicals = new Canonicals(set, copies);
  const pages = new PageWriter(set, graph);
  const kept = ids.map((id) => set.pages.get(id)).filter((page) => page !== null);
  await copies.prepare(kept);
  await visits.load(ids, 'held');
  const unlinked = kept.map((page) => ({ page: page.url_id, seq: page.graph_seq }));
  for (const id of ids) {
    const page = set.pages.get(id);
    if (page !== null) {
      await copies.handOn(id, page.digest);
      pages.remove(id, page);
    }
    const { host_id, state, reason, redirect_to } = urls.get(id)!;
    urls.change(id, { state: 0, reason: null, failures: 0, redirect_to: null });
    visits.remove(id);
    canonicals.changes(id);
    if (redirect_to !== null) await canonicals.leavesRedirect(redirect_to);
    tally.leaves(host_id, URL_STATES[state]!, reason);
    tally.enters(host_id, 'waiting', null);
  }
  if (unlinked.length > 0) await graph.remove(unlinked);
  await canonicals.settle();
}

async function deleteLost({ session, schema }: WorkingSet, captures: readonly AnswerRow[]): Promise<void> {
  const lost = captures.filter(({ is_lost }) => is_lost);
  await session.run(
    `DELETE FROM ${schema}.captures c USING unnest($1::bigint[], $2::bigint[]) AS d(url_id, fetched_at)
     WHERE c.url_id = d.url_id AND c.fetched_at = d.fetched_at`,
    [numbers(lost.map(({ url_id }) => url_id)), numbers(lost.map(({ fetched_at }) => fetched_at))],
  );
}
