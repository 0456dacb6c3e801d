/**
 * Updates the copies of a page when the page changes or leaves the copy. The first duplicate of its content becomes the
 * original. Pages that named its URL as canonical become pages themselves. Pages that resembled it no longer do.
 *
 * What always holds: a duplicate by content has an original, which is a page with that content and is no duplicate
 * itself. Handing a content on costs the same for any number of duplicates. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/copies.ts;
 * the shared contract test is test/store/contract/handing-on.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { URL_STATES, type UrlState } from '../../contract.ts';
import type { Tally } from '../../rules/tally.ts';
import { TableAccess } from '../table-access.ts';

/** Bytes of a digest that are used as the key of a content. */
export const CONTENT_KEY_BYTES = 16;

/** Value of `duplicate_of` for a duplicate by content, in place of the original's id (schema.ts). */
export const BY_CONTENT = 0;

/** SQL expression for the original of a duplicate, over the columns of `pages` as `p`. */
export const ORIGINAL = `CASE p.duplicate_of WHEN ${BY_CONTENT}
  THEN (SELECT url_id FROM contents WHERE digest = substr(p.digest, 1, ${CONTENT_KEY_BYTES})) ELSE p.duplicate_of END`;

interface DuplicateRow {
  readonly id: number;
  readonly bytes: number;
  readonly digest: Uint8Array;
}

interface StateRow {
  readonly host_id: number;
  readonly state: number;
  readonly reason: Reason | null;
  readonly noindex: number;
}

export class Copies extends TableAccess {
  readonly #originalOf = this.db.prepare('SELECT url_id AS id FROM contents WHERE digest = ?');
  readonly #nextOf = this.db.prepare(
    `SELECT url_id AS id FROM pages WHERE duplicate_of = ${BY_CONTENT} AND digest = ? AND url_id <> ? ORDER BY url_id LIMIT 1`,
  );
  readonly #handOn = this.db.prepare('UPDATE contents SET url_id = ? WHERE digest = ?');
  readonly #insertContent = this.db.prepare('INSERT INTO contents (digest, url_id) VALUES (?, ?)');
  readonly #dropContent = this.db.prepare('DELETE FROM contents WHERE digest = ?');
  readonly #namingCanonical = this.db.prepare(
    'SELECT url_id AS id, bytes, digest FROM pages WHERE duplicate_of = ? AND duplicate_of > 0 ORDER BY url_id',
  );
  readonly #resembling = this.db.prepare('SELECT url_id AS id FROM pages WHERE near_of = ?');
  readonly #setDuplicate = this.db.prepare('UPDATE pages SET duplicate_of = ? WHERE url_id = ?');
  readonly #unlike = this.db.prepare('UPDATE pages SET near_of = NULL, similarity = NULL WHERE url_id = ?');
  readonly #stateOf = this.db.prepare(
    'SELECT u.host_id, u.state, u.reason, p.noindex FROM urls u JOIN pages p ON p.url_id = u.id WHERE u.id = ?',
  );
  readonly #setState = this.db.prepare('UPDATE urls SET state = ?, reason = ? WHERE id = ?');

  /** Called when a page no longer has this content. */
  handOn(id: number, digest: Uint8Array, tally: Tally): void {
    const key = digest.subarray(0, CONTENT_KEY_BYTES);
    if ((this.#originalOf.get(key) as { id: number } | undefined)?.id !== id) return;
    const next = this.#nextOf.get(digest, id) as { id: number } | undefined;
    if (next === undefined) {
      this.#dropContent.run(key);
      return;
    }
    this.#handOn.run(next.id, key);
    this.#become(next.id, null, 'fetched', tally);
  }

  /** Called when the copy no longer has a page for this URL. */
  letGo(id: number, tally: Tally): void {
    for (const { id: copy, bytes, digest } of this.#namingCanonical.all(id) as unknown as DuplicateRow[]) {
      const key = digest.subarray(0, CONTENT_KEY_BYTES);
      const isFirst = bytes === 0 || this.#originalOf.get(key) === undefined;
      if (isFirst && bytes > 0) this.#insertContent.run(key, copy);
      if (isFirst) this.#become(copy, null, 'fetched', tally);
      else this.#become(copy, BY_CONTENT, 'duplicate', tally);
    }
    for (const { id: like } of this.#resembling.all(id) as { id: number }[]) {
      this.#unlike.run(like);
      const before = this.#stateOf.get(like) as unknown as StateRow;
      if (before.reason === 'near-duplicate') this.#move(like, before, URL_STATES[before.state]!, null, tally);
    }
  }

  #become(id: number, duplicateOf: number | null, state: UrlState, tally: Tally): void {
    this.#setDuplicate.run(duplicateOf, id);
    const before = this.#stateOf.get(id) as unknown as StateRow;
    const blemish = before.noindex === 1 ? 'noindex' : null;
    const reason = duplicateOf === null ? blemish : 'duplicate-content';
    this.#move(id, before, state, reason, tally);
  }

  #move(id: number, before: StateRow, state: UrlState, reason: Reason | null, tally: Tally): void {
    this.#setState.run(URL_STATES.indexOf(state), reason, id);
    tally.leaves(before.host_id, URL_STATES[before.state]!, before.reason);
    tally.enters(before.host_id, state, reason);
  }
}
