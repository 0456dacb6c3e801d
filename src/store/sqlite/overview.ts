/**
 * Reads lists of very many rows, for the web interface.
 *
 * The partner for PostgreSQL is store/postgres/overview.ts; the shared contract test is
 * test/store/contract/overview.ts.
 */
import type { ChangeEntry, HostRecord, Touch } from '../contract.ts';
import { type ChangeRow, toChangeEntry } from '../records/change-rows.ts';
import { type GlanceRow, toGlance, type UrlGlance } from '../records/overview-records.ts';
import { type HostRow, toHost } from '../records/record-rows.ts';
import { TableAccess } from './table-access.ts';

const GLANCE = `SELECT u.id, h.host, u.url, u.state, u.reason, p.bytes FROM urls u JOIN hosts h ON h.id = u.host_id
  LEFT JOIN pages p ON p.url_id = u.id`;

export class Overview extends TableAccess {
  readonly #after = this.db.prepare(`${GLANCE} WHERE u.id > ? ORDER BY u.id LIMIT ?`);
  readonly #byIds = this.db.prepare(`${GLANCE} WHERE u.id IN (SELECT value FROM json_each(?)) ORDER BY u.id`);
  readonly #hosts = this.db.prepare(
    `SELECT id, host, waiting, fetched, failed, lease_owner, ready_at, asked_at, delay_ms, blocked_until, trouble,
       NULL AS not_found, robots_status, NULL AS robots_body, robots_at, robots_since
     FROM hosts WHERE id > ? ORDER BY id LIMIT ?`,
  );
  readonly #changesBefore = this.db.prepare(
    `SELECT c.seq, c.url_id AS id, u.url, c.at, c.kind, c.title, c.reason, c.change, c.level, c.touches AS part, c.edit
     FROM changes c JOIN urls u ON u.id = c.url_id WHERE c.seq < ? ORDER BY c.seq DESC LIMIT ?`,
  );
  readonly #lastTouches = this.db.prepare(
    'SELECT touched AS seq, id FROM urls WHERE touched IS NOT NULL ORDER BY touched DESC, id DESC LIMIT ?',
  );

  glances(after: number, limit: number): UrlGlance[] {
    return (this.#after.all(after, limit) as unknown as GlanceRow[]).map(toGlance);
  }

  glancesOf(ids: readonly number[]): UrlGlance[] {
    return (this.#byIds.all(JSON.stringify(ids)) as unknown as GlanceRow[]).map(toGlance);
  }

  hosts(after: number, limit: number): HostRecord[] {
    return (this.#hosts.all(after, limit) as unknown as HostRow[]).map(toHost);
  }

  changesBefore(seq: number, limit: number): ChangeEntry[] {
    return (this.#changesBefore.all(seq, limit) as unknown as ChangeRow[]).map(toChangeEntry);
  }

  lastTouches(limit: number): Touch[] {
    return (this.#lastTouches.all(limit) as unknown as Touch[]).map(({ seq, id }) => ({ seq, id }));
  }
}
