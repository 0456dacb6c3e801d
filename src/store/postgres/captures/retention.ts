/**
 * Finds and drops the captures that the retention rule does not keep. In: a rule. Out: the
 * dropped captures; each transaction handles some pages.
 *
 * What always holds: a payload stays as long as a revisit record refers to it. Only the archive knows which of
 * several captures with the same payload a revisit record means, so all of them stay. Only URLs with several
 * captures are judged, and only if they got another capture since they were last judged, or if their next version
 * has become old enough. The row that says "judged" is locked during the judgement: a worker that adds a capture
 * meanwhile writes afterwards that the URL must be judged again.
 *
 * The partner for SQLite is store/sqlite/captures/retention.ts; the
 * shared contract test is test/store/contract/retention.ts.
 */
import type { CaptureRecord, DroppedCaptures, KeptContents, SuperfluousCaptures } from '../../contract.ts';
import { CAPTURE, type CaptureRow, toCapture } from '../../records/record-rows.ts';
import {
  boundaryOf,
  CAPTURES_AT_ONCE,
  JUDGED_BY,
  type Judged,
  judgeCaptures,
  NEVER,
  ruleName,
} from '../../rules/retention-rule.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { referredTo } from './revisited-payloads.ts';

interface JudgedPage extends Judged {
  readonly id: number;
  readonly newestFirst: readonly CaptureRecord[];
}

interface Found {
  readonly pages: readonly JudgedPage[];
  /** No pages follow after these. */
  readonly isAll: boolean;
}

interface Dropping {
  readonly page: JudgedPage;
  readonly capture: CaptureRecord;
}

/** The pages that one call judges. */
interface JudgedRange {
  /** Pages with higher ids are judged. */
  readonly after: number;
  /** Pages whose `judge_from` is at most this are judged. */
  readonly boundary: number;
  /** The number of pages. */
  readonly limit: number;
}

export class Retention {
  readonly #engine: Engine;
  readonly #schema: string;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#schema = engine.db.schema;
  }

  async superfluous(keep: KeptContents, after: number, limit: number): Promise<SuperfluousCaptures> {
    const { pages, isAll } = await this.#judge(this.#engine.db, keep, { after, boundary: NEVER, limit }, '');
    const captures = pages.flatMap(({ id, newestFirst, superfluous }) =>
      superfluous.map((i) => ({ id, capture: newestFirst[i]! })),
    );
    return { captures, after: isAll ? null : pages.at(-1)!.id };
  }

  drop(keep: KeptContents, after: number, limit: number): Promise<DroppedCaptures> {
    return this.#engine.db.transaction((session) => this.#drop(session, keep, after, limit));
  }

  async #drop(session: Session, keep: KeptContents, after: number, limit: number): Promise<DroppedCaptures> {
    const [noted] = await session.all(`SELECT value FROM ${this.#schema}.notes WHERE name = $1`, [JUDGED_BY]);
    const { boundary, note } = boundaryOf(keep, noted?.value ?? null);
    if (note !== null) await this.#setNote(session, note);
    const range = { after, boundary, limit };
    // Avoids a deadlock: a commit locks its archive files before its URLs.
    await this.#holdFiles(session, (await this.#judge(session, keep, range, '')).pages);
    const { pages, isAll } = await this.#judge(session, keep, range, 'FOR NO KEY UPDATE');
    const left: Dropping[] = pages.flatMap((page) =>
      page.superfluous.map((i) => ({ page, capture: page.newestFirst[i]! })),
    );
    // Revisit records are deleted first, so that a payload that only
    // they needed can be deleted in the same transaction.
    const revisits = left.filter(({ capture }) => capture.revisit);
    await this.#delete(session, revisits);
    const payloads = left.filter(({ capture }) => !capture.revisit);
    const needed = await referredTo(
      session,
      this.#schema,
      payloads.map(({ capture }) => capture.payloadDigest),
    );
    const free = payloads.filter(({ capture }) => !needed.has(capture.payloadDigest));
    await this.#delete(session, free);
    const gone = new Set(free.map(({ capture }) => capture.payloadDigest));
    if (gone.size > 0) {
      await session.run(`DELETE FROM ${this.#schema}.moved_payloads WHERE digest = ANY($1::text[])`, [texts(gone)]);
    }
    const dropped = [...revisits, ...free];
    await this.#noteJudged(session, keep, pages, dropped, needed);
    await this.#countDropped(session, dropped);
    if (isAll && boundary === NEVER) await this.#setNote(session, ruleName(keep));
    return {
      dropped: dropped.length,
      revisits: revisits.length,
      needed: payloads.length - free.length,
      after: isAll ? null : pages.at(-1)!.id,
    };
  }

  /** Locks the archive files of the superfluous captures. */
  async #holdFiles(session: Session, pages: readonly JudgedPage[]): Promise<void> {
    const files = new Set(pages.flatMap((page) => page.superfluous.map((i) => page.newestFirst[i]!.file)));
    if (files.size === 0) return;
    const sql = `SELECT id FROM ${this.#schema}.archive_files WHERE name = ANY($1::text[]) ORDER BY name FOR NO KEY UPDATE`;
    await session.run(sql, [texts(files)]);
  }

  async #judge(
    session: Session,
    keep: KeptContents,
    { after, boundary, limit }: JudgedRange,
    lock: string,
  ): Promise<Found> {
    const several = await session.all<{ id: number }>(
      `SELECT url_id AS id FROM ${this.#schema}.looked_again WHERE url_id > $1 AND judge_from <= $2
       ORDER BY url_id LIMIT $3 ${lock}`,
      [after, boundary, limit],
    );
    const ids = several.map(({ id }) => id);
    const chosen = await this.#asManyAsFit(session, ids);
    const captures = await this.#capturesOf(session, chosen);
    const pages = chosen.map((id) => {
      const newestFirst = captures.get(id) ?? [];
      return { id, newestFirst, ...judgeCaptures(newestFirst, keep) };
    });
    return { pages, isAll: several.length < limit && chosen.length === several.length };
  }

  async #asManyAsFit(session: Session, ids: readonly number[]): Promise<readonly number[]> {
    const rows = await session.all(
      `SELECT url_id, count(*) AS captures FROM ${this.#schema}.captures WHERE url_id = ANY($1::bigint[]) GROUP BY url_id`,
      [numbers(ids)],
    );
    const counts = new Map(rows.map((row) => [row.url_id as number, row.captures as number]));
    let captures = 0;
    const end = ids.findIndex((id) => {
      captures += counts.get(id) ?? 0;
      return captures >= CAPTURES_AT_ONCE;
    });
    return end === -1 ? ids : ids.slice(0, end + 1);
  }

  /** The captures of each page, newest first. */
  async #capturesOf(session: Session, ids: readonly number[]): Promise<Map<number, CaptureRecord[]>> {
    const rows = await session.all<CaptureRow & { url_id: number }>(
      `SELECT c.url_id, ${CAPTURE} FROM ${this.#schema}.captures c JOIN ${this.#schema}.archive_files f ON f.id = c.file_id
       WHERE c.url_id = ANY($1::bigint[]) ORDER BY c.url_id, c.fetched_at DESC`,
      [numbers(ids)],
    );
    const byUrl = Map.groupBy(rows, ({ url_id }) => url_id);
    return new Map([...byUrl].map(([id, some]) => [id, some.map(toCapture)]));
  }

  async #delete(session: Session, dropping: readonly Dropping[]): Promise<void> {
    await session.run(
      `DELETE FROM ${this.#schema}.captures c USING unnest($1::bigint[], $2::bigint[]) AS d(url_id, fetched_at)
       WHERE c.url_id = d.url_id AND c.fetched_at = d.fetched_at`,
      [numbers(dropping.map(({ page }) => page.id)), numbers(dropping.map(({ capture }) => capture.fetchedAtMs))],
    );
  }

  /** Writes when each page must be judged again. A page with a single capture left is removed from the table. */
  async #noteJudged(
    session: Session,
    keep: KeptContents,
    pages: readonly JudgedPage[],
    dropped: readonly Dropping[],
    needed: ReadonlySet<string>,
  ): Promise<void> {
    const droppedOf = Map.groupBy(dropped, ({ page }) => page.id);
    const judgeFrom = (page: JudgedPage): number => {
      const isNeeded = page.superfluous.some((i) => {
        const { revisit, payloadDigest } = page.newestFirst[i]!;
        return !revisit && needed.has(payloadDigest);
      });
      return isNeeded ? 0 : keep.kind === 'since' ? page.nextSinceMs : NEVER;
    };
    const isSingle = (page: JudgedPage): boolean =>
      page.newestFirst.length - (droppedOf.get(page.id)?.length ?? 0) <= 1;
    const [single, several] = [pages.filter(isSingle), pages.filter((page) => !isSingle(page))];
    await Promise.all([
      session.run(`DELETE FROM ${this.#schema}.looked_again WHERE url_id = ANY($1::bigint[])`, [
        numbers(single.map(({ id }) => id)),
      ]),
      session.run(
        `UPDATE ${this.#schema}.looked_again l SET judge_from = n.judge_from
         FROM unnest($1::bigint[], $2::bigint[]) AS n(url_id, judge_from) WHERE l.url_id = n.url_id`,
        [numbers(several.map(({ id }) => id)), numbers(several.map(judgeFrom))],
      ),
    ]);
  }

  async #countDropped(session: Session, dropped: readonly Dropping[]): Promise<void> {
    const byFile = [...Map.groupBy(dropped, ({ capture }) => capture.file)].sort(([a], [b]) => (a < b ? -1 : 1));
    if (byFile.length === 0) return;
    const bytesOf = (some: readonly Dropping[]) => some.reduce((sum, { capture }) => sum + capture.length, 0);
    await session.run(
      `UPDATE ${this.#schema}.archive_files f SET dropped = f.dropped + d.captures, dropped_bytes = f.dropped_bytes + d.bytes,
         kept = f.kept - d.captures, kept_bytes = f.kept_bytes - d.bytes
       FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS d(name, captures, bytes) WHERE f.name = d.name`,
      [
        texts(byFile.map(([file]) => file)),
        numbers(byFile.map(([, some]) => some.length)),
        numbers(byFile.map(([, some]) => bytesOf(some))),
      ],
    );
  }

  async #setNote(session: Session, value: string): Promise<void> {
    await session.run(
      `INSERT INTO ${this.#schema}.notes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [JUDGED_BY, value],
    );
  }
}
