/**
 * The manners and robots.txt of hosts, as the holder of the lease learned them. Workers that share a
 * host learn from each other: the strictest value counts.
 */
import type { CommitBatch, HostManners, HostUpdate } from '../../contract.ts';
import { bytes, numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { HeldHosts } from './held-hosts.ts';
import { toManners } from './lease-rows.ts';

/** The manners that a commit reports for a host of the sender. */
export interface LearnedManners extends HostManners, Pick<HostUpdate, 'trouble'> {
  readonly isShared: boolean;
}

/**
 * The manners are written together with the counts of the hosts (tally-writer.ts): one update of a row instead of two.
 */
export function learnedManners({ hosts }: CommitBatch, held: HeldHosts): ReadonlyMap<number, LearnedManners> {
  const learned = oneEach(ownOf(hosts, held));
  return new Map(
    learned.map(({ hostId, manners, trouble }) => {
      return [hostId, { ...manners, trouble, isShared: held.isShared(hostId) }] as const;
    }),
  );
}

/**
 * Writes facts that are reported seldom: robots.txt, the URL of a watcher report, the answer for a made-up path, and
 * the template and the noise of the pages.
 */
export async function writeHosts(
  session: Session,
  schema: string,
  { hosts }: CommitBatch,
  held: HeldHosts,
): Promise<void> {
  const own = ownOf(hosts, held);
  const read = oneEach(own.filter(({ robots }) => robots !== undefined));
  const told = oneEach(own.filter(({ report }) => report !== undefined));
  const learned = oneEach(own.filter(({ template }) => template !== undefined));
  const noisy = oneEach(own.filter(({ noise }) => noise !== undefined));
  const asked = oneEach(own.filter(({ notFound }) => notFound !== undefined));
  await Promise.all([
    ...(read.length > 0 ? [writeRobots(session, schema, read)] : []),
    ...(told.length > 0 ? [writeReports(session, schema, told)] : []),
    ...(learned.length > 0 ? [writeTemplates(session, schema, learned)] : []),
    ...(noisy.length > 0 ? [writeNoise(session, schema, noisy)] : []),
    ...(asked.length > 0 ? [writeNotFound(session, schema, asked)] : []),
  ]);
}

/** Reads the manners of shared hosts, after the sender's own values are written. */
export async function sharedManners(
  session: Session,
  schema: string,
  { sharedHosts }: HeldHosts,
): Promise<ReadonlyMap<number, HostManners>> {
  if (sharedHosts.length === 0) return new Map();
  const rows = await session.all(
    `SELECT id, asked_at, delay_ms, blocked_until FROM ${schema}.hosts WHERE id = ANY($1::bigint[])`,
    [numbers(sharedHosts)],
  );
  return new Map(rows.map((row) => [row.id, toManners(row)]));
}

export function ownOf(hosts: readonly HostUpdate[], held: HeldHosts): HostUpdate[] {
  return hosts.filter(({ hostId }) => held.has(hostId) || held.isShared(hostId)).sort((a, b) => a.hostId - b.hostId);
}

function writeRobots(session: Session, schema: string, updates: readonly HostUpdate[]): Promise<number> {
  return session.run(
    `UPDATE ${schema}.hosts h
     SET robots_status = n.status, robots_body = n.body, robots_at = n.read_at, robots_since = n.since
     FROM unnest($1::bigint[], $2::integer[], $3::bytea[], $4::bigint[], $5::bigint[]) AS n(id, status, body, read_at, since)
     WHERE h.id = n.id`,
    [
      numbers(updates.map(({ hostId }) => hostId)),
      numbers(updates.map(({ robots }) => robots!.status)),
      bytes(updates.map(({ robots }) => Buffer.from(robots!.body))),
      numbers(updates.map(({ robots }) => Math.ceil(robots!.fetchedAtMs))),
      numbers(updates.map(({ robots }) => robots!.failingSinceMs ?? null)),
    ],
  );
}

function writeNotFound(session: Session, schema: string, updates: readonly HostUpdate[]): Promise<number> {
  return session.run(
    `UPDATE ${schema}.hosts h SET not_found = n.answer FROM unnest($1::bigint[], $2::text[]) AS n(id, answer)
     WHERE h.id = n.id`,
    [numbers(updates.map(({ hostId }) => hostId)), texts(updates.map(({ notFound }) => JSON.stringify(notFound)))],
  );
}

/** Writes the URL of a watcher report. It is news only while no report was read. */
function writeReports(session: Session, schema: string, updates: readonly HostUpdate[]): Promise<number> {
  return session.run(
    `INSERT INTO ${schema}.watchers AS w (host_id, url) SELECT * FROM unnest($1::bigint[], $2::text[])
     ON CONFLICT (host_id) DO UPDATE SET url = excluded.url, asked_at = 0 WHERE w.read_at = 0 AND w.url <> excluded.url`,
    [numbers(updates.map(({ hostId }) => hostId)), texts(updates.map(({ report }) => report!))],
  );
}

function writeTemplates(session: Session, schema: string, updates: readonly HostUpdate[]): Promise<number> {
  return session.run(
    `INSERT INTO ${schema}.templates (host_id, counts) SELECT * FROM unnest($1::bigint[], $2::bytea[])
     ON CONFLICT (host_id) DO UPDATE SET counts = excluded.counts`,
    [numbers(updates.map(({ hostId }) => hostId)), bytes(updates.map(({ template }) => Buffer.from(template!)))],
  );
}

function writeNoise(session: Session, schema: string, updates: readonly HostUpdate[]): Promise<number> {
  return session.run(
    `INSERT INTO ${schema}.noise_evidence (host_id, evidence) SELECT * FROM unnest($1::bigint[], $2::bytea[])
     ON CONFLICT (host_id) DO UPDATE SET evidence = excluded.evidence`,
    [numbers(updates.map(({ hostId }) => hostId)), bytes(updates.map(({ noise }) => Buffer.from(noise!)))],
  );
}

/**
 * Merges the updates of each host into one, as if they came one
 * after the other: a statement can change a row only once.
 */
function oneEach(updates: readonly HostUpdate[]): readonly HostUpdate[] {
  const byHost = new Map<number, HostUpdate>();
  for (const update of updates) {
    const before = byHost.get(update.hostId) ?? update;
    const askedAtMs = Math.max(before.manners.askedAtMs, update.manners.askedAtMs);
    const blockedUntilMs = Math.max(before.manners.blockedUntilMs, update.manners.blockedUntilMs);
    const manners = { ...update.manners, askedAtMs, blockedUntilMs };
    const trouble = update.trouble === undefined ? before.trouble : update.trouble;
    byHost.set(update.hostId, { ...update, manners, trouble });
  }
  return [...byHost.values()];
}
