/**
 * Makes a page a duplicate or no duplicate, and updates the copies of a page that changes or leaves. When an original
 * leaves its content, the first duplicate by content becomes the original. Pages that resembled a page that has left no
 * longer do.
 *
 * What always holds: a duplicate by content has an original, which is a page with that content and is no duplicate
 * itself. Handing a content on costs the same for any number of duplicates. The caller holds the lock on the row of the
 * changing page, and this file locks the row of its content, so no other transaction adds a copy meanwhile. Another
 * transaction may change a copy, so a copy is locked and read again before it is changed.
 *
 * The partner for SQLite is store/sqlite/commit/copies.ts; the shared contract tests are
 * test/store/contract/copies/handing-on.ts and test/store/contract/canonicals.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { URL_STATES, type UrlState } from '../../contract.ts';
import { bytes, numbers } from '../connection/arrays.ts';
import { contentKey } from '../rows/contents.ts';
import type { PageRow } from '../rows/table-rows.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { Crossing } from './commits-across-hosts.ts';

/** Stands in place of the original's id for a duplicate by content (schema.ts). */
export const BY_CONTENT = 0;

/**
 * SQL: the original of a duplicate `p`. The page that it names as canonical may be a duplicate by content. While many
 * pages wait to be judged again, it may also be a duplicate by its own canonical link.
 */
export function originalOf(schema: string): string {
  const firstOf = (page: string) => `(SELECT f.url_id FROM ${schema}.contents f
    WHERE f.digest = encode(substring(${page}.digest, 1, 16), 'hex')::uuid)`;
  return `CASE p.duplicate_of WHEN ${BY_CONTENT} THEN ${firstOf('p')} ELSE coalesce((
    SELECT CASE d.duplicate_of WHEN ${BY_CONTENT} THEN ${firstOf('d')} ELSE d.duplicate_of END
    FROM ${schema}.pages d WHERE d.url_id = p.duplicate_of), p.duplicate_of) END`;
}

/** Any number of pages may have resembled a page that is gone, so they are processed in batches of this size. */
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

  /** The page no longer has this content. The first duplicate becomes the original, or `preferred`. */
  async handOn(id: number, digest: Uint8Array, preferred: number | null = null): Promise<void> {
    const { contents } = this.#set;
    const key = contentKey(digest);
    await contents.load([key]);
    // No other transaction can make this page the original while its URL is locked here.
    if (contents.originalOf(key) !== id) return;
    await contents.hold([key]);
    const next = preferred ?? (this.#single.has(hexOf(digest)) ? null : await this.#nextOf(digest, id));
    if (next === null) {
      contents.remove(key);
      return;
    }
    contents.handOn(key, next);
    this.#become(next, null);
  }

  /** The canonical link of a page is believed: the page becomes a duplicate of `target`. Both pages must be read. */
  async follow(id: number, target: number): Promise<void> {
    const { pages } = this.#set;
    const [page, of] = [pages.get(id)!, pages.get(target)!];
    // If both have the same content, the page that the site prefers is the original.
    const isPreferred = of.duplicate_of === BY_CONTENT && Buffer.compare(page.digest, of.digest) === 0;
    const isResembling = of.near_of === id;
    if (isPreferred || isResembling) await this.hold([target]);
    if (page.duplicate_of === null) await this.handOn(id, page.digest, isPreferred ? target : null);
    this.#become(id, target);
    if (isResembling) this.#unresemble(target);
  }

  /** The pages are no longer duplicates by their canonical links: they may still be duplicates by their contents. */
  async standAlone(rows: readonly PageRow[]): Promise<void> {
    const { contents } = this.#set;
    const full = rows.filter((page) => page.bytes > 0);
    await contents.claim(full.map((page) => [contentKey(page.digest), page.url_id] as const));
    for (const { url_id: id, bytes: size, digest } of rows) {
      const original = size > 0 ? contents.take(contentKey(digest), id) : id;
      this.#become(id, original === id ? null : BY_CONTENT);
    }
  }

  /** The copy no longer has a page for this URL. */
  async letGo(id: number): Promise<void> {
    const { schema } = this.#set;
    for (let after = 0; ; ) {
      const like = await this.#idsAfter(`${schema}.pages WHERE near_of = $1`, id, after);
      await this.#unlike(like, id);
      if (like.length < AT_ONCE) break;
      after = like.at(-1)!;
    }
  }

  /** Notes of which pages these visited pages are copies now. Called when all rows of the commit are written. */
  async noteCopies(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const { session, schema } = this.#set;
    await session.run(
      `UPDATE ${schema}.visits v SET copy_of = (SELECT ${originalOf(schema)} FROM ${schema}.pages p WHERE p.url_id = v.url_id)
       WHERE v.url_id = ANY($1::bigint[])`,
      [numbers(ids)],
    );
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
      await this.hold([row.id]);
      const page = this.#set.pages.get(row.id);
      if (page?.duplicate_of === BY_CONTENT && Buffer.from(digest).equals(page.digest)) return row.id;
    }
  }

  async #idsAfter(from: string, id: number, after: number): Promise<number[]> {
    const sql = `SELECT url_id AS id FROM ${from} AND url_id > $2 ORDER BY url_id LIMIT ${AT_ONCE}`;
    return (await this.#set.query(sql, [id, after])).map((row) => row.id);
  }

  async #unlike(ids: readonly number[], id: number): Promise<void> {
    await this.hold(ids);
    for (const like of ids) if (this.#set.pages.get(like)?.near_of === id) this.#unresemble(like);
  }

  #unresemble(id: number): void {
    const { pages, urls } = this.#set;
    pages.change(id, { near_of: null, similarity: null });
    const { state, reason } = urls.get(id)!;
    if (reason === 'near-duplicate') this.#move(id, URL_STATES[state]!, null);
  }

  /** Locks URLs before pages, as all code does. */
  async hold(ids: readonly number[]): Promise<void> {
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

  #become(id: number, duplicateOf: number | null): void {
    const { pages } = this.#set;
    pages.change(id, { duplicate_of: duplicateOf, near_of: null, similarity: null });
    if (duplicateOf === BY_CONTENT) this.copied(pages.get(id)!.digest);
    const blemish = pages.get(id)!.noindex ? 'noindex' : null;
    const copied = duplicateOf === BY_CONTENT ? 'duplicate-content' : 'duplicate-canonical';
    if (duplicateOf === null) this.#move(id, 'fetched', blemish);
    else this.#move(id, 'duplicate', copied);
  }

  #move(id: number, state: UrlState, reason: Reason | null): void {
    const { urls, tally } = this.#set;
    const before = urls.get(id)!;
    tally.leaves(before.host_id, URL_STATES[before.state]!, before.reason);
    urls.change(id, { state: URL_STATES.indexOf(state), reason });
    tally.touches(id);
    tally.enters(before.host_id, state, reason);
  }
}

function hexOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}
