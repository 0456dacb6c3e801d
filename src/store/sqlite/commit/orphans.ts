/**
 * Orphans: pages of the copy to which no link leads any more. In: the URLs that lost or got a link or a redirect in a
 * commit. Out: one entry in the change log, and a mark in the visit of the page until a link leads there again.
 *
 * What always holds: a URL that was not found on a page (a seed, a sitemap that robots.txt names) is no
 * orphan. Neither is the target of a redirect, or a page that a source has reported since its last
 * visit. A copy of another page is marked and not logged, because the other page stays. Runs inside the caller's
 * transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/orphans.ts;
 * the shared contract test is test/store/contract/orphans.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import { URL_STATES } from '../../contract.ts';
import { VISIT_KINDS } from '../../rules/visit-rules.ts';
import type { ChangeLog } from '../changes/change-log.ts';
import type { LinkGraph } from '../graph/link-graph.ts';
import { TableAccess } from '../table-access.ts';

export class Orphans extends TableAccess {
  readonly #graph: LinkGraph;
  readonly #changes: ChangeLog;
  /** Null until the table was read. */
  #hasAny: boolean | null = null;
  readonly #losing = new Set<number>();
  readonly #gaining = new Set<number>();
  readonly #titleOf = this.db.prepare(
    `SELECT p.title, v.copy_of FROM visits v JOIN urls u ON u.id = v.url_id JOIN pages p ON p.url_id = v.url_id
     WHERE v.url_id = ? AND v.kind = ${VISIT_KINDS.indexOf('page')} AND v.orphaned_at IS NULL
       AND v.claimed_at <= v.checked_at AND u.via IS NOT NULL`,
  );
  readonly #redirectTo = this.db.prepare(
    `SELECT 1 FROM urls WHERE redirect_to = ? AND state = ${URL_STATES.indexOf('redirect')} LIMIT 1`,
  );
  readonly #mark = this.db.prepare('UPDATE visits SET orphaned_at = ? WHERE url_id = ?');
  readonly #unmark = this.db.prepare(
    `UPDATE visits SET orphaned_at = NULL
     WHERE orphaned_at IS NOT NULL AND url_id IN (SELECT value FROM json_each(?))`,
  );
  readonly #any = this.db.prepare('SELECT 1 FROM visits WHERE orphaned_at IS NOT NULL LIMIT 1');

  constructor(db: DatabaseSync, graph: LinkGraph, changes: ChangeLog) {
    super(db);
    this.#graph = graph;
    this.#changes = changes;
  }

  /** Whether there is any orphan. Usually there is none, and then new links need not be reported. */
  get hasAny(): boolean {
    this.#hasAny ??= this.#any.get() !== undefined;
    return this.#hasAny;
  }

  gains(id: number): void {
    this.#gaining.add(id);
  }

  /** Called when a page leaves the copy: it is no orphan then. */
  leaves(id: number): void {
    if (this.hasAny) this.gains(id);
    this.#losing.delete(id);
  }

  loses(id: number): void {
    this.#losing.add(id);
  }

  /** Called when all links of the commit are written. */
  write(nowMs: number): void {
    if (this.#gaining.size > 0) this.#unmark.run(JSON.stringify([...this.#gaining]));
    if (this.#losing.size > 0) this.#judge(nowMs);
    this.#gaining.clear();
    this.#losing.clear();
  }

  #judge(nowMs: number): void {
    const pages = new Map<number, { readonly title: string; readonly copy_of: number | null }>();
    for (const id of this.#losing) {
      const row = this.#titleOf.get(id) as { title: string; copy_of: number | null } | undefined;
      if (row !== undefined && this.#redirectTo.get(id) === undefined) pages.set(id, row);
    }
    if (pages.size === 0) return;
    for (const id of this.#graph.unlinked([...pages.keys()])) {
      this.#mark.run(nowMs, id);
      const { title, copy_of: copyOf } = pages.get(id)!;
      if (copyOf === null) this.#changes.add({ id, kind: 'orphaned', atMs: nowMs, title });
      this.#hasAny = true;
    }
  }

  /** Called after a rollback. */
  forget(): void {
    this.#hasAny = null;
    this.#gaining.clear();
    this.#losing.clear();
  }
}
