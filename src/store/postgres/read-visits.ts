/**
 * Reads the visits and changes of pages, for planning a refresh and for the visits themselves.
 *
 * The partner for SQLite is store/sqlite/read-visits.ts; the shared contract test is test/store/contract/visits.ts.
 */
import {
  CHANGE_KINDS,
  type ChangeDescription,
  type ChangeEntry,
  type ClaimedUrl,
  type EditRange,
  type SharedEdit,
  type Store,
  type VisitRecord,
} from '../contract.ts';
import {
  type ChangeRow,
  EDIT_COLUMNS,
  EDIT_EXAMPLES,
  type EditRow,
  MAY_SHARE,
  toChangeEntry,
  toSharedEdit,
} from '../records/change-rows.ts';
import { VISIT_KINDS } from '../rules/visit-rules.ts';
import { describeIn } from './changes/change-log.ts';
import { numbers, texts } from './connection/arrays.ts';
import type { Row } from './connection/database.ts';
import type { Engine } from './engine.ts';

const VISIT = `url_id AS id, host_id AS "hostId", pattern, depth, kind, is_source AS "isSource", checked_at AS "checkedAtMs", checks, changes,
  changed_log AS "changedLogMs", quiet_ms AS "quietMs", interval_ms AS "intervalMs", failures, not_before AS "notBeforeMs",
  claimed_at AS "claimedMs", claim_seen AS "claimSeenMs", copy_of AS "copyOf", coalesce(orphaned_at, 0) AS "orphanedMs",
  rhythm`;

const ENTRY =
  'c.seq, c.url_id AS id, u.url, c.at, c.kind, c.title, c.reason, c.change, c.level, c.touches AS part, c.edit';

type Calls = Pick<
  Store,
  | 'visits'
  | 'visitsOf'
  | 'revisits'
  | 'sources'
  | 'changes'
  | 'changesOf'
  | 'lastChange'
  | 'sharedEdits'
  | 'describeChanges'
  | 'lastLookMs'
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
         v.trouble, v.streak, p.etag, p.last_modified, encode(p.digest, 'hex') AS digest, p.regions, p.word_counts
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
    return (rows as readonly ChangeRow[]).map(toChangeEntry);
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
    return (rows as readonly ChangeRow[]).map(toChangeEntry);
  }

  async sharedEdits({ after, through, least, limit, among }: EditRange): Promise<readonly SharedEdit[]> {
    const { schema } = this.#engine.db;
    const rows = await this.#all(
      `SELECT ${EDIT_COLUMNS} FROM ${schema}.changes WHERE seq > $1 AND seq <= $2 AND ${MAY_SHARE}
         ${among ? 'AND edit = ANY($5::text[])' : ''}
       GROUP BY edit HAVING count(DISTINCT url_id) >= $3 ORDER BY pages DESC, first LIMIT $4`,
      [after, through, least, limit, ...(among ? [texts(among)] : [])],
    );
    const edits = rows as readonly EditRow[];
    const urls = await Promise.all(edits.map(({ edit, first }) => this.#examplesOf(edit, first, through)));
    return edits.map((row, i) => toSharedEdit(row, urls[i]!));
  }

  async #examplesOf(edit: string, first: number, through: number): Promise<readonly string[]> {
    const { schema } = this.#engine.db;
    const rows = await this.#all(
      `SELECT u.url FROM ${schema}.changes c JOIN ${schema}.urls u ON u.id = c.url_id
       WHERE c.edit = $1 AND c.seq >= $2 AND c.seq <= $3 AND c.kind = ${CHANGE_KINDS.indexOf('changed')}
       ORDER BY c.seq LIMIT ${EDIT_EXAMPLES}`,
      [edit, first, through],
    );
    return rows.map(({ url }) => url);
  }

  async lastChange(): Promise<number> {
    const [row] = await this.#all(`SELECT coalesce(max(seq), 0) AS seq FROM ${this.#schema}.changes`);
    return row!.seq;
  }

  async describeChanges(descriptions: readonly ChangeDescription[]): Promise<void> {
    await describeIn(this.#engine.db, this.#schema, descriptions);
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
      regions: row.regions,
      wordCounts: row.word_counts,
      streak: row.streak,
      redirectTo,
    },
  };
}
