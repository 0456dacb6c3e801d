/**
 * Finds and drops captures that a retention rule does not keep. In: a rule. Out: the dropped
 * captures, for some pages per transaction.
 *
 * What always holds: a capture that a revisit refers to stays as long as the revisit. If several captures have
 * the same payload, only the archive knows which one the revisit refers to, so all of them stay. Only URLs
 * with several captures are judged, and only if they got another capture since the last judgement, or if their
 * next version has become old enough.
 *
 * The partner for PostgreSQL is store/postgres/captures/retention.ts;
 * the shared contract test is test/store/contract/retention.ts.
 */
import type { CaptureRecord, DroppedCaptures, KeptContents, SuperfluousCaptures } from '../../contract.ts';
import { CAPTURE, type CaptureRow, toCapture } from '../../records/record-rows.ts';
import { boundaryOf, CAPTURES_AT_ONCE, JUDGED_BY, judgeCaptures, NEVER, ruleName } from '../../rules/retention-rule.ts';
import { TableAccess } from '../table-access.ts';

export class Retention extends TableAccess {
  readonly #toJudge = this.db.prepare(
    'SELECT url_id AS id FROM looked_again WHERE url_id > ? AND judge_from <= ? ORDER BY url_id LIMIT ?',
  );
  readonly #severalAfter = this.db.prepare(
    'SELECT url_id AS id FROM looked_again WHERE url_id > ? ORDER BY url_id LIMIT ?',
  );
  readonly #capturesOf = this.db.prepare(
    `SELECT ${CAPTURE} FROM captures c JOIN archive_files f ON f.id = c.file_id
     WHERE c.url_id = ? ORDER BY c.fetched_at DESC`,
  );
  readonly #isReferredTo = this.db.prepare('SELECT 1 FROM captures WHERE revisit = 1 AND payload_digest = ? LIMIT 1');
  readonly #drop = this.db.prepare('DELETE FROM captures WHERE url_id = ? AND fetched_at = ?');
  readonly #dropMoved = this.db.prepare('DELETE FROM moved_payloads WHERE digest = ?');
  readonly #judged = this.db.prepare('UPDATE looked_again SET judge_from = ? WHERE url_id = ?');
  readonly #single = this.db.prepare('DELETE FROM looked_again WHERE url_id = ?');
  readonly #countDropped = this.db.prepare(
    `UPDATE archive_files SET dropped = dropped + ?1, dropped_bytes = dropped_bytes + ?2, kept = kept - ?1,
       kept_bytes = kept_bytes - ?2 WHERE name = ?3`,
  );
  readonly #noted = this.db.prepare('SELECT value FROM notes WHERE name = ?');
  readonly #setNote = this.db.prepare(
    'INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );

  superfluous(keep: KeptContents, after: number, limit: number): SuperfluousCaptures {
    const captures: { id: number; capture: CaptureRecord }[] = [];
    const ids = this.#severalAfter.all(after, limit) as { id: number }[];
    for (const { id } of ids) {
      const newestFirst = this.#captures(id);
      for (const i of judgeCaptures(newestFirst, keep).superfluous) captures.push({ id, capture: newestFirst[i]! });
    }
    return { captures, after: ids.length < limit ? null : ids.at(-1)!.id };
  }

  /** Runs inside the caller's transaction. */
  drop(keep: KeptContents, after: number, limit: number): DroppedCaptures {
    const boundary = this.#boundary(keep);
    const ids = this.#toJudge.all(after, boundary, limit) as { id: number }[];
    const droppedIn = new Map<string, { captures: number; bytes: number }>();
    let [judged, revisits, needed] = [0, 0, 0];
    let lastId = after;
    for (const { id } of ids) {
      if (judged >= CAPTURES_AT_ONCE) break;
      const newestFirst = this.#captures(id);
      const { superfluous, nextSinceMs } = judgeCaptures(newestFirst, keep);
      const left = superfluous.map((i) => newestFirst[i]!);
      const drop = (capture: CaptureRecord): void => {
        this.#drop.run(id, capture.fetchedAtMs);
        const of = droppedIn.get(capture.file) ?? { captures: 0, bytes: 0 };
        droppedIn.set(capture.file, { captures: of.captures + 1, bytes: of.bytes + capture.length });
      };
      // Revisits are dropped first, because a payload that only they needed can then be dropped too.
      const withoutPayload = left.filter(({ revisit }) => revisit);
      const withPayload = left.filter(({ revisit }) => !revisit);
      for (const capture of withoutPayload) drop(capture);
      const free = withPayload.filter(({ payloadDigest }) => this.#isReferredTo.get(payloadDigest) === undefined);
      for (const capture of free) {
        drop(capture);
        this.#dropMoved.run(capture.payloadDigest);
      }
      const stillNeeded = withPayload.length - free.length;
      const kept = newestFirst.length - withoutPayload.length - free.length;
      if (kept === 1) this.#single.run(id);
      else this.#judged.run(stillNeeded > 0 ? 0 : keep.kind === 'since' ? nextSinceMs : NEVER, id);
      judged += newestFirst.length;
      revisits += withoutPayload.length;
      needed += stillNeeded;
      lastId = id;
    }
    let dropped = 0;
    for (const [file, { captures, bytes }] of droppedIn) {
      this.#countDropped.run(captures, bytes, file);
      dropped += captures;
    }
    const isAll = ids.length < limit && lastId === (ids.at(-1)?.id ?? after);
    if (isAll && boundary === NEVER) this.#setNote.run(JUDGED_BY, ruleName(keep));
    return { dropped, revisits, needed, after: isAll ? null : lastId };
  }

  #boundary(keep: KeptContents): number {
    const noted = this.#noted.get(JUDGED_BY) as { value: string } | undefined;
    const { boundary, note } = boundaryOf(keep, noted?.value ?? null);
    if (note !== null) this.#setNote.run(JUDGED_BY, note);
    return boundary;
  }

  #captures(id: number): CaptureRecord[] {
    return (this.#capturesOf.all(id) as unknown as CaptureRow[]).map(toCapture);
  }
}
