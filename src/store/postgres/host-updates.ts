/** The manners and robots.txt of hosts, as the holder of their lease learned them. */
import type { CommitBatch } from '../contract.ts';
import { numbers, texts } from './arrays.ts';
import type { Session } from './database.ts';
import type { Parts } from './parts.ts';

export async function writeHosts(
  session: Session,
  schema: string,
  parts: Parts,
  { hosts, owner }: CommitBatch,
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (const [part, some] of parts.group(hosts, ({ hostId }) => parts.ofHost(hostId))) {
    sent.push(
      session.run(
        `UPDATE ${schema}.hosts h SET asked_at = greatest(h.asked_at, n.asked_at), delay_ms = n.delay_ms,
           blocked_until = greatest(h.blocked_until, n.blocked_until)
         FROM unnest($2::bigint[], $3::bigint[], $4::double precision[], $5::bigint[]) AS n(id, asked_at, delay_ms, blocked_until)
         WHERE h.part = $1 AND h.id = n.id AND h.lease_owner = $6`,
        [
          part,
          numbers(some.map(({ hostId }) => hostId)),
          numbers(some.map(({ manners }) => Math.ceil(manners.askedAtMs))),
          numbers(some.map(({ manners }) => manners.delayMs)),
          numbers(some.map(({ manners }) => Math.ceil(manners.blockedUntilMs))),
          owner,
        ],
      ),
    );
    const read = some.filter(({ robots }) => robots !== undefined);
    if (read.length === 0) continue;
    sent.push(
      session.run(
        `UPDATE ${schema}.hosts h SET robots_status = n.status, robots_body = n.body, robots_at = n.read_at
         FROM unnest($2::bigint[], $3::integer[], $4::text[], $5::bigint[]) AS n(id, status, body, read_at)
         WHERE h.part = $1 AND h.id = n.id AND h.lease_owner = $6`,
        [
          part,
          numbers(read.map(({ hostId }) => hostId)),
          numbers(read.map(({ robots }) => robots!.status)),
          texts(read.map(({ robots }) => robots!.body)),
          numbers(read.map(({ robots }) => Math.ceil(robots!.fetchedAtMs))),
          owner,
        ],
      ),
    );
  }
  await Promise.all(sent);
}
