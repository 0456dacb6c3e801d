/**
 * Writes the counts of a transaction (store/rules/tally.ts), the time at
 * which each touched host is ready, and the learned manners.
 *
 * The partner for SQLite is store/sqlite/commit/tally-writer.ts; the
 * shared contract test is test/store/contract/counts.ts.
 */
import { hash } from 'node:crypto';
import type { Tally } from '../../rules/tally.ts';
import { booleans, numbers, plainTexts, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { LearnedManners } from './host-updates.ts';

const SLOTS = 64;
const NO_CHANGE = { waiting: 0, fetched: 0, failed: 0 };
const NO_MANNERS: ReadonlyMap<number, LearnedManners> = new Map();

/** The tables that counts are written to. */
export interface CountedStore {
  readonly schema: string;
  /** From `slotOf`. */
  readonly slot: number;
}

/** The row of each total to which a process adds. With a single row, workers would wait for each other. */
export function slotOf(process: string): number {
  return Number.parseInt(hash('sha256', process).slice(0, 4), 16) % SLOTS;
}

/**
 * Must be the last step of a transaction, and in the order of keys: the rows stay
 * locked until its end, and other transactions may need them.
 */
export async function writeTally(
  session: Session,
  { schema, slot }: CountedStore,
  tally: Tally,
  nowMs: number,
  learned: ReadonlyMap<number, LearnedManners> = NO_MANNERS,
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  // A host whose counts do not change is not touched. For example, a page that takes over a content stays a page; its
  // host may belong to another worker that waits for a host of this commit.
  const counts = new Map([...tally.hosts()].filter(([, delta]) => delta.waiting || delta.fetched || delta.failed));
  const ids = [...new Set([...counts.keys(), ...learned.keys()])].sort((a, b) => a - b);
  if (ids.length > 0) {
    const counted = ids.map((id) => counts.get(id) ?? NO_CHANGE);
    const manners = ids.map((id) => learned.get(id));
    // A free host becomes ready when a URL waits there. A leased host stays leased.
    sent.push(
      session.run(
        `UPDATE ${schema}.hosts h SET
           waiting = h.waiting + d.waiting, fetched = h.fetched + d.fetched, failed = h.failed + d.failed,
           ready_at = CASE WHEN h.lease_owner IS NULL AND d.waiting > 0
             THEN least(h.ready_at, greatest($5::bigint, h.blocked_until, h.asked_at + ceil(coalesce(h.delay_ms, 0))::bigint))
             ELSE h.ready_at END,
           asked_at = greatest(h.asked_at, d.asked_at), blocked_until = greatest(h.blocked_until, d.blocked_until),
           delay_ms = CASE WHEN d.asked_at IS NULL THEN h.delay_ms WHEN d.is_shared THEN greatest(h.delay_ms, d.delay_ms)
             ELSE d.delay_ms END,
           trouble = CASE WHEN d.has_trouble_news THEN d.trouble ELSE h.trouble END
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $6::bigint[], $7::double precision[], $8::bigint[],
           $9::boolean[], $10::boolean[], $11::text[])
           AS d(id, waiting, fetched, failed, asked_at, delay_ms, blocked_until, is_shared, has_trouble_news, trouble)
         WHERE h.id = d.id`,
        [
          numbers(ids),
          numbers(counted.map(({ waiting }) => waiting)),
          numbers(counted.map(({ fetched }) => fetched)),
          numbers(counted.map(({ failed }) => failed)),
          Math.ceil(nowMs),
          numbers(manners.map((told) => (told ? Math.ceil(told.askedAtMs) : null))),
          numbers(manners.map((told) => told?.delayMs ?? null)),
          numbers(manners.map((told) => (told ? Math.ceil(told.blockedUntilMs) : null))),
          booleans(manners.map((told) => told?.isShared ?? false)),
          booleans(manners.map((told) => told?.trouble !== undefined)),
          plainTexts(manners.map((told) => told?.trouble ?? null)),
        ],
      ),
    );
  }
  const totals = [...tally.totals()].filter(([, amount]) => amount !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (totals.length > 0) {
    sent.push(
      session.run(
        `INSERT INTO ${schema}.totals AS t (slot, name, value) SELECT $1::smallint, * FROM unnest($2::text[], $3::bigint[])
         ON CONFLICT (slot, name) DO UPDATE SET value = t.value + excluded.value`,
        [slot, texts(totals.map(([name]) => name)), numbers(totals.map(([, amount]) => amount))],
      ),
    );
  }
  await Promise.all(sent);
}
