/**
 * Makes a page a duplicate or no duplicate, and updates the copies of a page that changes or leaves. When an original
 * leaves its content, the first duplicate by content becomes the original. Pages that resembled a page that has left no
 * longer do.
 *
 * What always holds: a duplicate by content has an original, which is a page with that content and is no duplicate
 * itself. Handing a content on costs the same for any number of duplicates. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/copies.ts;
 * the shared contract test is test/store/contract/copies/handing-on.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { URL_STATES, type UrlState } from '../../contract.ts';
import type { Tally } from '../../rules/tally.ts';
import { TableAccess } from '../table-access.ts';

/** Bytes of a digest that are used as the key of a content. */
export const CONTENT_KEY_BYTES = 16;

/** Value of `duplicate_of` for a duplicate by content, in place of the original's id (schema.ts). */
export const BY_CONTENT = 0;

/**
 * SQL expression for the original of a duplicate, over the columns of `pages` as `p`. The page that a duplicate names
 * as canonical may be a duplicate by content. While many pages wait to be judged again, it may also be a duplicate by
 * its own canonical link.
 */
export const ORIGINAL = `CASE p.duplicate_of WHEN ${BY_CONTENT} THEN ${firstOf('p')} ELSE coalesce((
  SELECT CASE o.duplicate_of WHEN ${BY_CONTENT} THEN ${firstOf('o')} ELSE o.duplicate_of END
  FROM pages o WHERE o.url_id = p.duplicate_of), p.duplicate_of) END`;

function firstOf(page: string): string {
  return `(SELECT url_id FROM contents WHERE digest = substr(${page}.digest, 1, ${CONTENT_KEY_BYTES}))`;
}

/** The row of a page that becomes a duplicate, or stops being one. */
export interface CopiedRow {
  readonly bytes: number;
  readonly digest: Uint8Array;
  readonly duplicate_of: number | null;
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
  readonly #resembling = this.db.prepare('SELECT url_id AS id FROM pages WHERE near_of = ?');
  readonly #setDuplicate = this.db.prepare(
    'UPDATE pages SET duplicate_of = ?, near_of = NULL, similarity = NULL WHERE url_id = ?',
  );
  readonly #targetOf = this.db.prepare('SELECT digest, duplicate_of, near_of FROM pages WHERE url_id = ?');
  readonly #unlike = this.db.prepare('UPDATE pages SET near_of = NULL, similarity = NULL WHERE url_id = ?');
  readonly #stateOf = this.db.prepare(
    'SELECT u.host_id, u.state, u.reason, p.noindex FROM urls u JOIN pages p ON p.url_id = u.id WHERE u.id = ?',
  );
  readonly #setState = this.db.prepare('UPDATE urls SET state = ?, reason = ? WHERE id = ?');

  /** Called when a page no longer has this content. The first duplicate becomes the original, or `preferred`. */
  handOn(id: number, digest: Uint8Array, tally: Tally, preferred: number | null = null): void {
    const key = digest.subarray(0, CONTENT_KEY_BYTES);
    if ((this.#originalOf.get(key) as { id: number } | undefined)?.id !== id) return;
    const next = preferred ?? (this.#nextOf.get(digest, id) as { id: number } | undefined)?.id;
    if (next === undefined) {
      this.#dropContent.run(key);
      return;
    }
    this.#handOn.run(next, key);
    this.#become(next, null, tally);
  }

  /** Called when the canonical link of a page is believed: the page becomes a duplicate of `target`. */
  follow(id: number, { digest, duplicate_of }: CopiedRow, target: number, tally: Tally): void {
    const of = this.#targetOf.get(target) as unknown as CopiedRow & { readonly near_of: number | null };
    // If both have the same content, the page that the site prefers is the original.
    const isPreferred = of.duplicate_of === BY_CONTENT && Buffer.compare(digest, of.digest) === 0;
    if (duplicate_of === null) this.handOn(id, digest, tally, isPreferred ? target : null);
    this.#become(id, target, tally);
    if (of.near_of === id) this.#unresemble(target, tally);
  }

  /** Called when a page is no longer a duplicate by its canonical link: it may still be one by its content. */
  standAlone(id: number, { bytes, digest }: CopiedRow, tally: Tally): void {
    const key = digest.subarray(0, CONTENT_KEY_BYTES);
    const isFirst = bytes === 0 || this.#originalOf.get(key) === undefined;
    if (isFirst && bytes > 0) this.#insertContent.run(key, id);
    this.#become(id, isFirst ? null : BY_CONTENT, tally);
  }

  /** Called when the copy no longer has a page for this URL. */
  letGo(id: number, tally: Tally): void {
    for (const { id: like } of this.#resembling.all(id) as { id: number }[]) {
      this.#unresemble(like, tally);
    }
  }

  #unresemble(id: number, tally: Tally): void {
    this.#unlike.run(id);
    const before = this.#stateOf.get(id) as unknown as StateRow;
    if (before.reason === 'near-duplicate') this.#move(id, before, URL_STATES[before.state]!, null, tally);
  }

  #become(id: number, duplicateOf: number | null, tally: Tally): void {
    this.#setDuplicate.run(duplicateOf, id);
    const before = this.#stateOf.get(id) as unknown as StateRow;
    const blemish = before.noindex === 1 ? 'noindex' : null;
    const copied = duplicateOf === BY_CONTENT ? 'duplicate-content' : 'duplicate-canonical';
    if (duplicateOf === null) this.#move(id, before, 'fetched', blemish, tally);
    else this.#move(id, before, 'duplicate', copied, tally);
  }

  #move(id: number, before: StateRow, state: UrlState, reason: Reason | null, tally: Tally): void {
    this.#setState.run(URL_STATES.indexOf(state), reason, id);
    tally.touches(id);
    tally.leaves(before.host_id, URL_STATES[before.state]!, before.reason);
    tally.enters(before.host_id, state, reason);
  }
}
