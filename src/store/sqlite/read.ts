/**
 * Reads one URL, all URLs page by page, hosts, counts and captures. It works during a crawl.
 *
 * The partner for PostgreSQL is store/postgres/read.ts; the shared contract test is test/store/contract/reading.ts.
 */
import type { CaptureRecord, Counts, HostRecord, MirrorRecord, UrlRecord } from '../contract.ts';
import { URL_STATES } from '../contract.ts';
import {
  CAPTURE,
  type CaptureRow,
  DAMAGE,
  DAMAGE_KEY,
  type HostRow,
  type RecordRow,
  toCapture,
  toCounts,
  toHost,
  toRecord,
} from '../records/record-rows.ts';
import { IS_MIRROR } from '../rules/mirror-rule.ts';
import { changesOfUrl } from '../rules/visit-rules.ts';
import { ORIGINAL } from './commit/copies.ts';
import { IS_UNDAMAGED } from './schema.ts';
import { TableAccess } from './table-access.ts';

const RECORD = `
  SELECT u.id, u.url, u.original, h.host, u.state, u.reason, u.depth, u.failures, u.due_at, v.url AS via, r.url AS redirect_to,
    p.title, p.language, p.bytes, p.digest, n.url AS canonical, p.canonical_verdict, d.url AS duplicate_of, s.url AS stand_in, p.outlinks,
    coalesce(p.relevance, u.relevance) AS relevance,
    e.url AS near_of, p.similarity, t.checked_at, t.checks, ${changesOfUrl('changes')} AS changes, t.trouble, t.orphaned_at,
    ${CAPTURE}
  FROM urls u
  JOIN hosts h ON h.id = u.host_id
  LEFT JOIN urls v ON v.id = u.via
  LEFT JOIN urls r ON r.id = u.redirect_to
  LEFT JOIN urls s ON s.id = u.stand_in
  LEFT JOIN pages p ON p.url_id = u.id
  LEFT JOIN urls n ON n.id = p.canonical
  LEFT JOIN urls d ON d.id = ${ORIGINAL}
  LEFT JOIN urls e ON e.id = p.near_of
  LEFT JOIN visits t ON t.url_id = u.id
  LEFT JOIN captures c ON c.url_id = u.id AND c.fetched_at = (SELECT max(fetched_at) FROM captures
    WHERE url_id = u.id AND (p.url_id IS NULL OR status BETWEEN 200 AND 299))
  LEFT JOIN archive_files f ON f.id = c.file_id`;

const PAGE_STATES = [URL_STATES.indexOf('fetched'), URL_STATES.indexOf('duplicate')].join();

export class Reader extends TableAccess {
  readonly #byKey = this.db.prepare(`${RECORD} WHERE h.host = ? AND u.key = ?`);
  readonly #byIds = this.db.prepare(`${RECORD} WHERE u.id IN (SELECT value FROM json_each(?)) ORDER BY u.id`);
  readonly #afterId = this.db.prepare(`${RECORD} WHERE u.id > ? ORDER BY u.id LIMIT ?`);
  readonly #hostsAfter = this.db.prepare('SELECT * FROM hosts WHERE id > ? ORDER BY id LIMIT ?');
  readonly #hostByName = this.db.prepare('SELECT * FROM hosts WHERE host = ?');
  readonly #template = this.db.prepare(
    'SELECT counts FROM templates WHERE host_id = (SELECT id FROM hosts WHERE host = ?)',
  );
  readonly #noise = this.db.prepare(
    'SELECT evidence FROM noise_evidence WHERE host_id = (SELECT id FROM hosts WHERE host = ?)',
  );
  readonly #hostsInTrouble = this.db.prepare(
    'SELECT * FROM hosts WHERE trouble IS NOT NULL ORDER BY waiting DESC, id LIMIT ?',
  );
  readonly #mirrors = this.db.prepare(
    `SELECT s.host, f.host AS of, same, different FROM mirrors m
     JOIN hosts f ON f.id = m.first JOIN hosts s ON s.id = m.second WHERE ${IS_MIRROR} ORDER BY first, second`,
  );
  readonly #capturesOf = this.db.prepare(
    `SELECT ${CAPTURE}, ${DAMAGE} FROM hosts h JOIN urls u ON u.host_id = h.id JOIN captures c ON c.url_id = u.id
     JOIN archive_files f ON f.id = c.file_id LEFT JOIN damaged_captures d ON ${DAMAGE_KEY}
     WHERE h.host = ? AND u.key = ? AND c.fetched_at <= ? ORDER BY c.fetched_at DESC LIMIT ?`,
  );
  readonly #payloads = this.db.prepare(
    `SELECT u.url, ${CAPTURE} FROM captures c JOIN urls u ON u.id = c.url_id JOIN archive_files f ON f.id = c.file_id
     WHERE c.revisit = 0 AND u.state IN (${PAGE_STATES}) AND u.reason IS NOT 'body-too-large' AND ${IS_UNDAMAGED}
     ORDER BY c.url_id DESC, c.fetched_at DESC LIMIT ?`,
  );
  readonly #totals = this.db.prepare('SELECT name, value FROM totals');
  readonly #files = this.db.prepare('SELECT name, bytes FROM archive_files');
  readonly #note = this.db.prepare('SELECT value FROM notes WHERE name = ?');

  explain(host: string, key: string): UrlRecord | null {
    const row = this.#byKey.get(host, Buffer.from(key, 'hex'));
    return row ? toRecord(row as unknown as RecordRow) : null;
  }

  /** Uses one statement for all: starting a statement costs five times as much as reading a record. */
  records(ids: readonly number[]): UrlRecord[] {
    return (this.#byIds.all(JSON.stringify(ids)) as unknown as RecordRow[]).map(toRecord);
  }

  urlsAfter(after: number, limit: number): UrlRecord[] {
    return (this.#afterId.all(after, limit) as unknown as RecordRow[]).map(toRecord);
  }

  hostsAfter(after: number, limit: number): HostRecord[] {
    return (this.#hostsAfter.all(after, limit) as unknown as HostRow[]).map(toHost);
  }

  host(name: string): HostRecord | null {
    const row = this.#hostByName.get(name);
    return row ? toHost(row as unknown as HostRow) : null;
  }

  template(host: string): Uint8Array | null {
    return (this.#template.get(host) as { counts: Uint8Array } | undefined)?.counts ?? null;
  }

  noiseEvidence(host: string): Uint8Array | null {
    return (this.#noise.get(host) as { evidence: Uint8Array } | undefined)?.evidence ?? null;
  }

  hostsInTrouble(limit: number): HostRecord[] {
    return (this.#hostsInTrouble.all(limit) as unknown as HostRow[]).map(toHost);
  }

  mirrors(): MirrorRecord[] {
    const rows = this.#mirrors.all() as unknown as MirrorRecord[];
    return rows.map(({ host, of, same, different }) => ({ host, of, same, different }));
  }

  capturesOf(host: string, key: string, upToMs: number, limit: number): CaptureRecord[] {
    const rows = this.#capturesOf.all(host, Buffer.from(key, 'hex'), upToMs, limit);
    return (rows as unknown as CaptureRow[]).map(toCapture);
  }

  counts(): Counts {
    const rows = this.#totals.all() as { name: string; value: number }[];
    return toCounts(rows);
  }

  /** SQLite sorts and spills to disk, so memory does not grow with the number of captures. */
  *capturesBy(sortKey: (url: string) => string): Generator<CaptureRecord & { readonly url: string }> {
    this.db.function('sort_key', { deterministic: true }, (url) => sortKey(String(url)));
    // Prepared each time: the statement is bound to the function above, and two
    // concurrent iterations must not share one.
    const rows = this.db
      .prepare(
        `SELECT u.url, ${CAPTURE}, ${DAMAGE} FROM captures c JOIN urls u ON u.id = c.url_id
         JOIN archive_files f ON f.id = c.file_id LEFT JOIN damaged_captures d ON ${DAMAGE_KEY}
         ORDER BY sort_key(u.url), c.fetched_at`,
      )
      .iterate() as Iterable<unknown> as Iterable<CaptureRow & { url: string }>;
    for (const row of rows) yield { url: row.url, ...toCapture(row) };
  }

  payloads(limit: number): (CaptureRecord & { readonly url: string })[] {
    const rows = this.#payloads.all(limit) as unknown as (CaptureRow & { url: string })[];
    return rows.map((row) => ({ url: row.url, ...toCapture(row) }));
  }

  archiveFiles(): Map<string, number> {
    const rows = this.#files.all() as { name: string; bytes: number }[];
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  }

  note(name: string): string | null {
    return (this.#note.get(name) as { value: string } | undefined)?.value ?? null;
  }
}
