/**
 * The calls of `verify`: facts about captures, and marks on captures that the archive cannot give back.
 *
 * What always holds: a mark and the URLs that wait again because of it are written in one
 * transaction. A mark whose capture was dropped is ignored.
 *
 * The partner for SQLite is store/sqlite/captures/damage.ts; the shared contract test is test/store/contract/damage.ts.
 */
import type { CaptureFacts, CaptureKey, DamageMark, MarkedDamage, TableProblem } from '../../contract.ts';
import { DAMAGE_KEY, FACTS, type FactsRow, IS_WHOLE_PAGE, toFacts } from '../../records/record-rows.ts';
import { Tally } from '../../rules/tally.ts';
import { Crossing } from '../commit/commits-across-hosts.ts';
import { type AnswerRow, isAnswerLost, letWait } from '../commit/forget.ts';
import { takeCrawlLock } from '../connection/advisory-locks.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { GraphWriter } from '../graph/graph-writer.ts';
import { writeTally } from '../leases/tally-writer.ts';
import { WorkingSet } from '../rows/working-set.ts';

/** URLs whose captures are processed in one step. */
const AT_ONCE = 1_000;

/** SQL condition on a capture `c`: the capture is not marked as damaged. */
export function isSound(schema: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${schema}.damaged_captures d WHERE ${DAMAGE_KEY})`;
}

export class DamageBook {
  readonly #engine: Engine;
  readonly #schema: string;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#schema = engine.db.schema;
  }

  async facts(keys: readonly CaptureKey[]): Promise<(CaptureFacts | null)[]> {
    const rows = await this.#engine.db.all<FactsRow & { place: number }>(
      `SELECT i.place, ${FACTS} FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS i(id, at, place)
       JOIN ${this.#schema}.captures c ON c.url_id = i.id AND c.fetched_at = i.at ${this.#factsOf()}`,
      [numbers(keys.map(({ id }) => id)), numbers(keys.map(({ timeMs }) => timeMs))],
    );
    const facts: (CaptureFacts | null)[] = keys.map(() => null);
    for (const row of rows) facts[Number(row.place) - 1] = toFacts(row);
    return facts;
  }

  /** Makes a pass over all captures: the only index of payloads covers the payloads that revisit records refer to. */
  async capturesWith(payloadDigests: readonly string[]): Promise<CaptureFacts[]> {
    const rows = await this.#engine.db.all<FactsRow>(
      `SELECT ${FACTS} FROM ${this.#schema}.captures c ${this.#factsOf()} WHERE c.payload_digest = ANY($1::text[])`,
      [texts(payloadDigests)],
    );
    return rows.map(toFacts);
  }

  async sample(points: readonly number[]): Promise<CaptureKey[]> {
    // The fraction of a random point is as good as another random number.
    const rows = await this.#engine.db.all<{ id: number; time: number }>(
      `SELECT n.url_id AS id, (SELECT (array_agg(c.fetched_at ORDER BY c.fetched_at))[1 + floor(x.fraction * count(*))::integer]
         FROM ${this.#schema}.captures c WHERE c.url_id = n.url_id) AS time
       FROM (SELECT max(url_id) AS last FROM ${this.#schema}.captures) m, unnest($1::double precision[]) AS p(point),
       LATERAL (SELECT ceil(p.point * m.last)::bigint AS id, p.point * m.last - floor(p.point * m.last) AS fraction) x,
       LATERAL (SELECT c.url_id FROM ${this.#schema}.captures c WHERE c.url_id >= x.id ORDER BY c.url_id LIMIT 1) n`,
      [numbers(points)],
    );
    return rows.map(({ id, time }) => ({ id, timeMs: time }));
  }

  async tableProblems(limit: number): Promise<TableProblem[]> {
    const problems: TableProblem[] = [];
    for (const [problem, sql] of orphans(this.#schema)) {
      const rows = await this.#engine.db.all<{ url: string | null }>(`${sql} LIMIT $1`, [limit]);
      for (const { url } of rows) problems.push({ problem, url });
    }
    return problems;
  }

  mark(marks: readonly DamageMark[], nowMs: number): Promise<MarkedDamage> {
    const { db, slot, memory } = this.#engine;
    return db.transaction(async (session) => {
      const alone = await Crossing.alone(session, db.schema);
      // Links are removed here, and pages may lose their last link.
      await takeCrawlLock(session, db.schema, 'unlinking', 'alone');
      const marked = await this.#write(session, marks, nowMs);
      const tally = new Tally();
      let waiting = 0;
      const ids = [...new Set(marks.filter(({ problem }) => problem !== null).map(({ id }) => id))].sort(
        (a, b) => a - b,
      );
      for (let from = 0; from < ids.length; from += AT_ONCE) {
        const some = ids.slice(from, from + AT_ONCE);
        const set = new WorkingSet(session, db.schema, tally);
        const answers = await this.#answers(session, some);
        await set.urls.load(some, 'held');
        await set.pages.load(some, 'held');
        const known = some.filter((id) => set.urls.get(id) !== null);
        const lost = known.filter((id) => isLost(set, id, answers.get(id) ?? []));
        await letWait(set, new GraphWriter(set, memory), lost, alone);
        await set.flush();
        waiting += lost.length;
      }
      await writeTally(session, { schema: db.schema, slot }, tally, nowMs);
      return { marked, waiting };
    });
  }

  async count(): Promise<number> {
    const [row] = await this.#engine.db.all(
      `SELECT count(*) AS n FROM ${this.#schema}.damaged_captures d
       WHERE EXISTS (SELECT 1 FROM ${this.#schema}.captures c WHERE ${DAMAGE_KEY})`,
    );
    return row!.n;
  }

  async #write(session: Session, marks: readonly DamageMark[], nowMs: number): Promise<number> {
    const taken = marks.filter(({ problem }) => problem === null);
    const made = marks.filter(({ problem }) => problem !== null);
    const keysOf = (some: readonly DamageMark[]) => [
      numbers(some.map(({ id }) => id)),
      numbers(some.map(({ timeMs }) => timeMs)),
    ];
    await session.run(
      `DELETE FROM ${this.#schema}.damaged_captures d USING unnest($1::bigint[], $2::bigint[]) AS m(id, at)
       WHERE d.url_id = m.id AND d.fetched_at = m.at`,
      keysOf(taken),
    );
    return session.run(
      `INSERT INTO ${this.#schema}.damaged_captures (url_id, host_id, fetched_at, found_at, problem)
       SELECT DISTINCT ON (m.id, m.at) m.id, c.host_id, m.at, $4::bigint, m.problem
       FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS m(id, at, problem)
       JOIN ${this.#schema}.captures c ON c.url_id = m.id AND c.fetched_at = m.at
       ON CONFLICT DO NOTHING`,
      [...keysOf(made), texts(made.map(({ problem }) => problem!)), Math.floor(nowMs)],
    );
  }

  /** Reads all captures of these URLs, oldest first, each with its damage mark. */
  async #answers(session: Session, ids: readonly number[]): Promise<Map<number, AnswerRow[]>> {
    const rows = await session.all<AnswerRow>(
      `SELECT c.url_id, c.fetched_at, c.status, c.payload_digest, d.url_id IS NOT NULL AS is_lost
       FROM ${this.#schema}.captures c LEFT JOIN ${this.#schema}.damaged_captures d ON ${DAMAGE_KEY}
       WHERE c.url_id = ANY($1::bigint[]) ORDER BY c.url_id, c.fetched_at`,
      [numbers(ids)],
    );
    return Map.groupBy(rows, ({ url_id }) => url_id);
  }

  /** A page is compared only with the capture of its current content, and only if the last visit was not in trouble. */
  #factsOf(): string {
    const schema = this.#schema;
    return `JOIN ${schema}.urls u ON u.id = c.url_id JOIN ${schema}.archive_files f ON f.id = c.file_id
      LEFT JOIN ${schema}.damaged_captures d ON ${DAMAGE_KEY}
      LEFT JOIN ${schema}.pages p ON p.url_id = c.url_id AND ${IS_WHOLE_PAGE} AND c.fetched_at = (
        SELECT max(k.fetched_at) FROM ${schema}.captures k WHERE k.url_id = c.url_id AND k.status BETWEEN 200 AND 299)
        AND NOT EXISTS (SELECT 1 FROM ${schema}.visits v WHERE v.url_id = c.url_id AND v.trouble IS NOT NULL)`;
  }
}

/** A URL without a page and without captures has nothing to lose. */
function isLost(set: WorkingSet, id: number, answers: readonly AnswerRow[]): boolean {
  return (answers.length > 0 || set.pages.get(id) !== null) && isAnswerLost(set, id, answers);
}

function orphans(schema: string): readonly (readonly [problem: string, sql: string])[] {
  return [
    [
      'an answer belongs to a URL that is not known',
      `SELECT NULL AS url FROM ${schema}.captures c
       WHERE NOT EXISTS (SELECT 1 FROM ${schema}.urls u WHERE u.id = c.url_id)`,
    ],
    [
      'an answer is in an archive file that is not known',
      `SELECT u.url FROM ${schema}.captures c JOIN ${schema}.urls u ON u.id = c.url_id
       WHERE NOT EXISTS (SELECT 1 FROM ${schema}.archive_files f WHERE f.id = c.file_id)`,
    ],
    [
      'a page belongs to a URL that is not known',
      `SELECT NULL AS url FROM ${schema}.pages p
       WHERE NOT EXISTS (SELECT 1 FROM ${schema}.urls u WHERE u.id = p.url_id)`,
    ],
  ];
}
