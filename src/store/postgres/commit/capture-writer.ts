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
  readonly hostId: number;
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

  add(id: number, hostId: number, capture: CaptureRecord, fileId: number): void {
    this.#added.push({ id, hostId, capture, fileId });
  }

  /** Stores a time that was already read, which saves a query. */
  know(id: number, lastCaptureMs: number | null): void {
    this.#last.set(id, lastCaptureMs);
  }

  async write(): Promise<void> {
    const added = this.#added;
    this.#added = [];
    if (added.length === 0) return;
    const unknown = added.filter(({ id }) => !this.#last.has(id));
    if (unknown.length > 0) await this.#read(unknown);
    const again = new Map<number, number>();
    const times = added.map(({ id, hostId, capture }) => {
      const before = this.#last.get(id)!;
      if (before !== null) again.set(id, hostId);
      const timeMs = Math.max(Math.ceil(capture.fetchedAtMs), before === null ? 0 : before + 1);
      this.#last.set(id, timeMs);
      return timeMs;
    });
    await Promise.all([this.#insert(added, times), ...(again.size > 0 ? [this.#noteAgain(again)] : [])]);
  }

  async #read(unknown: readonly Added[]): Promise<void> {
    const { session, schema } = this.#set;
    const rows = await session.all(
      `SELECT url_id, max(fetched_at) AS last FROM ${schema}.captures WHERE url_id = ANY($1::bigint[]) GROUP BY url_id`,
      [numbers(unknown.map(({ id }) => id))],
    );
    for (const { id } of unknown) this.#last.set(id, null);
    for (const row of rows) this.#last.set(row.url_id, row.last);
  }

  /** `again` has the host of each URL. The rows are locked in the order of their ids, as retention locks them. */
  #noteAgain(again: ReadonlyMap<number, number>): Promise<number> {
    const { session, schema } = this.#set;
    const sorted = [...again].sort(([a], [b]) => a - b);
    return session.run(
      `INSERT INTO ${schema}.looked_again (url_id, host_id, judge_from)
       SELECT *, 0 FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT (url_id, host_id) DO UPDATE SET judge_from = 0`,
      [numbers(sorted.map(([id]) => id)), numbers(sorted.map(([, hostId]) => hostId))],
    );
  }

  #insert(added: readonly Added[], times: readonly number[]): Promise<number> {
    const column = <T>(pick: (capture: CaptureRecord) => T): T[] => added.map(({ capture }) => pick(capture));
    const { session, schema } = this.#set;
    return session.run(
      `INSERT INTO ${schema}.captures
         (url_id, host_id, fetched_at, status, content_type, payload_digest, file_id, "offset", length, revisit)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::bigint[],
         $8::bigint[], $9::bigint[], $10::boolean[])`,
      [
        numbers(added.map(({ id }) => id)),
        numbers(added.map(({ hostId }) => hostId)),
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
