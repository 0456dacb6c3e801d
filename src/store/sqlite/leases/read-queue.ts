/**
 * Reads the facts about URLs that orders and the link graph need: whether a URL waits, and what is
 * at the end of a link.
 *
 * The partner for PostgreSQL is store/postgres/leases/read-queue.ts;
 * the shared contract test is test/store/contract/moving-up.ts.
 */
import type { LinkEnd } from '../../../graph/segment-reader.ts';
import { type LinkRecord, URL_STATES, type WaitingRecord } from '../../contract.ts';
import { TableAccess } from '../table-access.ts';

const REDIRECT = URL_STATES.indexOf('redirect');

export class QueueReader extends TableAccess {
  readonly #waiting = this.db.prepare(
    'SELECT id, host_id AS hostId, url, depth, relevance FROM urls WHERE id = ? AND state = 0',
  );
  readonly #waitingAfter = this.db.prepare(
    'SELECT id, host_id AS hostId, url, depth, relevance FROM urls WHERE id > ? AND state = 0 ORDER BY id LIMIT ?',
  );
  readonly #graphSeq = this.db.prepare('SELECT graph_seq FROM pages WHERE url_id = ?');
  readonly #linkEnd = this.db.prepare(
    `SELECT u.url, u.state, coalesce(p.title, '') AS title FROM urls u LEFT JOIN pages p ON p.url_id = u.id WHERE u.id = ?`,
  );
  readonly #redirecting = this.db.prepare(
    `SELECT url FROM urls WHERE state = ${REDIRECT} AND redirect_to = ? ORDER BY id LIMIT ?`,
  );

  /** Returns null if the URL does not wait. */
  waiting(id: number): WaitingRecord | null {
    return (this.#waiting.get(id) as unknown as WaitingRecord | undefined) ?? null;
  }

  waitingAfter(after: number, limit: number): WaitingRecord[] {
    return this.#waitingAfter.all(after, limit) as unknown as WaitingRecord[];
  }

  graphSeqOf(id: number): number | null {
    return (this.#graphSeq.get(id) as { graph_seq: number } | undefined)?.graph_seq ?? null;
  }

  link({ id, attributes }: LinkEnd): LinkRecord {
    const row = this.#linkEnd.get(id) as { url: string; state: number; title: string };
    return { id, url: row.url, state: URL_STATES[row.state]!, title: row.title, attributes };
  }

  redirectsTo(id: number, limit: number): string[] {
    return (this.#redirecting.all(id, limit) as { url: string }[]).map(({ url }) => url);
  }
}
