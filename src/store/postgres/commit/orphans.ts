/**
 * Orphans: pages of the copy that nothing leads to any more. In: the URLs that lost a link, or a redirect, in a commit, and
 * those that got one. Out: a note among the changes, once, and a mark in the page's visit until something leads there again.
 *
 * Always: a URL that no page has brought here (a seed, a sitemap that robots.txt names) is no orphan, nor is one that a
 * redirect leads to, or of which a source has told since it was last looked at.
 *
 * Others commit at the same time. Those that take links away do it one after another, so the last link of a page is somebody's
 * last. Those that add some do it together; who has found a page without links waits for them to end, keeps others from it,
 * and looks again before it is called an orphan.
 */
import { URL_STATES } from '../contract.ts';
import { VISIT_KINDS } from '../looks.ts';
import { numbers } from './arrays.ts';
import type { ChangeLog } from './change-log.ts';
import type { Crossing } from './crossing.ts';
import type { GraphWriter } from './graph-writer.ts';
import { takeTurn } from './turns.ts';
import type { WorkingSet } from './working-set.ts';

const PAGE = VISIT_KINDS.indexOf('page');
const REDIRECT = URL_STATES.indexOf('redirect');

/** As far as its own row tells. */
const MAY_BE_ONE = `v.kind = ${PAGE} AND v.orphaned_at IS NULL AND v.claimed_at <= v.checked_at`;

interface Candidate {
  readonly part: number;
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

  /** It is no page any more, so no orphan either. */
  leaves(id: number): void {
    this.gains(id);
    this.#losing.delete(id);
  }

  loses(id: number): void {
    this.#losing.add(id);
  }

  /** When all but the links of the commit is written, and links that go are gone. */
  async foresee(): Promise<void> {
    const { session, schema } = this.#set;
    const lost = [...this.#losing].filter((id) => !this.#gaining.has(id));
    if (lost.length > 0) {
      const unlinked = await this.#graph.unlinked(lost);
      const candidates = await this.#candidates(unlinked);
      for (const { hostId, id } of candidates) this.#crossing.into(hostId, id);
      this.#suspects = candidates.map(({ id }) => id);
    }
    if (this.#suspects.length > 0) await takeTurn(session, schema, 'linking', 'alone');
    else if (this.#gaining.size > 0) await takeTurn(session, schema, 'linking', 'together');
  }

  /** When the links are written, too. */
  async write(nowMs: number): Promise<void> {
    if (this.#gaining.size > 0) await this.#unmark();
    if (this.#suspects.length > 0) await this.#mark(Math.ceil(nowMs));
  }

  /** Mostly there is no orphan at all: then the links need not be told of. */
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
    const { session, schema, parts } = this.#set;
    const orphans = await this.#candidates(await this.#graph.unlinked(this.#suspects));
    const titles = new Map(orphans.map(({ id, title }) => [id, title]));
    for (const [part, some] of parts.group(orphans, (orphan) => orphan.part)) {
      const marked = await session.all(
        `UPDATE ${schema}.visits v SET orphaned_at = $3 WHERE v.part = $1 AND v.url_id = ANY($2::bigint[]) AND ${MAY_BE_ONE}
         RETURNING v.url_id AS id`,
        [part, numbers(some.map(({ id }) => id)), nowMs],
      );
      for (const { id } of marked) this.#changes.add(part, id, 'orphaned', nowMs, titles.get(id)!);
    }
  }

  /** Those that are pages somebody brought here, and nobody redirects to. Their parts are not known, and they are few. */
  async #candidates(ids: readonly number[]): Promise<readonly Candidate[]> {
    if (ids.length === 0) return [];
    const { schema } = this.#set;
    return this.#set.query<Candidate & Record<string, unknown>>(
      `SELECT v.part, v.url_id AS id, v.host_id AS "hostId", p.title FROM ${schema}.visits v
       JOIN ${schema}.urls u ON u.part = v.part AND u.id = v.url_id
       JOIN ${schema}.pages p ON p.part = v.part AND p.url_id = v.url_id
       WHERE v.url_id = ANY($1::bigint[]) AND ${MAY_BE_ONE} AND u.via IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM ${schema}.urls r WHERE r.redirect_to = v.url_id AND r.state = ${REDIRECT})
       ORDER BY v.url_id`,
      [numbers(ids)],
    );
  }
}
