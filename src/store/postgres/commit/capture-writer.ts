/**
 * Writes the captures of a commit together. The captures of a URL are in the order of their commits,
 * whatever the clock says: a clock that was set back must not make the newest content an old one. A URL that
 * already has a capture is added to `looked_again`, for retention. The caller holds the locks on the rows of
 * the URLs, so no other transaction adds captures to them.
 */
import type { CaptureRecord } from '../../contract.ts';
import { booleans, numbers, texts } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

interface Added {
  readonly id: number;
  readonly part: number;
  readonly capture: CaptureRecord;
  readonly fileId: number;
}

export class CaptureWriter {
  readonly #set: WorkingSet;
  /** The time of the last capture of a URL; null if it has none. */
  readonly #last = new Map<number, number | null>();
  #added: Added[] = [];

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  add(id: number, part: number, capture: CaptureRecord, fileId: number): void {
    this.#added.push({ id, part, capture, fileId });
  }

  /** Stores a time that was already read, which saves a query. */
  know(id: number, lastCaptureMs: number | null): void {
    this.#last.set(id, lastCaptureMs);
  }

  async write(): Promise<void> {
    const added = this.#added.sort((a, b) => a.part - b.part);
    this.#added = [];
    if (added.length === 0) return;
    const { parts } = this.#set;
    const unknown = added.filter(({ id }) => !this.#last.has(id));
    await Promise.all(parts.group(unknown, ({ part }) => part).map(([part, some]) => this.#read(part, some)));
    const again = new Map<number, number>();
    const times = added.map(({ id, part, capture }) => {
      const before = this.#last.get(id)!;
      if (before !== null) again.set(id, part);
      const timeMs = Math.max(Math.ceil(capture.fetchedAtMs), before === null ? 0 : before + 1);
      this.#last.set(id, timeMs);
      return timeMs;
    });
    await Promise.all([
      this.#insert(added, times),
      ...parts.group(again, ([, part]) => part).map(([part, some]) => this.#noteAgain(part, some)),
    ]);
  }

  async #read(part: number, unknown: readonly Added[]): Promise<void> {
    const { session, schema, parts } = this.#set;
    const rows = await session.all(
      `SELECT url_id, max(fetched_at) AS last FROM ${parts.leaf(schema, 'captures', part)} WHERE part = $1 AND url_id = ANY($2::bigint[]) GROUP BY url_id`,
      [part, numbers(unknown.map(({ id }) => id))],
    );
    for (const { id } of unknown) this.#last.set(id, null);
    for (const row of rows) this.#last.set(row.url_id, row.last);
  }

  #noteAgain(part: number, again: readonly (readonly [id: number, part: number])[]): Promise<number> {
    const { session, schema } = this.#set;
    return session.run(
      `INSERT INTO ${schema}.looked_again (part, url_id, judge_from) SELECT $1::smallint, id, 0 FROM unnest($2::bigint[]) AS u(id)
       ON CONFLICT (url_id, part) DO UPDATE SET judge_from = 0`,
      [part, numbers(again.map(([id]) => id).sort((a, b) => a - b))],
    );
  }

  #insert(added: readonly Added[], times: readonly number[]): Promise<number> {
    const column = <T>(pick: (capture: CaptureRecord) => T): T[] => added.map(({ capture }) => pick(capture));
    const { session, schema } = this.#set;
    return session.run(
      `INSERT INTO ${schema}.captures
         (part, url_id, fetched_at, status, content_type, payload_digest, file_id, "offset", length, revisit)
       SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::bigint[],
         $8::bigint[], $9::bigint[], $10::boolean[])`,
      [
        numbers(added.map(({ part }) => part)),
        numbers(added.map(({ id }) => id)),
        numbers(times),
        numbers(column(({ status }) => status)),
        texts(column(({ contentType }) => contentType)),
        texts(column(({ payloadDigest }) => payloadDigest)),
        numbers(added.map(({ fileId }) => fileId)),
        numbers(column(({ offset }) => offset)),
        numbers(column(({ length }) => length)),
        booleans(column(({ revisit }) => revisit)),
      ],
    );
  }
}
