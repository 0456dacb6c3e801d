/**
 * Reads the visits and changes of pages, for planning a refresh and for the visits themselves.
 *
 * The partner for SQLite is store/sqlite/read-visits.ts; the shared contract test is test/store/contract/visits.ts.
 */
import { CHANGE_KINDS, type ChangeEntry, type ClaimedUrl, type Store, type VisitRecord } from '../contract.ts';
import { VISIT_KINDS } from '../rules/visit-rules.ts';
import { numbers } from './connection/arrays.ts';
import type { Row } from './connection/database.ts';
import type { Engine } from './engine.ts';

const VISIT = `url_id AS id, host_id AS "hostId", pattern, depth, kind, is_source AS "isSource", checked_at AS "checkedAtMs", checks, changes,
  changed_log AS "changedLogMs", quiet_ms AS "quietMs", interval_ms AS "intervalMs", failures, not_before AS "notBeforeMs",
  claimed_at AS "claimedMs", claim_seen AS "claimSeenMs"`;

const ENTRY = 'c.seq, c.url_id AS id, u.url, c.at, c.kind, c.title, c.reason, c.change';

type Calls = Pick<
  Store,
  'visits' | 'visitsOf' | 'revisits' | 'sources' | 'changes' | 'changesOf' | 'lastChange' | 'lastLookMs'
>;

export class VisitCalls implements Calls {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async visits(after: number, limit: number): Promise<readonly VisitRecord[]> {
    const sql = `SELECT ${VISIT} FROM ${this.#schema}.visits WHERE url_id > $1 ORDER BY url_id LIMIT $2`;
    return (await this.#all(sql, [after, limit])).map(toVisit);
  }

  async visitsOf(ids: readonly number[]): Promise<readonly VisitRecord[]> {
    const sql = `SELECT ${VISIT} FROM ${this.#schema}.visits WHERE url_id = ANY($1::bigint[]) ORDER BY url_id`;
    return (await this.#all(sql, [numbers(ids)])).map(toVisit);
  }

  async revisits(ids: readonly number[]): Promise<readonly ClaimedUrl[]> {
    const schema = this.#schema;
    const rows = await this.#all(
      `SELECT u.id, u.url, u.depth, u.hops, u.relevance, u.inherited, u.steps_off, u.redirect_to, v.failures, v.checked_at,
         v.trouble, v.streak, p.etag, p.last_modified, encode(p.digest, 'hex') AS digest
       FROM unnest($1::bigint[]) WITH ORDINALITY AS j(id, place)
       JOIN ${schema}.visits v ON v.url_id = j.id
       JOIN ${schema}.urls u ON u.id = j.id
       LEFT JOIN ${schema}.pages p ON p.url_id = j.id
       ORDER BY j.place`,
      [numbers(ids)],
    );
    const targets = await this.#urlsOf(rows.flatMap(({ redirect_to }) => redirect_to ?? []));
    return rows.map((row) => toClaimed(row, targets.get(row.redirect_to) ?? null));
  }

  async #urlsOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (ids.length === 0) return new Map();
    const sql = `SELECT id, url FROM ${this.#schema}.urls WHERE id = ANY($1::bigint[])`;
    return new Map((await this.#all(sql, [numbers(ids)])).map(({ id, url }) => [id, url]));
  }

  async sources(): ReturnType<Store['sources']> {
    const rows = await this.#all(
      `SELECT s.host_id AS "hostId", h.host, s.confirmed, s.false_alarms AS "falseAlarms", s.missed, s.quiet
       FROM ${this.#schema}.sources s JOIN ${this.#schema}.hosts h ON h.id = s.host_id ORDER BY s.host_id`,
    );
    return rows.map(({ hostId, host, confirmed, falseAlarms, missed, quiet }) => ({
      hostId,
      host,
      confirmed,
      falseAlarms,
      missed,
      quiet,
    }));
  }

  async changes(after: number, limit: number): Promise<readonly ChangeEntry[]> {
    const rows = await this.#all(
      `SELECT ${ENTRY} FROM ${this.#schema}.changes c JOIN ${this.#schema}.urls u ON u.id = c.url_id
       WHERE c.seq > $1 ORDER BY c.seq LIMIT $2`,
      [after, limit],
    );
    return rows.map(toEntry);
  }

  async changesOf(host: string, key: string, limit: number): Promise<readonly ChangeEntry[]> {
    const schema = this.#schema;
    const rows = await this.#all(
      `SELECT ${ENTRY} FROM ${schema}.hosts h
       JOIN ${schema}.urls u ON u.host_id = h.id
       JOIN ${schema}.changes c ON c.url_id = u.id
       WHERE h.host = $1 AND u.key = $2::uuid ORDER BY c.seq DESC LIMIT $3`,
      [host, key, limit],
    );
    return rows.map(toEntry);
  }

  async lastChange(): Promise<number> {
    const [row] = await this.#all(`SELECT coalesce(max(seq), 0) AS seq FROM ${this.#schema}.changes`);
    return row!.seq;
  }

  /** Called once in a run. Reading all visits then is cheaper than an index that every visit must update. */
  async lastLookMs(): Promise<number | null> {
    const [row] = await this.#all(`SELECT max(checked_at) AS at FROM ${this.#schema}.visits WHERE checks > 0`);
    return row!.at;
  }

  get #schema(): string {
    return this.#engine.db.schema;
  }

  #all(sql: string, values: readonly (string | number)[] = []): Promise<readonly Row[]> {
    return this.#engine.db.all(sql, values);
  }
}

function toVisit({ kind, ...visit }: Row): VisitRecord {
  return { ...(visit as VisitRecord), state: VISIT_KINDS[kind as number]! };
}

function toEntry({ seq, id, url, at, kind, title, reason, change }: Row): ChangeEntry {
  return { seq, id, url, atMs: at, kind: CHANGE_KINDS[kind as number]!, title, reason, change };
}

function toClaimed(row: Row, redirectTo: string | null): ClaimedUrl {
  return {
    id: row.id,
    url: row.url,
    depth: row.depth,
    hops: row.hops,
    failures: row.failures,
    relevance: row.relevance,
    inherited: row.inherited,
    stepsOff: row.steps_off,
    earlier: {
      checkedAtMs: row.checked_at,
      failures: row.failures,
      trouble: row.trouble,
      etag: row.etag ?? '',
      lastModified: row.last_modified ?? '',
      digest: row.digest ?? '',
      streak: row.streak,
      redirectTo,
    },
  };
}
