/**
 * Marks the pages of a host that were committed before the host was asked for a path that does not exist, and that have
 * the same bytes as the answer (`soft-404`). Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/soft-404s.ts;
 * the shared contract test is test/store/contract/soft-404s.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { type NotFoundAnswer, URL_STATES } from '../../contract.ts';
import { SOFT_404 } from '../../rules/left-out.ts';
import type { Tally } from '../../rules/tally.ts';
import { TableAccess } from '../table-access.ts';
import { BY_CONTENT, CONTENT_KEY_BYTES } from './copies.ts';

const [FETCHED, DUPLICATE] = [URL_STATES.indexOf('fetched'), URL_STATES.indexOf('duplicate')];

export class Soft404s extends TableAccess {
  /** The original of the content and its duplicates, except seeds and the main page. */
  readonly #same = this.db.prepare(
    `SELECT u.id, u.state, u.reason FROM urls u JOIN hosts h ON h.id = u.host_id JOIN pages p ON p.url_id = u.id
     WHERE u.id IN (SELECT url_id FROM contents WHERE digest = substr(?1, 1, ${CONTENT_KEY_BYTES})
         UNION SELECT url_id FROM pages WHERE digest = ?1 AND duplicate_of = ${BY_CONTENT})
       AND u.host_id = ?2 AND u.depth > 0 AND u.url <> h.host || '/' AND p.digest = ?1
       AND u.state IN (${FETCHED}, ${DUPLICATE})`,
  );
  readonly #markUrl = this.db.prepare(`UPDATE urls SET state = ${FETCHED}, reason = '${SOFT_404}' WHERE id = ?`);
  readonly #markPage = this.db.prepare('UPDATE pages SET duplicate_of = NULL, near_of = NULL WHERE url_id = ?');

  mark(hostId: number, { kind, digest }: NotFoundAnswer, tally: Tally): void {
    if (kind !== 'page') return;
    const rows = this.#same.all(Buffer.from(digest!, 'hex'), hostId);
    for (const { id, state, reason } of rows as unknown as { id: number; state: number; reason: Reason | null }[]) {
      this.#markUrl.run(id);
      this.#markPage.run(id);
      tally.touches(id);
      tally.leaves(hostId, URL_STATES[state]!, reason);
      tally.enters(hostId, 'fetched', SOFT_404);
    }
  }
}
