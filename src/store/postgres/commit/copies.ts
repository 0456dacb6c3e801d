/**
 * Updates the copies of a page when the page changes or leaves the copy. The first duplicate of its content becomes the
 * original. Pages that named its URL as canonical become pages themselves. Pages that resembled it no longer do.
 *
 * What always holds: a duplicate by content has an original, which is a page with that content and is no duplicate
 * itself. Handing a content on costs the same for any number of duplicates. The caller holds the lock on the row of the
 * changing page, and this file locks the row of its content, so no other transaction adds a copy meanwhile. Another
 * transaction may change a copy, so a copy is locked and read again before it is changed.
 *
 * The partner for SQLite is store/sqlite/commit/copies.ts; the shared contract tests are
 * test/store/contract/handing-on.ts and test/store/contract/duplicates.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { URL_STATES, type UrlState } from '../../contract.ts';
import { bytes } from '../connection/arrays.ts';
import { contentKey } from '../rows/contents.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { Crossing } from './commits-across-hosts.ts';

/** Stands in place of the original's id for a duplicate by content (schema.ts). */
export const BY_CONTENT = 0;

/** Any number of pages may have named a URL that is gone, so they are processed in batches of this size. */
const AT_ONCE = 500;

export class Copies {
  readonly #set: WorkingSet;
  readonly #crossing: Crossing;
  /** Digests, in hexadecimal digits, of contents that had no stored duplicate when they were locked. */
  readonly #single = new Set<string>();

  constructor(set: WorkingSet, crossing: Crossing) {
    this.#set = set;
    this.#crossing = crossing;
  }

  /**
   * Reads in one batch everything that handing on the contents of these
   * pages needs. The pages are going to change or leave.
   */
  async prepare(pages: Iterable<{ readonly url_id: number; readonly digest: Uint8Array }>): Promise<void> {
    const { contents, schema } = this.#set;
    const wanted = [...pages];
    if (wanted.length === 0) return;
    await contents.load(wanted.map(({ digest }) => contentKey(digest)));
    const originals = wanted.filter(({ url_id, digest }) => contents.originalOf(contentKey(digest)) === url_id);
    if (originals.length === 0) return;
    await contents.hold(originals.map(({ digest }) => contentKey(digest)));
    const digests = originals.map(({ digest }) => digest);
    const rows = await this.#set.query<{ digest: Uint8Array }>(
      `SELECT DISTINCT digest FROM ${schema}.pages WHERE duplicate_of = ${BY_CONTENT} AND digest = ANY($1::bytea[])`,
      [bytes(digests)],
    );
    const copied = new Set(rows.map(({ digest }) => hexOf(digest)));
    for (const digest of digests) if (!copied.has(hexOf(digest))) this.#single.add(hexOf(digest));
  }

  /** A page with this content is written as a duplicate by content. */
  copied(digest: Uint8Array): void {
    this.#single.delete(hexOf(digest));
  }

  /** The page no longer has this content. The first duplicate becomes the original. */
  async handOn(id: number, digest: Uint8Array): Promise<void> {
    const { contents } = this.#set;
    const key = contentKey(digest);
    await contents.load([key]);
    // No other transaction can make this page the original while its URL is locked here.
    if (contents.originalOf(key) !== id) return;
    await contents.hold([key]);
    const next = this.#single.has(hexOf(digest)) ? null : await this.#nextOf(digest, id);
    if (next === null) {
      contents.remove(key);
      return;
    }
    contents.handOn(key, next);
    this.#become(next, null, 'fetched');
  }

  /** The copy no longer has a page for this URL. */
  async letGo(id: number): Promise<void> {
    const { schema } = this.#set;
    for (let after = 0; ; ) {
      const copies = await this.#idsAfter(`${schema}.pages WHERE duplicate_of = $1 AND duplicate_of > 0`, id, after);
      await this.#makePages(copies, id);
      if (copies.length < AT_ONCE) break;
      after = copies.at(-1)!;
    }
    for (let after = 0; ; ) {
      const like = await this.#idsAfter(`${schema}.pages WHERE near_of = $1`, id, after);
      await this.#unlike(like, id);
      if (like.length < AT_ONCE) break;
      after = like.at(-1)!;
    }
  }

  /** The first other page that is a duplicate by this content, locked; null if there is none. */
  async #nextOf(digest: Uint8Array, id: number): Promise<number | null> {
    const { schema } = this.#set;
    for (;;) {
      const [row] = await this.#set.query<{ id: number }>(
        `SELECT url_id AS id FROM ${schema}.pages WHERE duplicate_of = ${BY_CONTENT} AND digest = $1 AND url_id <> $2
         ORDER BY url_id LIMIT 1`,
        [digest, id],
      );
      if (row === undefined) return null;
      await this.#hold([row.id]);
      const page = this.#set.pages.get(row.id);
      if (page?.duplicate_of === BY_CONTENT && Buffer.from(digest).equals(page.digest)) return row.id;
    }
  }

  async #idsAfter(from: string, id: number, after: number): Promise<number[]> {
    const sql = `SELECT url_id AS id FROM ${from} AND url_id > $2 ORDER BY url_id LIMIT ${AT_ONCE}`;
    return (await this.#set.query(sql, [id, after])).map((row) => row.id);
  }

  /** Handles pages that named `id` as canonical: each becomes a page, or a duplicate by content. */
  async #makePages(copies: readonly number[], id: number): Promise<void> {
    const { contents, pages } = this.#set;
    await this.#hold(copies);
    const rows = copies.flatMap((copy) => pages.get(copy) ?? []).filter((page) => page.duplicate_of === id);
    const full = rows.filter((page) => page.bytes > 0);
    await contents.claim(full.map((page) => [contentKey(page.digest), page.url_id] as const));
    for (const page of rows) {
      const original = page.bytes > 0 ? contents.take(contentKey(page.digest), page.url_id) : page.url_id;
      if (original === page.url_id) this.#become(page.url_id, null, 'fetched');
      else this.#become(page.url_id, BY_CONTENT, 'duplicate');
    }
  }

  async #unlike(ids: readonly number[], id: number): Promise<void> {
    const { pages, urls } = this.#set;
    await this.#hold(ids);
    for (const like of ids) {
      if (pages.get(like)?.near_of !== id) continue;
      pages.change(like, { near_of: null, similarity: null });
      const { state, reason } = urls.get(like)!;
      if (reason === 'near-duplicate') this.#move(like, URL_STATES[state]!, null);
    }
  }

  /** Locks URLs before pages, as all code does. */
  async #hold(ids: readonly number[]): Promise<void> {
    if (!this.#crossing.isAlone) await this.#set.urls.load(ids, 'free');
    this.#enter(ids);
    await this.#set.urls.load(ids, 'held');
    await this.#set.pages.load(ids, 'held');
  }

  /** Checks the URLs against the hosts of this commit. They must have been read. */
  #enter(ids: readonly number[]): void {
    if (this.#crossing.isAlone) return;
    for (const id of ids) this.#crossing.into(this.#set.urls.get(id)!.host_id, id);
  }

  #become(id: number, duplicateOf: number | null, state: UrlState): void {
    const { pages } = this.#set;
    pages.change(id, { duplicate_of: duplicateOf });
    if (duplicateOf === BY_CONTENT) this.copied(pages.get(id)!.digest);
    const blemish = pages.get(id)!.noindex ? 'noindex' : null;
    this.#move(id, state, duplicateOf === null ? blemish : 'duplicate-content');
  }

  #move(id: number, state: UrlState, reason: Reason | null): void {
    const { urls, tally } = this.#set;
    const before = urls.get(id)!;
    tally.leaves(before.host_id, URL_STATES[before.state]!, before.reason);
    urls.change(id, { state: URL_STATES.indexOf(state), reason });
    tally.enters(before.host_id, state, reason);
  }
}

function hexOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}
