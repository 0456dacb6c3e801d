/**
 * Finds out how much of each archive file is needed, and records that captures were copied into another file. In: the
 * moves of the archive. Out: places of captures.
 *
 * What always holds: the captures and the row of their old file change in one transaction, or not at all. No file loses
 * its row while a capture is in it. A payload that revisits refer to is found wherever it was moved.
 *
 * The partner for PostgreSQL is store/postgres/captures/archive-moves.ts;
 * the shared contract test is test/store/contract/retention.ts.
 */
import type { ArchiveMove, CapturePlace, FileCaptures, FileUse } from '../../contract.ts';
import { emptyList, type FileRow, isWorthCounting, moveRefusal, wastefulUse } from '../../rules/file-use.ts';
import { IS_UNDAMAGED } from '../schema.ts';
import { TableAccess } from '../table-access.ts';

interface PlaceRow {
  file_id: number;
  url_id: number;
  fetched_at: number;
  offset: number;
  length: number;
}

const ANY_PAYLOAD = `SELECT f.name AS file, c.offset, c.length FROM captures c JOIN archive_files f ON f.id = c.file_id
  WHERE c.revisit = 0 AND c.payload_digest = ? AND ${IS_UNDAMAGED} LIMIT 1`;

export class ArchiveMoves extends TableAccess {
  readonly #withDrops = this.db.prepare('SELECT * FROM archive_files WHERE dropped > 0 ORDER BY id');
  readonly #setKept = this.db.prepare('UPDATE archive_files SET kept = ?, kept_bytes = ? WHERE id = ?');
  readonly #addFile = this.db.prepare(
    'INSERT INTO archive_files (name, bytes, kept, kept_bytes) VALUES (?, ?, 0, 0) RETURNING id',
  );
  readonly #fileId = this.db.prepare('SELECT id FROM archive_files WHERE name = ?');
  readonly #move = this.db.prepare(
    `UPDATE captures SET file_id = ?, offset = ? WHERE url_id = ? AND fetched_at = ? AND file_id = ? AND offset = ?
     RETURNING payload_digest, revisit`,
  );
  readonly #isReferredTo = this.db.prepare('SELECT 1 FROM captures WHERE revisit = 1 AND payload_digest = ? LIMIT 1');
  readonly #moved = this.db.prepare('INSERT OR REPLACE INTO moved_payloads VALUES (?, ?, ?)');
  readonly #dropFile = this.db.prepare('DELETE FROM archive_files WHERE id = ?');
  readonly #payload = this.db.prepare(
    `SELECT f.name AS file, c.offset, c.length FROM moved_payloads m
     JOIN captures c ON c.url_id = m.url_id AND c.fetched_at = m.fetched_at JOIN archive_files f ON f.id = c.file_id
     WHERE m.digest = ?1 AND c.payload_digest = ?1 AND c.revisit = 0 AND ${IS_UNDAMAGED}`,
  );

  /** Returns files of which less than the given share of bytes is needed. Runs inside the caller's transaction. */
  wasteful(neededShare: number): FileUse[] {
    const files = this.#withDrops.all() as unknown as FileRow[];
    const uncounted = files.filter((row) => row.kept === null && isWorthCounting(row, neededShare));
    if (uncounted.length > 0) this.#count(uncounted);
    return files.map((row) => wastefulUse(row, neededShare)).filter((use) => use !== null);
  }

  /** One pass over all captures, once in the life of a file. */
  #count(files: readonly FileRow[]): void {
    const counts = this.db
      .prepare(
        `SELECT file_id, count(*) AS kept, sum(length) AS kept_bytes FROM captures
         WHERE file_id IN (SELECT value FROM json_each(?)) GROUP BY file_id`,
      )
      .all(JSON.stringify(files.map(({ id }) => id))) as { file_id: number; kept: number; kept_bytes: number }[];
    const byId = new Map(counts.map((row) => [row.file_id, row]));
    for (const file of files) {
      file.kept = byId.get(file.id)?.kept ?? 0;
      file.kept_bytes = byId.get(file.id)?.kept_bytes ?? 0;
      this.#setKept.run(file.kept, file.kept_bytes, file.id);
    }
  }

  /** Another pass over all captures. The caller rewrites a file next, which takes longer. */
  revisitsAlone(limit: number): CapturePlace[] {
    const rows = this.db
      .prepare(
        `SELECT f.name AS file, c.offset, c.length FROM captures c JOIN archive_files f ON f.id = c.file_id
         WHERE c.revisit = 1 AND c.payload_digest IN (
           SELECT payload_digest FROM captures WHERE revisit = 1 EXCEPT
           SELECT p.payload_digest FROM captures p WHERE p.revisit = 0
             AND EXISTS (SELECT 1 FROM captures r WHERE r.revisit = 1 AND r.payload_digest = p.payload_digest))
         LIMIT ?`,
      )
      .all(limit);
    return (rows as unknown as CapturePlace[]).map(toPlace);
  }

  capturesIn(names: readonly string[]): FileCaptures[] {
    const files = this.db
      .prepare('SELECT id, name, bytes FROM archive_files WHERE name IN (SELECT value FROM json_each(?)) ORDER BY id')
      .all(JSON.stringify(names)) as { id: number; name: string; bytes: number }[];
    const lists = files.map(({ name, bytes }) => emptyList(name, bytes));
    const byId = new Map(files.map(({ id }, i) => [id, lists[i]!]));
    const rows = this.db
      .prepare(
        `SELECT file_id, url_id, fetched_at, offset, length FROM captures
         WHERE file_id IN (SELECT value FROM json_each(?)) ORDER BY file_id, offset`,
      )
      .iterate(JSON.stringify(files.map(({ id }) => id))) as Iterable<unknown> as Iterable<PlaceRow>;
    for (const { file_id, url_id, fetched_at, offset, length } of rows) {
      const list = byId.get(file_id)!;
      list.ids.push(url_id);
      list.timesMs.push(fetched_at);
      list.offsets.push(offset);
      list.lengths.push(length);
    }
    return lists;
  }

  /** Runs inside the caller's transaction. */
  move({ to, from }: ArchiveMove): void {
    // The new file is added first, so that it does not get the id of a file whose row is deleted below.
    const toId = to === null ? 0 : (this.#addFile.get(to.file, to.bytes) as { id: number }).id;
    const oldIds: number[] = [];
    let [moved, movedBytes] = [0, 0];
    for (const { captures, newOffsets } of from) {
      const { file, ids, timesMs, offsets, lengths } = captures;
      const oldId = (this.#fileId.get(file) as { id: number } | undefined)?.id;
      if (oldId === undefined) throw moveRefusal(`${file} is not in the store`);
      oldIds.push(oldId);
      if (newOffsets.length !== ids.length || (to === null && ids.length > 0))
        throw moveRefusal(`${file} was not copied whole`);
      for (const [i, id] of ids.entries()) {
        const row = this.#move.get(toId, newOffsets[i]!, id, timesMs[i]!, oldId, offsets[i]!) as
          | { payload_digest: string; revisit: number }
          | undefined;
        if (row === undefined) throw moveRefusal(`the capture at ${offsets[i]} of ${file} is no longer there`);
        const { payload_digest: digest, revisit } = row;
        if (revisit === 0 && this.#isReferredTo.get(digest)) this.#moved.run(digest, id, timesMs[i]!);
        movedBytes += lengths[i]!;
      }
      moved += ids.length;
    }
    const left = this.db
      .prepare('SELECT 1 FROM captures WHERE file_id IN (SELECT value FROM json_each(?)) LIMIT 1')
      .get(JSON.stringify(oldIds));
    if (left !== undefined) throw moveRefusal('a file that is to go still has captures');
    for (const id of oldIds) this.#dropFile.run(id);
    if (to !== null) this.#setKept.run(moved, movedBytes, toId);
  }

  payloadPlace(digest: string): CapturePlace | null {
    // A payload that was archived twice may be readable where it was not moved, but
    // finding that place reads every capture.
    const row = (this.#payload.get(digest) ?? this.db.prepare(ANY_PAYLOAD).get(digest)) as unknown;
    return row === undefined ? null : toPlace(row as CapturePlace);
  }
}

function toPlace({ file, offset, length }: CapturePlace): CapturePlace {
  return { file, offset, length };
}
