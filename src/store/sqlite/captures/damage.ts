/**
 * The part of the store for `verify`: facts about captures, and marks for captures that the archive cannot return.
 *
 * What always holds: a mark, and the URLs that wait again because of it, are written in one transaction. Dropping a
 * capture also deletes its mark.
 *
 * The partner for PostgreSQL is store/postgres/captures/damage.ts;
 * the shared contract test is test/store/contract/damage.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { CaptureFacts, CaptureKey, DamageMark, MarkedDamage, TableProblem } from '../../contract.ts';
import { DAMAGE_KEY, FACTS, type FactsRow, IS_WHOLE_PAGE, toFacts } from '../../records/record-rows.ts';
import type { Tally } from '../../rules/tally.ts';
import { emptyLost, letLostWait, type PageParts } from '../commit/forget.ts';

/** A page is compared only with its current response, and only if the last visit did not fail. */
const FACTS_OF = `JOIN urls u ON u.id = c.url_id JOIN archive_files f ON f.id = c.file_id
  LEFT JOIN damaged_captures d ON ${DAMAGE_KEY}
  LEFT JOIN pages p ON p.url_id = c.url_id AND ${IS_WHOLE_PAGE} AND c.fetched_at = (
    SELECT max(k.fetched_at) FROM captures k WHERE k.url_id = c.url_id AND k.status BETWEEN 200 AND 299)
    AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.url_id = c.url_id AND v.trouble IS NOT NULL)`;

const ORPHANS: readonly (readonly [problem: string, sql: string])[] = [
  [
    'an answer belongs to a URL that is not known',
    'SELECT NULL AS url FROM captures c WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.id = c.url_id)',
  ],
  [
    'an answer is in an archive file that is not known',
    `SELECT u.url FROM captures c JOIN urls u ON u.id = c.url_id
     WHERE NOT EXISTS (SELECT 1 FROM archive_files f WHERE f.id = c.file_id)`,
  ],
  [
    'a page belongs to a URL that is not known',
    'SELECT NULL AS url FROM pages p WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.id = p.url_id)',
  ],
];

export class DamageBook {
  readonly #db: DatabaseSync;
  readonly #parts: PageParts;

  constructor(db: DatabaseSync, parts: PageParts) {
    this.#db = db;
    this.#parts = parts;
  }

  facts(keys: readonly CaptureKey[]): (CaptureFacts | null)[] {
    const rows = this.#db
      .prepare(
        `SELECT i.key AS place, ${FACTS} FROM json_each(?) i
         CROSS JOIN captures c ON c.url_id = i.value ->> 0 AND c.fetched_at = i.value ->> 1 ${FACTS_OF}`,
      )
      .all(JSON.stringify(keys.map(({ id, timeMs }) => [id, timeMs])));
    const facts: (CaptureFacts | null)[] = keys.map(() => null);
    for (const row of rows as unknown as (FactsRow & { place: number })[]) facts[row.place] = toFacts(row);
    return facts;
  }

  /** One pass over all captures: there is an index only for payloads that revisits refer to. */
  capturesWith(payloadDigests: readonly string[]): CaptureFacts[] {
    const rows = this.#db
      .prepare(`SELECT ${FACTS} FROM captures c ${FACTS_OF} WHERE c.payload_digest IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(payloadDigests));
    return (rows as unknown as FactsRow[]).map(toFacts);
  }

  sample(points: readonly number[]): CaptureKey[] {
    const last = this.#db.prepare('SELECT max(url_id) AS id FROM captures').get() as { id: number | null };
    if (last.id === null) return [];
    const near = this.#db.prepare('SELECT url_id AS id FROM captures WHERE url_id >= ? ORDER BY url_id LIMIT 1');
    const times = this.#db.prepare('SELECT fetched_at AS timeMs FROM captures WHERE url_id = ?');
    return points.map((point) => {
      const place = point * last.id!;
      const { id } = near.get(Math.ceil(place)) as { id: number };
      const versions = times.all(id) as { timeMs: number }[];
      // The fraction of a random point serves as another random number.
      return { id, timeMs: versions[Math.floor((place % 1) * versions.length)]!.timeMs };
    });
  }

  tableProblems(limit: number): TableProblem[] {
    const checks = this.#db.prepare(`PRAGMA integrity_check(${limit})`).all() as { integrity_check: string }[];
    const problems: TableProblem[] = checks
      .filter(({ integrity_check: result }) => result !== 'ok')
      .map(({ integrity_check: result }) => ({ problem: result, url: null }));
    // If SQLite itself finds damage, other queries are meaningless.
    if (problems.length > 0) return problems;
    for (const [problem, sql] of ORPHANS) {
      const rows = this.#db.prepare(`${sql} LIMIT ?`).all(limit) as { url: string | null }[];
      for (const { url } of rows) problems.push({ problem, url });
    }
    return problems;
  }

  /** Runs inside the caller's transaction. */
  mark(marks: readonly DamageMark[], nowMs: number, tally: Tally): MarkedDamage {
    emptyLost(this.#db);
    const lose = this.#db.prepare('INSERT OR IGNORE INTO lost VALUES (?, ?)');
    const add = this.#db.prepare(
      `INSERT OR IGNORE INTO damaged_captures SELECT url_id, fetched_at, ?3, ?4 FROM captures WHERE url_id = ?1 AND fetched_at = ?2`,
    );
    const take = this.#db.prepare('DELETE FROM damaged_captures WHERE url_id = ? AND fetched_at = ?');
    let marked = 0;
    for (const { id, timeMs, problem } of marks) {
      if (problem === null) take.run(id, timeMs);
      else {
        lose.run(id, timeMs);
        marked += Number(add.run(id, timeMs, nowMs, problem).changes);
      }
    }
    // Captures that were marked before are lost too: no URL may rely on them.
    this.#db.exec(`INSERT OR IGNORE INTO lost SELECT url_id, fetched_at FROM damaged_captures
      WHERE url_id IN (SELECT url_id FROM lost)`);
    const waiting = letLostWait(this.#db, this.#parts, tally);
    this.#db.exec('DELETE FROM lost');
    return { marked, waiting };
  }

  count(): number {
    return (this.#db.prepare('SELECT count(*) AS n FROM damaged_captures').get() as { n: number }).n;
  }
}
