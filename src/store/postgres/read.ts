/**
 * Reads one URL, all URLs page by page, hosts, counts and notes. It works during a crawl.
 *
 * The partner for SQLite is store/sqlite/read.ts; the shared contract test is test/store/contract/reading.ts.
 */
import type { Counts, HostRecord, MirrorRecord, Store, UrlRecord } from '../contract.ts';
import { CAPTURE, type HostRow, type RecordRow, toCounts, toHost, toRecord } from '../records/record-rows.ts';
import { IS_MIRROR } from '../rules/mirror-rule.ts';
import { changesOfUrl } from '../rules/visit-rules.ts';
import { originalOf } from './commit/copies.ts';
import { numbers } from './connection/arrays.ts';
import type { Row } from './connection/database.ts';
import type { Engine } from './engine.ts';
import { robotsBody } from './leases/lease-rows.ts';

export class Reader
  implements
    Pick<
      Store,
      'explain' | 'counts' | 'records' | 'urls' | 'hosts' | 'host' | 'hostsInTrouble' | 'mirrors' | 'note' | 'setNote'
    >
{
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The URLs that a URL refers to are read by one subquery each, because so many joins would take long to plan. */
  get #record(): string {
    const { schema } = this.#engine.db;
    const urlOf = (id: string) => `(SELECT o.url FROM ${schema}.urls o WHERE o.id = ${id})`;
    return `
      SELECT u.id, u.url, u.original, h.host, u.state, u.reason, u.depth, u.failures, u.due_at, ${urlOf('u.via')} AS via,
        ${urlOf('u.redirect_to')} AS redirect_to, p.title, p.language, p.bytes, p.digest, ${urlOf('p.canonical')} AS canonical,
        p.canonical_verdict, ${urlOf(originalOf(schema))} AS duplicate_of,
        ${urlOf('u.stand_in')} AS stand_in, p.outlinks, coalesce(p.relevance, u.relevance) AS relevance,
        ${urlOf('p.near_of')} AS near_of, p.similarity, t.checked_at, t.checks,
        ${changesOfUrl(`${schema}.changes`)} AS changes, t.trouble, t.orphaned_at,
        ${CAPTURE}
      FROM ${schema}.urls u
      JOIN ${schema}.hosts h ON h.id = u.host_id
      LEFT JOIN ${schema}.pages p ON p.url_id = u.id
      LEFT JOIN ${schema}.visits t ON t.url_id = u.id
      LEFT JOIN ${schema}.captures c ON c.url_id = u.id AND c.fetched_at = (SELECT max(m.fetched_at)
        FROM ${schema}.captures m WHERE m.url_id = u.id AND (p.url_id IS NULL OR m.status BETWEEN 200 AND 299))
      LEFT JOIN ${schema}.archive_files f ON f.id = c.file_id`;
  }

  async explain(host: string, key: string): Promise<UrlRecord | null> {
    const sql = `${this.#record} WHERE h.host = $1 AND u.key = $2::uuid`;
    const [row] = await this.#engine.db.all(sql, [host, key]);
    return row ? toRecord(row as RecordRow) : null;
  }

  async records(ids: readonly number[]): Promise<readonly UrlRecord[]> {
    const rows = await this.#engine.db.all(`${this.#record} WHERE u.id = ANY($1::bigint[]) ORDER BY u.id`, [
      numbers(ids),
    ]);
    return rows.map((row) => toRecord(row as RecordRow));
  }

  async urls(after: number, limit: number): Promise<readonly UrlRecord[]> {
    const rows = await this.#engine.db.all(`${this.#record} WHERE u.id > $1 ORDER BY u.id LIMIT $2`, [after, limit]);
    return rows.map((row) => toRecord(row as RecordRow));
  }

  async hosts(after: number, limit: number): Promise<readonly HostRecord[]> {
    const { db } = this.#engine;
    const rows = await db.all(`SELECT * FROM ${db.schema}.hosts WHERE id > $1 ORDER BY id LIMIT $2`, [after, limit]);
    return rows.map(hostOf);
  }

  async host(name: string): Promise<HostRecord | null> {
    const { db } = this.#engine;
    const [row] = await db.all(`SELECT * FROM ${db.schema}.hosts WHERE host = $1`, [name]);
    return row ? hostOf(row) : null;
  }

  async hostsInTrouble(limit: number): Promise<readonly HostRecord[]> {
    const { db } = this.#engine;
    const sql = `SELECT * FROM ${db.schema}.hosts WHERE trouble IS NOT NULL ORDER BY waiting DESC, id LIMIT $1`;
    return (await db.all(sql, [limit])).map(hostOf);
  }

  async template(host: string): Promise<Uint8Array | null> {
    const { db } = this.#engine;
    const [row] = await db.all(
      `SELECT counts FROM ${db.schema}.templates WHERE host_id = (SELECT id FROM ${db.schema}.hosts WHERE host = $1)`,
      [host],
    );
    return row?.counts ?? null;
  }

  async noiseEvidence(host: string): Promise<Uint8Array | null> {
    const { db } = this.#engine;
    const [row] = await db.all(
      `SELECT evidence FROM ${db.schema}.noise_evidence WHERE host_id = (SELECT id FROM ${db.schema}.hosts WHERE host = $1)`,
      [host],
    );
    return row?.evidence ?? null;
  }

  async counts(): Promise<Counts> {
    const { db } = this.#engine;
    const rows = await db.all(`SELECT name, sum(value)::bigint AS value FROM ${db.schema}.totals GROUP BY name`);
    return toCounts(rows as unknown as { name: string; value: number }[]);
  }

  async mirrors(): Promise<readonly MirrorRecord[]> {
    const { db } = this.#engine;
    const rows = await db.all(
      `SELECT s.host, f.host AS of, m.same, m.different FROM ${db.schema}.mirrors m
       JOIN ${db.schema}.hosts f ON f.id = m.first JOIN ${db.schema}.hosts s ON s.id = m.second
       WHERE ${IS_MIRROR} ORDER BY m.first, m.second`,
    );
    return rows.map(({ host, of, same, different }) => ({ host, of, same, different }));
  }

  async note(name: string): Promise<string | null> {
    const { db } = this.#engine;
    const [row] = await db.all(`SELECT value FROM ${db.schema}.notes WHERE name = $1`, [name]);
    return row?.value ?? null;
  }

  async setNote(name: string, value: string): Promise<void> {
    const { db } = this.#engine;
    await db.run(
      `INSERT INTO ${db.schema}.notes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, value],
    );
  }
}

function hostOf(row: Row): HostRecord {
  return toHost({ ...row, robots_body: robotsBody(row) } as HostRow);
}
