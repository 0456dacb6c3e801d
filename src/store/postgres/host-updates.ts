/**
 * The manners and robots.txt of hosts, as the holder of their lease learned them. Those who share a host learn from each other: of
 * what they were told, the strictest holds.
 */
import type { CommitBatch, HostManners, HostUpdate } from '../contract.ts';
import { booleans, bytes, numbers, texts } from './arrays.ts';
import type { Session } from './database.ts';
import type { HeldHosts } from './held-hosts.ts';
import { toManners } from './lease-rows.ts';
import type { Parts } from './parts.ts';

/** Late in a transaction: others write to the row of a shared host, too. Returns the manners of hosts that are shared. */
export async function writeHosts(
  session: Session,
  schema: string,
  parts: Parts,
  { hosts }: CommitBatch,
  held: HeldHosts,
): Promise<ReadonlyMap<number, HostManners>> {
  const sent: Promise<unknown>[] = [];
  const own = hosts
    .filter(({ hostId }) => held.has(hostId) || held.isShared(hostId))
    .sort((a, b) => a.hostId - b.hostId);
  for (const [part, some] of parts.group(own, ({ hostId }) => parts.ofHost(hostId))) {
    sent.push(writeManners(session, schema, part, oneEach(some), held));
    const read = oneEach(some.filter(({ robots }) => robots !== undefined));
    if (read.length > 0) sent.push(writeRobots(session, schema, part, read));
    const told = oneEach(some.filter(({ report }) => report !== undefined));
    if (told.length > 0) sent.push(writeReports(session, schema, part, told));
  }
  const shared = new Map<number, HostManners>();
  for (const [part, ids] of parts.group(held.sharedHosts, (id) => parts.ofHost(id))) {
    const asked = session.all(
      `SELECT id, asked_at, delay_ms, blocked_until FROM ${schema}.hosts WHERE part = $1 AND id = ANY($2::bigint[])`,
      [part, numbers(ids)],
    );
    sent.push(
      asked.then((rows) => {
        for (const row of rows) shared.set(row.id, toManners(row));
      }),
    );
  }
  await Promise.all(sent);
  return shared;
}

function writeManners(
  session: Session,
  schema: string,
  part: number,
  updates: readonly HostUpdate[],
  held: HeldHosts,
): Promise<number> {
  return session.run(
    `UPDATE ${schema}.hosts h SET asked_at = greatest(h.asked_at, n.asked_at),
       delay_ms = CASE WHEN n.is_shared THEN greatest(h.delay_ms, n.delay_ms) ELSE n.delay_ms END,
       blocked_until = greatest(h.blocked_until, n.blocked_until)
     FROM unnest($2::bigint[], $3::bigint[], $4::double precision[], $5::bigint[], $6::boolean[])
       AS n(id, asked_at, delay_ms, blocked_until, is_shared)
     WHERE h.part = $1 AND h.id = n.id`,
    [
      part,
      numbers(updates.map(({ hostId }) => hostId)),
      numbers(updates.map(({ manners }) => Math.ceil(manners.askedAtMs))),
      numbers(updates.map(({ manners }) => manners.delayMs)),
      numbers(updates.map(({ manners }) => Math.ceil(manners.blockedUntilMs))),
      booleans(updates.map(({ hostId }) => held.isShared(hostId))),
    ],
  );
}

function writeRobots(session: Session, schema: string, part: number, updates: readonly HostUpdate[]): Promise<number> {
  return session.run(
    `UPDATE ${schema}.hosts h SET robots_status = n.status, robots_body = n.body, robots_at = n.read_at
     FROM unnest($2::bigint[], $3::integer[], $4::bytea[], $5::bigint[]) AS n(id, status, body, read_at)
     WHERE h.part = $1 AND h.id = n.id`,
    [
      part,
      numbers(updates.map(({ hostId }) => hostId)),
      numbers(updates.map(({ robots }) => robots!.status)),
      bytes(updates.map(({ robots }) => Buffer.from(robots!.body))),
      numbers(updates.map(({ robots }) => Math.ceil(robots!.fetchedAtMs))),
    ],
  );
}

/** Where the report of its watcher is: news only as long as none was read. */
function writeReports(session: Session, schema: string, part: number, updates: readonly HostUpdate[]): Promise<number> {
  return session.run(
    `INSERT INTO ${schema}.watchers AS w (part, host_id, url) SELECT $1::smallint, * FROM unnest($2::bigint[], $3::text[])
     ON CONFLICT (part, host_id) DO UPDATE SET url = excluded.url, asked_at = 0 WHERE w.read_at = 0 AND w.url <> excluded.url`,
    [part, numbers(updates.map(({ hostId }) => hostId)), texts(updates.map(({ report }) => report!))],
  );
}

/** One a host, since a statement changes a row once; as if they came one after the other. */
function oneEach(updates: readonly HostUpdate[]): readonly HostUpdate[] {
  const byHost = new Map<number, HostUpdate>();
  for (const update of updates) {
    const before = byHost.get(update.hostId)?.manners ?? update.manners;
    const askedAtMs = Math.max(before.askedAtMs, update.manners.askedAtMs);
    const blockedUntilMs = Math.max(before.blockedUntilMs, update.manners.blockedUntilMs);
    byHost.set(update.hostId, { ...update, manners: { ...update.manners, askedAtMs, blockedUntilMs } });
  }
  return [...byHost.values()];
}
