/**
 * What becomes of the copies of a page when it changes or leaves: the first duplicate of a content takes it over, what named
 * the URL as its canonical one is a page itself, and what resembled it resembles nothing.
 *
 * Always: a duplicate by content has an original, which is a page with that content and no duplicate; handing on costs the
 * same however many duplicates there are. The row of the page that changes is held by the caller, that of its content here, so
 * nobody adds a copy meanwhile; a copy may be changed by another, so it is held and looked at again before it is touched.
 */
import type { Reason } from '../../core/reasons.ts';
import { URL_STATES, type UrlState } from '../contract.ts';
import { bytes } from './arrays.ts';
import { contentKey, type PagePlace } from './contents.ts';
import type { Crossing } from './crossing.ts';
import type { WorkingSet } from './working-set.ts';

/** In place of the original's id for a duplicate by content (schema.ts). */
export const BY_CONTENT = 0;

/** A URL that is gone may have been named by any number of pages. */
const AT_ONCE = 500;

export class Copies {
  readonly #set: WorkingSet;
  readonly #crossing: Crossing;
  /** Contents of which no duplicate was stored when they were held, in hexadecimal digits. */
  readonly #single = new Set<string>();

  constructor(set: WorkingSet, crossing: Crossing) {
    this.#set = set;
    this.#crossing = crossing;
  }

  /** Reads in one go what handing on these pages' contents needs; for pages that are going to change or leave. */
  async prepare(pages: Iterable<{ readonly url_id: number; readonly digest: Uint8Array }>): Promise<void> {
    const { contents, schema } = this.#set;
    const wanted = [...pages];
    if (wanted.length === 0) return;
    await contents.load(wanted.map(({ digest }) => contentKey(digest)));
    const originals = wanted.filter(({ url_id, digest }) => contents.originalOf(contentKey(digest))?.id === url_id);
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

  /** A page is written as a duplicate by content. */
  copied(digest: Uint8Array): void {
    this.#single.delete(hexOf(digest));
  }

  /** A page has this content no more. */
  async handOn(id: number, digest: Uint8Array): Promise<void> {
    const { contents } = this.#set;
    const key = contentKey(digest);
    await contents.load([key]);
    // Nobody makes it one as long as we hold its URL.
    if (contents.originalOf(key)?.id !== id) return;
    await contents.hold([key]);
    const next = this.#single.has(hexOf(digest)) ? null : await this.#nextOf(digest, id);
    if (next === null) {
      contents.remove(key);
      return;
    }
    contents.handOn(key, next);
    this.#become(next.id, null, 'fetched');
  }

  /** The copy has no page of this URL any more. */
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

  /** The first other page with this content that is a duplicate for it, held; null where there is none. */
  async #nextOf(digest: Uint8Array, id: number): Promise<PagePlace | null> {
    const { schema, pages, urls } = this.#set;
    for (;;) {
      const [row] = await this.#set.query<{ id: number; part: number }>(
        `SELECT url_id AS id, part FROM ${schema}.pages WHERE duplicate_of = ${BY_CONTENT} AND digest = $1 AND url_id <> $2
         ORDER BY url_id LIMIT 1`,
        [digest, id],
      );
      if (row === undefined) return null;
      if (!this.#crossing.isAlone) await urls.load(row.part, [row.id], 'free');
      this.#enter([row.id]);
      await urls.load(row.part, [row.id], 'held');
      await pages.load(row.part, [row.id], 'held');
      const page = pages.get(row.id);
      if (page?.duplicate_of === BY_CONTENT && Buffer.from(digest).equals(page.digest)) return row;
    }
  }

  async #idsAfter(from: string, id: number, after: number): Promise<number[]> {
    const sql = `SELECT url_id AS id FROM ${from} AND url_id > $2 ORDER BY url_id LIMIT ${AT_ONCE}`;
    return (await this.#set.query(sql, [id, after])).map((row) => row.id);
  }

  /** What named `id` as canonical. */
  async #makePages(copies: readonly number[], id: number): Promise<void> {
    const { contents, pages } = this.#set;
    await this.#hold(copies);
    const rows = copies.map((copy) => pages.get(copy)).filter((page) => page?.duplicate_of === id);
    const placeOf = (page: { url_id: number; part: number }) => ({ id: page.url_id, part: page.part });
    const full = rows.filter((page) => page!.bytes > 0);
    await contents.claim(full.map((page) => [contentKey(page!.digest), placeOf(page!)] as const));
    for (const page of rows) {
      const place = placeOf(page!);
      const original = page!.bytes > 0 ? contents.take(contentKey(page!.digest), place) : place;
      if (original.id === place.id) this.#become(place.id, null, 'fetched');
      else this.#become(place.id, BY_CONTENT, 'duplicate');
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

  /** URLs before pages, as all do. */
  async #hold(ids: readonly number[]): Promise<void> {
    if (!this.#crossing.isAlone) await this.#set.urls.find(ids, 'free');
    this.#enter(ids);
    await this.#set.urls.find(ids, 'held');
    await this.#set.pages.find(ids, 'held');
  }

  /** Of URLs that are read. */
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
