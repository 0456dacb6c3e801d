/** The writes for rebuilding a crawl from its archive, besides commits. Runs inside the caller's transaction. */
import type { Reason } from '../../core/reasons.ts';
import { type CaptureRecord, type ClaimedUrl, URL_STATES } from '../contract.ts';
import type { OlderCapture } from '../recoverable.ts';
import { countReleased } from '../rules/left-out.ts';
import type { Tally } from '../rules/tally.ts';
import { CLAIMED } from './leases/claim.ts';
import { TableAccess } from './table-access.ts';

const SKIPPED = URL_STATES.indexOf('skipped');

export class Recovery extends TableAccess {
  readonly #waiting = this.db.prepare(`SELECT ${CLAIMED} FROM urls WHERE id = ? AND state = 0`);
  readonly #leftOut = this.db.prepare(
    `SELECT host_id, reason FROM urls WHERE id = ? AND state = ${SKIPPED}
       AND NOT EXISTS (SELECT 1 FROM visits WHERE url_id = urls.id)`,
  );
  readonly #admit = this.db.prepare('UPDATE urls SET state = 0, reason = NULL, stand_in = NULL WHERE id = ?');
  readonly #fileId = this.db.prepare(
    `INSERT INTO archive_files (name, bytes) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET bytes = max(bytes, excluded.bytes)
     RETURNING id`,
  );
  // Captures were added, so earlier counts are reset.
  readonly #setFile = this.db.prepare(
    `INSERT INTO archive_files (name, bytes) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET bytes = max(bytes, excluded.bytes), kept = NULL, kept_bytes = NULL`,
  );
  readonly #isTaken = this.db.prepare('SELECT 1 FROM captures WHERE url_id = ? AND fetched_at = ?');
  readonly #insert = this.db.prepare('INSERT INTO captures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');

  waiting(id: number): ClaimedUrl | null {
    return (this.#waiting.get(id) as unknown as ClaimedUrl | undefined) ?? null;
  }

  admit(id: number, tally: Tally): boolean {
    const row = this.#leftOut.get(id) as { host_id: number; reason: Reason } | undefined;
    if (row === undefined) return false;
    this.#admit.run(id);
    countReleased(row.host_id, row.reason, tally);
    return true;
  }

  addHistory(older: readonly OlderCapture[], files: ReadonlyMap<string, number>): void {
    const ids = new Map<string, number>();
    for (const [name, bytes] of files) ids.set(name, (this.#fileId.get(name, bytes) as { id: number }).id);
    for (const { id, capture } of older) this.#add(id, capture, ids.get(capture.file)!);
  }

  setFiles(files: ReadonlyMap<string, number>): void {
    for (const [name, bytes] of files) this.#setFile.run(name, bytes);
  }

  /** Two captures of a URL cannot have the same time, so the time is moved to the next free millisecond. */
  #add(id: number, { fetchedAtMs, status, contentType, ...place }: CaptureRecord, fileId: number): void {
    let atMs = fetchedAtMs;
    while (this.#isTaken.get(id, atMs) !== undefined) atMs++;
    const { payloadDigest, offset, length, revisit } = place;
    this.#insert.run(id, atMs, status, contentType, payloadDigest, fileId, offset, length, revisit ? 1 : 0);
  }
}
