/**
 * Change sources: what sitemaps and feeds say of when pages changed, and how often that was true. In: the times a source
 * gives with its links, and looks at the pages it tells of. Out: the claim in the page's visit, and counts by host.
 *
 * Always: a source speaks for its own host alone; a claim only rises, and counts as now at most. So a source that lies gains
 * nothing but a bad name, and nobody can lend one to others. Counts fade: what a source did lately weighs most. Runs inside the
 * commit's transaction.
 */
import { targetOf } from '../../graph/link-list.ts';
import type { Finding, UrlResult } from '../contract.ts';
import { type Claimed, claimedTime, MOST_JUDGED, noOutcomes, type Outcome, outcomeOf } from '../source-claims.ts';
import { numbers } from './arrays.ts';
import type { WorkingSet } from './working-set.ts';

const COUNTS = ['confirmed', 'false_alarms', 'missed', 'quiet'] as const;

export class ChangeSources {
  readonly #set: WorkingSet;
  /** What was said of URLs of this commit before they had a visit. */
  readonly #noted = new Map<number, number>();
  /** A source of this commit has said more. */
  #hasHeard = false;
  readonly #taken: { readonly part: number; readonly id: number }[] = [];
  /** By host. */
  readonly #outcomes = new Map<number, Record<Outcome, number>>();

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** What was said of a URL before its first answer. */
  note(id: number, claimedAtMs: number): void {
    this.#noted.set(id, claimedAtMs);
  }

  async #read(part: number, ids: readonly number[]): Promise<void> {
    const { session, schema } = this.#set;
    const rows = await session.all(
      `SELECT url_id, claimed_at FROM ${schema}.claims WHERE part = $1 AND url_id = ANY($2::bigint[])`,
      [part, numbers(ids)],
    );
    for (const { url_id, claimed_at } of rows) this.#noted.set(url_id, claimed_at);
  }

  /** A result that counts, with the ids of its found links. Sources are few, so each may ask the database. */
  async hear(result: UrlResult, found: readonly number[], nowMs: number): Promise<void> {
    const claims = claimsOf(result, found, nowMs);
    if (claims.size === 0) return;
    const { visits } = this.#set;
    const others: [id: number, claimedAt: number][] = [];
    for (const [id, claimedAt] of claims) {
      const visit = visits.has(id) ? visits.get(id) : null;
      if (visit === null) others.push([id, claimedAt]);
      else if (visit.host_id === result.hostId && visit.claimed_at < claimedAt) {
        visits.change(id, { claimed_at: claimedAt, orphaned_at: null });
      }
    }
    if (others.length === 0) return;
    this.#hasHeard = true;
    await this.#claim(result.hostId, others);
  }

  /** In the order of ids, as rows are always taken. */
  async #claim(hostId: number, claims: readonly [id: number, claimedAt: number][]): Promise<void> {
    const { schema, parts } = this.#set;
    const sorted = claims.toSorted(([a], [b]) => a - b);
    const values = [
      parts.ofHost(hostId),
      numbers(sorted.map(([id]) => id)),
      numbers(sorted.map(([, claimedAt]) => claimedAt)),
      hostId,
    ];
    await this.#set.query(
      `UPDATE ${schema}.visits v SET claimed_at = n.claimed_at, orphaned_at = NULL
       FROM unnest($2::bigint[], $3::bigint[]) AS n(id, claimed_at)
       WHERE v.part = $1 AND v.url_id = n.id AND v.host_id = $4 AND v.claimed_at < n.claimed_at`,
      values,
    );
    await this.#set.session.run(
      `INSERT INTO ${schema}.claims AS c (part, url_id, claimed_at)
       SELECT $1::smallint, n.id, n.claimed_at FROM unnest($2::bigint[], $3::bigint[]) AS n(id, claimed_at)
       JOIN ${schema}.urls u ON u.part = $1 AND u.id = n.id AND u.host_id = $4
       WHERE NOT EXISTS (SELECT 1 FROM ${schema}.visits v WHERE v.part = $1 AND v.url_id = n.id)
       ON CONFLICT (part, url_id) DO UPDATE SET claimed_at = greatest(c.claimed_at, excluded.claimed_at)`,
      values,
    );
  }

  /** A URL has a visit from now on: what was said of it before belongs there. */
  async tell(id: number, hostId: number): Promise<void> {
    const { visits, parts } = this.#set;
    const part = parts.ofHost(hostId);
    if (!visits.has(id) || visits.get(id) === null) return;
    if (this.#hasHeard) await this.#read(part, [id]);
    const claimedAt = this.#noted.get(id);
    if (claimedAt === undefined) return;
    visits.change(id, { claimed_at: claimedAt });
    this.#noted.delete(id);
    this.#taken.push({ part, id });
  }

  /** No source of the host lists these any more: what was said of them is taken back, and silence about them means nothing. */
  async delist(hostId: number, ids: Iterable<number>): Promise<void> {
    const { visits, session, schema, parts } = this.#set;
    const others: number[] = [];
    for (const id of ids) {
      const visit = visits.has(id) ? visits.get(id) : null;
      if (visit === null) others.push(id);
      else if (visit.host_id === hostId && visit.claimed_at > 0) visits.change(id, { claimed_at: 0, claim_seen: 0 });
    }
    if (others.length === 0) return;
    this.#hasHeard = true;
    const values = [parts.ofHost(hostId), numbers(others.toSorted((a, b) => a - b)), hostId];
    await this.#set.query(
      `UPDATE ${schema}.visits SET claimed_at = 0, claim_seen = 0
       WHERE part = $1 AND url_id = ANY($2::bigint[]) AND host_id = $3 AND claimed_at > 0`,
      values,
    );
    await session.run(
      `DELETE FROM ${schema}.claims c USING ${schema}.urls u
       WHERE c.part = $1 AND c.url_id = ANY($2::bigint[]) AND u.part = $1 AND u.id = c.url_id AND u.host_id = $3`,
      values,
    );
    for (const id of others) this.#noted.delete(id);
  }

  /** A page was looked at, with the visit as it was before. */
  judge(visit: Claimed & { readonly host_id: number }, finding: Finding): void {
    const outcome = outcomeOf(visit, finding);
    if (outcome === null) return;
    const outcomes = this.#outcomes.get(visit.host_id) ?? noOutcomes();
    this.#outcomes.set(visit.host_id, outcomes);
    outcomes[outcome]++;
  }

  async write(): Promise<void> {
    const { session, schema, parts } = this.#set;
    const sent = parts
      .group(this.#taken, ({ part }) => part)
      .map(([part, some]) =>
        session.run(`DELETE FROM ${schema}.claims WHERE part = $1 AND url_id = ANY($2::bigint[])`, [
          part,
          numbers(some.map(({ id }) => id)),
        ]),
      );
    const byHost = [...this.#outcomes].sort(([a], [b]) => a - b);
    for (const [part, some] of parts.group(byHost, ([hostId]) => parts.ofHost(hostId))) {
      sent.push(this.#count(part, some));
    }
    await Promise.all(sent);
  }

  #count(part: number, judged: readonly (readonly [hostId: number, Record<Outcome, number>])[]): Promise<number> {
    const faded = COUNTS.map(
      (count) => `${count} = (s.${count} + excluded.${count}) /
        CASE WHEN s.missed + excluded.missed + s.quiet + excluded.quiet > ${MOST_JUDGED} THEN 2 ELSE 1 END`,
    );
    return this.#set.session.run(
      `INSERT INTO ${this.#set.schema}.sources AS s (part, host_id, ${COUNTS.join()})
       SELECT $1::smallint, * FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[])
       ON CONFLICT (part, host_id) DO UPDATE SET ${faded.join()}`,
      [
        part,
        numbers(judged.map(([hostId]) => hostId)),
        numbers(judged.map(([, { confirmed }]) => confirmed)),
        numbers(judged.map(([, { falseAlarms }]) => falseAlarms)),
        numbers(judged.map(([, { missed }]) => missed)),
        numbers(judged.map(([, { quiet }]) => quiet)),
      ],
    );
  }
}

/** What a result says of when its links changed, by id: of several times the latest. */
export function claimsOf(result: UrlResult, found: readonly number[], nowMs: number): Map<number, number> {
  const claims = new Map<number, number>();
  const hear = (id: number | undefined, timeMs: number): void => {
    const claimedAt = id === undefined ? null : claimedTime(timeMs, nowMs);
    if (claimedAt !== null) claims.set(id!, Math.max(claimedAt, claims.get(id!) ?? 0));
  };
  const { knownLinks, knownTimesMs = [], foundTimesMs = [] } = result;
  for (const [i, timeMs] of knownTimesMs.entries()) {
    hear(knownLinks[i] === undefined ? undefined : targetOf(knownLinks[i]), timeMs);
  }
  for (const [i, timeMs] of foundTimesMs.entries()) hear(found[i], timeMs);
  return claims;
}
