/**
 * Change sources: sitemaps and feeds say when pages changed, and visits show how often that was
 * true. In: the times that a source gives with its links, and visits to the listed pages. Out: the
 * claim in the page's visit row, and counts for each host.
 *
 * What always holds: a source speaks only for its own host. A claimed time never decreases, and is never later than
 * now. So a source that lies only loses trust, and it cannot lower the trust in another host. Counts fade, so that
 * recent results weigh most. The code runs inside the commit's transaction.
 *
 * The partner for SQLite is store/sqlite/changes/change-sources.ts; the
 * shared contract test is test/store/contract/sources.ts.
 */
import { targetOf } from '../../../graph/link-list.ts';
import type { Finding, UrlResult } from '../../contract.ts';
import {
  type Claimed,
  claimedTime,
  MOST_JUDGED,
  noOutcomes,
  type Outcome,
  outcomeOf,
} from '../../rules/source-claims.ts';
import { numbers } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

const COUNTS = ['confirmed', 'false_alarms', 'missed', 'quiet'] as const;

export class ChangeSources {
  readonly #set: WorkingSet;
  /** Claims about URLs of this commit from the time before they had a visit row, by URL id. */
  readonly #noted = new Map<number, number>();
  /** A source of this commit has added or removed claims, so `#noted` may be out of date. */
  #hasHeard = false;
  readonly #taken: number[] = [];
  /** Outcomes by host id. */
  readonly #outcomes = new Map<number, Record<Outcome, number>>();

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** Stores a claim that was made before the first answer of the URL. */
  note(id: number, claimedAtMs: number): void {
    this.#noted.set(id, claimedAtMs);
  }

  /**
   * Reads the claims of a result that counts; `found` has the ids of its found links. There
   * are few sources, so each one may query the database.
   */
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

  /** The rows are locked in the order of their ids, as everywhere. */
  async #claim(hostId: number, claims: readonly [id: number, claimedAt: number][]): Promise<void> {
    const { schema } = this.#set;
    const sorted = claims.toSorted(([a], [b]) => a - b);
    const values = [numbers(sorted.map(([id]) => id)), numbers(sorted.map(([, claimedAt]) => claimedAt)), hostId];
    await this.#set.query(
      `UPDATE ${schema}.visits v SET claimed_at = n.claimed_at, orphaned_at = NULL
       FROM unnest($1::bigint[], $2::bigint[]) AS n(id, claimed_at)
       WHERE v.url_id = n.id AND v.host_id = $3 AND v.claimed_at < n.claimed_at`,
      values,
    );
    await this.#set.session.run(
      `INSERT INTO ${schema}.claims AS c (url_id, host_id, claimed_at)
       SELECT n.id, u.host_id, n.claimed_at FROM unnest($1::bigint[], $2::bigint[]) AS n(id, claimed_at)
       JOIN ${schema}.urls u ON u.id = n.id AND u.host_id = $3
       WHERE NOT EXISTS (SELECT 1 FROM ${schema}.visits v WHERE v.url_id = n.id)
       ON CONFLICT (url_id, host_id) DO UPDATE SET claimed_at = greatest(c.claimed_at, excluded.claimed_at)`,
      values,
    );
  }

  /** The URL now has a visit row: the claim that was made before moves there. */
  async tell(id: number): Promise<void> {
    const { visits, session, schema } = this.#set;
    if (!visits.has(id) || visits.get(id) === null) return;
    if (this.#hasHeard) {
      const [row] = await session.all(`SELECT claimed_at FROM ${schema}.claims WHERE url_id = $1`, [id]);
      if (row !== undefined) this.#noted.set(id, row.claimed_at);
    }
    const claimedAt = this.#noted.get(id);
    if (claimedAt === undefined) return;
    visits.change(id, { claimed_at: claimedAt });
    this.#noted.delete(id);
    this.#taken.push(id);
  }

  /**
   * No source of the host lists these URLs any more. Their claims are
   * removed, and they no longer count as silently unchanged.
   */
  async delist(hostId: number, ids: Iterable<number>): Promise<void> {
    const { visits, session, schema } = this.#set;
    const others: number[] = [];
    for (const id of ids) {
      const visit = visits.has(id) ? visits.get(id) : null;
      if (visit === null) others.push(id);
      else if (visit.host_id === hostId && visit.claimed_at > 0) visits.change(id, { claimed_at: 0, claim_seen: 0 });
    }
    if (others.length === 0) return;
    this.#hasHeard = true;
    const values = [numbers(others.toSorted((a, b) => a - b)), hostId];
    await this.#set.query(
      `UPDATE ${schema}.visits SET claimed_at = 0, claim_seen = 0
       WHERE url_id = ANY($1::bigint[]) AND host_id = $2 AND claimed_at > 0`,
      values,
    );
    await session.run(`DELETE FROM ${schema}.claims WHERE url_id = ANY($1::bigint[]) AND host_id = $2`, values);
    for (const id of others) this.#noted.delete(id);
  }

  /** Judges the sources by a visit to a page; `visit` is the row before that visit. */
  judge(visit: Claimed & { readonly host_id: number }, finding: Finding): void {
    const outcome = outcomeOf(visit, finding);
    if (outcome === null) return;
    const outcomes = this.#outcomes.get(visit.host_id) ?? noOutcomes();
    this.#outcomes.set(visit.host_id, outcomes);
    outcomes[outcome]++;
  }

  async write(): Promise<void> {
    const { session, schema } = this.#set;
    const judged = [...this.#outcomes].sort(([a], [b]) => a - b);
    const faded = COUNTS.map(
      (count) => `${count} = (s.${count} + excluded.${count}) /
        CASE WHEN s.missed + excluded.missed + s.quiet + excluded.quiet > ${MOST_JUDGED} THEN 2 ELSE 1 END`,
    );
    const sent: Promise<unknown>[] = [];
    if (this.#taken.length > 0) {
      const sql = `DELETE FROM ${schema}.claims WHERE url_id = ANY($1::bigint[])`;
      sent.push(session.run(sql, [numbers(this.#taken)]));
    }
    if (judged.length > 0) {
      sent.push(
        session.run(
          `INSERT INTO ${schema}.sources AS s (host_id, ${COUNTS.join()})
           SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::integer[])
           ON CONFLICT (host_id) DO UPDATE SET ${faded.join()}`,
          [
            numbers(judged.map(([hostId]) => hostId)),
            numbers(judged.map(([, { confirmed }]) => confirmed)),
            numbers(judged.map(([, { falseAlarms }]) => falseAlarms)),
            numbers(judged.map(([, { missed }]) => missed)),
            numbers(judged.map(([, { quiet }]) => quiet)),
          ],
        ),
      );
    }
    await Promise.all(sent);
  }
}

/** The times that a result gives for its links, by URL id. The latest of several times counts. */
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
