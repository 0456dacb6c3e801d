/**
 * Reads lists of very many rows, for the web interface.
 *
 * The partner for SQLite is store/sqlite/overview.ts; the shared contract test is test/store/contract/overview.ts.
 */
import type { ChangeEntry, HostRecord, OverviewStore, Touch } from '../contract.ts';
import { type ChangeRow, toChangeEntry } from '../records/change-rows.ts';
import { type GlanceRow, toGlance, type UrlGlance } from '../records/overview-records.ts';
import { type HostRow, toHost } from '../records/record-rows.ts';
import { numbers } from './connection/arrays.ts';
import type { Database } from './connection/database.ts';
import { lastTouch } from './rows/touch-seq.ts';

export class OverviewCalls implements OverviewStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async glances(after: number, limit: number): Promise<readonly UrlGlance[]> {
    const sql = `${this.#glance} WHERE u.id > $1 ORDER BY u.id LIMIT $2`;
    return ((await this.#db.all(sql, [after, limit])) as readonly GlanceRow[]).map(toGlance);
  }

  async glancesOf(ids: readonly number[]): Promise<readonly UrlGlance[]> {
    const sql = `${this.#glance} WHERE u.id = ANY($1::bigint[]) ORDER BY u.id`;
    return ((await this.#db.all(sql, [numbers(ids)])) as readonly GlanceRow[]).map(toGlance);
  }

  async glanceHosts(after: number, limit: number): Promise<readonly HostRecord[]> {
    const rows = await this.#db.all(
      `SELECT id, host, waiting, fetched, failed, lease_owner, ready_at, asked_at, delay_ms, blocked_until, trouble,
         NULL AS not_found, robots_status, NULL AS robots_body, robots_at, robots_since
       FROM ${this.#db.schema}.hosts WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    );
    return (rows as readonly HostRow[]).map(toHost);
  }

  async changesBefore(seq: number, limit: number): Promise<readonly ChangeEntry[]> {
    const { schema } = this.#db;
    const rows = await this.#db.all(
      `SELECT c.seq, c.url_id AS id, u.url, c.at, c.kind, c.title, c.reason, c.change, c.level, c.touches AS part, c.edit
       FROM ${schema}.changes c JOIN ${schema}.urls u ON u.id = c.url_id
       WHERE c.seq < $1 ORDER BY c.seq DESC LIMIT $2`,
      [seq, limit],
    );
    return (rows as readonly ChangeRow[]).map(toChangeEntry);
  }

  async lastTouches(limit: number): Promise<readonly Touch[]> {
    const { schema } = this.#db;
    const last = await lastTouch(this.#db, schema);
    const rows = await this.#db.all(
      `SELECT touched AS seq, id FROM ${schema}.urls WHERE touched IS NOT NULL AND touched <= $1::bigint
       ORDER BY touched DESC, id DESC LIMIT $2`,
      [last, limit],
    );
    return rows as readonly Touch[];
  }

  get #glance(): string {
    const { schema } = this.#db;
    return `SELECT u.id, h.host, u.url, u.state, u.reason, p.bytes FROM ${schema}.urls u
      JOIN ${schema}.hosts h ON h.id = u.host_id LEFT JOIN ${schema}.pages p ON p.url_id = u.id`;
  }
}
