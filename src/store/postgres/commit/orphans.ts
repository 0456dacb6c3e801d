/**
 * Orphans: pages of the copy that nothing leads to any more. In: the URLs that lost a link or a
 * redirect in a commit, and the URLs that got one. Out: one entry in the change log, and a mark in
 * the page's visit row until something leads to it again.
 *
 * What always holds: a URL that was not found on a page (a seed, a sitemap that robots.txt names) is no orphan. Neither
 * is the target of a redirect, or a page that a change source has reported since its last visit.
 *
 * Other workers commit at the same time. Transactions that remove links run one after another, so exactly one of them
 * removes the last link of a page. Transactions that add links run together. A transaction that has found a page
 * without links waits for them to end, blocks new ones, and checks again before it marks the page as an orphan. A copy
 * of another page is marked and not logged, because the other page stays.
 *
 * The partner for SQLite is store/sqlite/commit/orphans.ts; the shared contract test is test/store/contract/orphans.ts.
 */
import { URL_STATES } from '../../contract.ts';
import { VISIT_KINDS } from '../../rules/visit-rules.ts';
import type { ChangeLog } from '../changes/change-log.ts';
import { takeCrawlLock } from '../connection/advisory-locks.ts';
import { numbers } from '../connection/arrays.ts';
import type { GraphWriter } from '../graph/graph-writer.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { Crossing } from './commits-across-hosts.ts';

const PAGE = VISIT_KINDS.indexOf('page');
const REDIRECT = URL_STATES.indexOf('redirect');

/** The conditions that the page's own visit row can answer. */
const MAY_BE_ONE = `v.kind = ${PAGE} AND v.orphaned_at IS NULL AND v.claimed_at <= v.checked_at`;

interface Candidate {
  readonly id: number;
  readonly hostId: number;
  readonly title: string;
}

export class Orphans {
  readonly #set: WorkingSet;
  readonly #graph: GraphWriter;
  readonly #changes: ChangeLog;
  readonly #crossing: Crossing;
  readonly #losing = new Set<number>();
  readonly #gaining = new Set<number>();
  #suspects: readonly number[] = [];

  constructor(set: WorkingSet, graph: GraphWriter, changes: ChangeLog, crossing: Crossing) {
    this.#set = set;
    this.#graph = graph;
    this.#changes = changes;
    this.#crossing = crossing;
  }

  get isLosing(): boolean {
    return this.#losing.size > 0;
  }

  gains(id: number): void {
    this.#gaining.add(id);
  }

  /** The URL is no page any more, so it is no orphan either. */
  leaves(id: number): void {
    this.gains(id);
    this.#losing.delete(id);
  }

  loses(id: number): void {
    this.#losing.add(id);
  }

  /** Called when everything except the new links of the commit is written, and removed links are deleted. */
  async foresee(): Promise<void> {
    const { session, schema } = this.#set;
    const lost = [...this.#losing].filter((id) => !this.#gaining.has(id));
    if (lost.length > 0) {
      const unlinked = await this.#graph.unlinked(lost);
      const candidates = await this.#candidates(unlinked);
      for (const { hostId, id } of candidates) this.#crossing.into(hostId, id);
      this.#suspects = candidates.map(({ id }) => id);
    }
    if (this.#suspects.length > 0) await takeCrawlLock(session, schema, 'linking', 'alone');
    else if (this.#gaining.size > 0) await takeCrawlLock(session, schema, 'linking', 'together');
  }

  /** Called when the links are written, too. */
  async write(nowMs: number): Promise<void> {
    if (this.#gaining.size > 0) await this.#unmark();
    if (this.#suspects.length > 0) await this.#mark(Math.ceil(nowMs));
  }

  /** Mostly there is no orphan at all. Then the list of links is not sent. */
  async #unmark(): Promise<void> {
    const { session, schema } = this.#set;
    const any = await session.all(
      `SELECT 1 AS there FROM ${schema}.visits WHERE orphaned_at IS NOT NULL LIMIT $1`,
      [1],
    );
    if (any.length === 0) return;
    const gaining = numbers([...this.#gaining].sort((a, b) => a - b));
    const orphans = await session.all(
      `SELECT url_id AS id, host_id FROM ${schema}.visits WHERE orphaned_at IS NOT NULL AND url_id = ANY($1::bigint[])`,
      [gaining],
    );
    for (const { id, host_id } of orphans) this.#crossing.into(host_id, id);
    if (orphans.length === 0) return;
    await session.run(
      `UPDATE ${schema}.visits SET orphaned_at = NULL WHERE orphaned_at IS NOT NULL AND url_id = ANY($1::bigint[])`,
      [gaining],
    );
  }

  async #mark(nowMs: number): Promise<void> {
    const { session, schema } = this.#set;
    const orphans = await this.#candidates(await this.#graph.unlinked(this.#suspects));
    if (orphans.length === 0) return;
    const titles = new Map(orphans.map(({ id, title }) => [id, title]));
    const marked = await session.all(
      `UPDATE ${schema}.visits v SET orphaned_at = $2 WHERE v.url_id = ANY($1::bigint[]) AND ${MAY_BE_ONE}
       RETURNING v.url_id AS id, v.host_id, v.copy_of`,
      [numbers(titles.keys()), nowMs],
    );
    for (const { id, host_id, copy_of } of marked) {
      if (copy_of === null) this.#changes.add(host_id, { id, kind: 'orphaned', atMs: nowMs, title: titles.get(id)! });
    }
  }

  /** The URLs that are pages, were found on a page, and are no target of a redirect. */
  async #candidates(ids: readonly number[]): Promise<readonly Candidate[]> {
    if (ids.length === 0) return [];
    const { schema } = this.#set;
    return this.#set.query<Candidate & Record<string, unknown>>(
      `SELECT v.url_id AS id, v.host_id AS "hostId", p.title FROM ${schema}.visits v
       JOIN ${schema}.urls u ON u.id = v.url_id
       JOIN ${schema}.pages p ON p.url_id = v.url_id
       WHERE v.url_id = ANY($1::bigint[]) AND ${MAY_BE_ONE} AND u.via IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM ${schema}.urls r WHERE r.redirect_to = v.url_id AND r.state = ${REDIRECT})
       ORDER BY v.url_id`,
      [numbers(ids)],
    );
  }
}
