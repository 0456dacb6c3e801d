/** Writes the counts of a transaction (store/tally.ts), and when each touched host is ready. */
import { hash } from 'node:crypto';
import type { Tally } from '../tally.ts';
import { numbers, texts } from './arrays.ts';
import type { Session } from './database.ts';
import type { Parts } from './parts.ts';

const SLOTS = 64;

/** Which row of a total a process adds to: workers would wait for each other at one and the same. */
export function slotOf(process: string): number {
  return Number.parseInt(hash('sha256', process).slice(0, 4), 16) % SLOTS;
}

/** Last in a transaction, and in the order of keys: the rows are held until its end, and others may want them. */
export async function writeTally(
  session: Session,
  schema: string,
  parts: Parts,
  tally: Tally,
  slot: number,
  nowMs: number,
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  const byId = [...tally.hosts()].sort(([a], [b]) => a - b);
  for (const [part, hosts] of parts.group(byId, ([id]) => parts.ofHost(id))) {
    // A host that nobody holds becomes ready when something waits there; one that is leased stays so.
    sent.push(
      session.run(
        `UPDATE ${schema}.hosts h SET waiting = h.waiting + d.waiting, fetched = h.fetched + d.fetched, failed = h.failed + d.failed,
           ready_at = CASE WHEN h.lease_owner IS NULL AND d.waiting > 0
             THEN least(h.ready_at, greatest($6::bigint, h.blocked_until, h.asked_at + ceil(coalesce(h.delay_ms, 0))::bigint))
             ELSE h.ready_at END
         FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) AS d(id, waiting, fetched, failed)
         WHERE h.part = $1 AND h.id = d.id`,
        [
          part,
          numbers(hosts.map(([id]) => id)),
          numbers(hosts.map(([, { waiting }]) => waiting)),
          numbers(hosts.map(([, { fetched }]) => fetched)),
          numbers(hosts.map(([, { failed }]) => failed)),
          Math.ceil(nowMs),
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
