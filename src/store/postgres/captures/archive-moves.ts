/**
 * Finds archive files of which little is needed, and records that captures were copied into another file. In: the moves
 * that the archive made. Out: the places of captures and payloads.
 *
 * What always holds: the captures and the row of their old file change in one transaction, or not at all. No file loses
 * its row while a capture is in it. A payload that revisit records refer to is found wherever it was moved.
 *
 * The partner for SQLite is store/sqlite/captures/archive-moves.ts; the
 * shared contract test is test/store/contract/retention.ts.
 */
import type { ArchiveMove, CapturePlace, FileCaptures, FileUse } from '../../contract.ts';
import { emptyList, type FileRow, isWorthCounting, moveRefusal, wastefulUse } from '../../rules/file-use.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { isSound } from './damage.ts';
import { referredTo } from './revisited-payloads.ts';

/** Captures that one statement moves. */
const AT_ONCE = 5_000;

export class ArchiveMoves {
  readonly #engine: Engine;
  readonly #schema: string;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#schema = engine.db.schema;
  }

  /** Returns the files of which less than this share of bytes is needed. */
  async wasteful(neededShare: number): Promise<FileUse[]> {
    const files = await this.#engine.db.all<FileRow>(
      `SELECT id, name, bytes, dropped, dropped_bytes, kept, kept_bytes FROM ${this.#schema}.archive_files WHERE dropped > 0 ORDER BY id`,
    );
    const uncounted = files.filter((row) => row.kept === null && isWorthCounting(row, neededShare));
    if (uncounted.length > 0) await this.#count(uncounted);
    return files.map((row) => wastefulUse(row, neededShare)).filter((use) => use !== null);
  }

  /**
   * Counts the captures of files, in one pass over all captures; a file is counted once in its life. The pass holds no
   * lock: if captures of a file were dropped meanwhile, the file is left for the next time.
   */
  async #count(files: readonly FileRow[]): Promise<void> {
    const { db } = this.#engine;
    const counts = await db.all<{ id: number; dropped: number; kept: number; kept_bytes: number }>(
      `SELECT f.id, f.dropped, count(c.file_id) AS kept, coalesce(sum(c.length), 0)::bigint AS kept_bytes
       FROM ${this.#schema}.archive_files f LEFT JOIN ${this.#schema}.captures c ON c.file_id = f.id
       WHERE f.id = ANY($1::bigint[]) GROUP BY f.id, f.dropped`,
      [numbers(files.map(({ id }) => id))],
    );
    const byId = new Map(files.map((file) => [file.id, file]));
    for (const { id, dropped, kept, kept_bytes } of counts) {
      const isSame = await db.run(
        `UPDATE ${this.#schema}.archive_files SET kept = $2, kept_bytes = $3 WHERE id = $1 AND dropped = $4`,
        [id, kept, kept_bytes, dropped],
      );
      const file = byId.get(id)!;
      if (isSame > 0 && dropped === file.dropped) Object.assign(file, { kept, kept_bytes });
    }
  }

  /** Makes another pass over all captures. The caller has a file to rewrite, which takes longer than the pass. */
  async revisitsAlone(limit: number): Promise<CapturePlace[]> {
    const captures = `${this.#schema}.captures`;
    const rows = await this.#engine.db.all<CapturePlace>(
      `SELECT f.name AS file, c."offset", c.length FROM ${captures} c JOIN ${this.#schema}.archive_files f ON f.id = c.file_id
       WHERE c.revisit AND c.payload_digest IN (
         SELECT payload_digest FROM ${captures} WHERE revisit EXCEPT
         SELECT p.payload_digest FROM ${captures} p WHERE NOT p.revisit
           AND EXISTS (SELECT 1 FROM ${captures} r WHERE r.revisit AND r.payload_digest = p.payload_digest))
       LIMIT $1`,
      [limit],
    );
    return rows.map(toPlace);
  }

  async capturesIn(names: readonly string[]): Promise<FileCaptures[]> {
    return this.#engine.db.transaction(
      async (session) => {
        const files = await session.all<{ id: number; name: string; bytes: number }>(
          `SELECT id, name, bytes FROM ${this.#schema}.archive_files WHERE name = ANY($1::text[]) ORDER BY id`,
          [texts(names)],
        );
        const lists = files.map(({ name, bytes }) => emptyList(name, bytes));
        const byId = new Map(files.map(({ id }, i) => [id, lists[i]!]));
        const rows = await session.all(
          `SELECT file_id, url_id, fetched_at, "offset", length FROM ${this.#schema}.captures
           WHERE file_id = ANY($1::bigint[]) ORDER BY file_id, "offset"`,
          [numbers(byId.keys())],
        );
        for (const { file_id, url_id, fetched_at, offset, length } of rows) {
          const list = byId.get(file_id)!;
          list.ids.push(url_id);
          list.timesMs.push(fetched_at);
          list.offsets.push(offset);
          list.lengths.push(length);
        }
        return lists;
      },
      { isSnapshot: true },
    );
  }

  async move(move: ArchiveMove): Promise<void> {
    let tries = 0;
    await this.#engine.db.transaction(async (session) => {
      // The server may have committed the first try although its answer did not arrive.
      if (tries++ > 0 && (await this.#isDone(session, move))) return;
      await this.#move(session, move);
    });
  }

  async #move(session: Session, { to, from, place }: ArchiveMove): Promise<void> {
    const names = from.map(({ captures }) => captures.file);
    const toId = to === null ? 0 : await this.#addFile(session, to, names[0] ?? '', place);
    const oldIds: number[] = [];
    let [moved, movedBytes] = [0, 0];
    for (const copied of from) {
      const { captures, newOffsets } = copied;
      const { file, ids, lengths } = captures;
      const [old] = await session.all(`SELECT id FROM ${this.#schema}.archive_files WHERE name = $1 FOR UPDATE`, [
        file,
      ]);
      if (old === undefined) throw moveRefusal(`${file} is not in the store`);
      oldIds.push(old.id);
      if (newOffsets.length !== ids.length || (to === null && ids.length > 0)) {
        throw moveRefusal(`${file} was not copied whole`);
      }
      for (let i = 0; i < ids.length; i += AT_ONCE) await this.#moveSome(session, copied, i, old.id, toId);
      for (const length of lengths.slice(0, ids.length)) movedBytes += length;
      moved += ids.length;
    }
    const left = await session.all(`SELECT 1 FROM ${this.#schema}.captures WHERE file_id = ANY($1::bigint[]) LIMIT 1`, [
      numbers(oldIds),
    ]);
    if (left.length > 0) throw moveRefusal('a file that is to go still has captures');
    await session.run(`DELETE FROM ${this.#schema}.archive_files WHERE id = ANY($1::bigint[])`, [numbers(oldIds)]);
    if (to === null) return;
    const sql = `UPDATE ${this.#schema}.archive_files SET kept = $2, kept_bytes = $3 WHERE id = $1`;
    await session.run(sql, [toId, moved, movedBytes]);
  }

  /** If no place is given, the new file lies where the first of the old files lay. */
  async #addFile(
    session: Session,
    { file, bytes }: NonNullable<ArchiveMove['to']>,
    oldName: string,
    place: ArchiveMove['place'],
  ): Promise<number> {
    const [row] = await session.all(
      `INSERT INTO ${this.#schema}.archive_files (id, name, bytes, owner, machine, folder, kept, kept_bytes)
       SELECT nextval('${this.#schema}.file_ids'), $1, $2, coalesce($4, f.owner, ''), coalesce($5, f.machine, ''),
         coalesce($6, f.folder, ''), 0, 0
       FROM (SELECT $3::text AS name) n LEFT JOIN ${this.#schema}.archive_files f ON f.name = n.name RETURNING id`,
      [file, bytes, oldName, place?.owner ?? null, place?.machine ?? null, place?.folder ?? null],
    );
    return row!.id;
  }

  async #moveSome(
    session: Session,
    { captures, newOffsets }: ArchiveMove['from'][number],
    from: number,
    oldId: number,
    toId: number,
  ): Promise<void> {
    const { file, ids, timesMs, offsets } = captures;
    const some = <T>(list: readonly T[]): readonly T[] => list.slice(from, from + AT_ONCE);
    const rows = await session.all(
      `UPDATE ${this.#schema}.captures c SET file_id = $2, "offset" = n.new_offset
       FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS n(url_id, fetched_at, old_offset, new_offset)
       WHERE c.url_id = n.url_id AND c.fetched_at = n.fetched_at AND c.file_id = $1 AND c."offset" = n.old_offset
       RETURNING c.url_id, c.fetched_at, n.old_offset, c.payload_digest AS digest, c.revisit`,
      [oldId, toId, numbers(some(ids)), numbers(some(timesMs)), numbers(some(offsets)), numbers(some(newOffsets))],
    );
    if (rows.length < some(ids).length) {
      const there = new Set(rows.map(({ old_offset }) => old_offset));
      const lost = some(offsets).find((offset) => !there.has(offset));
      throw moveRefusal(`the capture at ${lost ?? 'some place'} of ${file} is no longer there`);
    }
    const payloads = new Map(rows.filter(({ revisit }) => !revisit).map((row) => [row.digest, row]));
    const needed = await referredTo(session, this.#schema, [...payloads.keys()]);
    const moved = [...payloads.values()].filter(({ digest }) => needed.has(digest));
    if (moved.length === 0) return;
    await session.run(
      `INSERT INTO ${this.#schema}.moved_payloads (digest, url_id, fetched_at)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])
       ON CONFLICT (digest) DO UPDATE SET url_id = excluded.url_id, fetched_at = excluded.fetched_at`,
      [
        texts(moved.map(({ digest }) => digest)),
        numbers(moved.map(({ url_id }) => url_id)),
        numbers(moved.map(({ fetched_at }) => fetched_at)),
      ],
    );
  }

  async #isDone(session: Session, { to, from }: ArchiveMove): Promise<boolean> {
    const names = [...from.map(({ captures }) => captures.file), ...(to === null ? [] : [to.file])];
    const sql = `SELECT name FROM ${this.#schema}.archive_files WHERE name = ANY($1::text[])`;
    const rows = await session.all(sql, [texts(names)]);
    return rows.every(({ name }) => name === to?.file) && rows.length === (to === null ? 0 : 1);
  }

  async payloadPlace(digest: string): Promise<CapturePlace | null> {
    const { db } = this.#engine;
    const from = `JOIN ${this.#schema}.archive_files f ON f.id = c.file_id WHERE NOT c.revisit AND c.payload_digest = $1 AND ${isSound(this.#schema)}`;
    const [moved] = await db.all<CapturePlace>(
      `SELECT f.name AS file, c."offset", c.length FROM ${this.#schema}.moved_payloads m
       JOIN ${this.#schema}.captures c ON c.url_id = m.url_id AND c.fetched_at = m.fetched_at ${from} AND m.digest = $1`,
      [digest],
    );
    if (moved !== undefined) return toPlace(moved);
    // Another capture may have the same payload at a place that was not
    // moved, but finding it takes a pass over all captures.
    const [any] = await db.all<CapturePlace>(
      `SELECT f.name AS file, c."offset", c.length FROM ${this.#schema}.captures c ${from} LIMIT 1`,
      [digest],
    );
    return any === undefined ? null : toPlace(any);
  }
}

function toPlace({ file, offset, length }: CapturePlace): CapturePlace {
  return { file, offset, length };
}
