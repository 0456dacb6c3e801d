/**
 * The first page of each content: the rows of table `contents` that a transaction reads and changes.
 *
 * In: contents by key (the first bytes of a digest, in hexadecimal digits). Out: the original of each content. What
 * always holds: a content has one original, however many workers store it at once. A transaction *claims* a new content
 * before it judges the page: it inserts the row, and another transaction that inserts the same row waits until this
 * transaction ends. If this transaction is rolled back, the other one inserts the row. A transaction that finds an
 * existing row takes a shared lock on it until its end, so the row cannot be deleted while a duplicate is added.
 */

import { numbers, plainTexts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

/** This many hexadecimal digits of a digest are the key of a content. */
const KEY_DIGITS = 32;

export function contentKey(digest: string | Uint8Array): string {
  const hex = typeof digest === 'string' ? digest : Buffer.from(digest.subarray(0, KEY_DIGITS / 2)).toString('hex');
  return hex.slice(0, KEY_DIGITS);
}

export class Contents {
  readonly #session: Session;
  readonly #table: string;
  /** The page of each content; null if there is none. */
  readonly #known = new Map<string, number | null>();
  /** Contents that were claimed and have no original yet. */
  readonly #open = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();
  /**
   * `#shared`: rows with a shared lock, which no other transaction can change. `#held`: rows with an exclusive
   * lock, to which no other transaction can add a duplicate.
   */
  readonly #shared = new Set<string>();
  readonly #held = new Set<string>();

  constructor(session: Session, schema: string) {
    this.#session = session;
    this.#table = `${schema}.contents`;
  }

  /** Reads the contents that have not been read yet. */
  async load(keys: Iterable<string>): Promise<void> {
    await this.#read(
      [...new Set(keys)].filter((key) => !this.#known.has(key)),
      '',
    );
  }

  /** Must be called before an original is changed: no other transaction can add a duplicate until the end. */
  async hold(keys: Iterable<string>): Promise<void> {
    const wanted = [...new Set(keys)].filter((key) => !this.#held.has(key));
    for (const key of wanted) this.#held.add(key);
    await this.#read(wanted, 'FOR NO KEY UPDATE');
  }

  /**
   * Afterwards each of these contents has a row, which is claimed here if it did
   * not exist. The first page given for a content counts.
   */
  async claim(wanted: Iterable<readonly [key: string, page: number]>): Promise<void> {
    const pages = new Map<string, number>();
    for (const [key, page] of wanted) {
      const isSure = this.#known.get(key) && (this.#shared.has(key) || this.#held.has(key));
      if (!isSure && !pages.has(key)) pages.set(key, page);
    }
    if ([...pages.keys()].some((key) => this.#removed.has(key))) await this.flush();
    // Another transaction may delete its row between two of these statements. Then the row is inserted here.
    while (pages.size > 0) {
      for (const key of await this.#insert(pages)) {
        this.#known.set(key, pages.get(key)!);
        this.#held.add(key);
        this.#open.add(key);
        pages.delete(key);
      }
      await this.#read([...pages.keys()], 'FOR SHARE');
      for (const key of [...pages.keys()]) {
        if (!this.#known.get(key)) continue;
        this.#shared.add(key);
        pages.delete(key);
      }
    }
  }

  /** Null if the content has no original. */
  originalOf(key: string): number | null {
    const page = this.#known.get(key);
    if (page === undefined) throw new Error(`content ${key} is used before it is read`);
    return this.#open.has(key) ? null : page;
  }

  /** Returns the original of a claimed content, which becomes this page if there was none. */
  take(key: string, page: number): number {
    const original = this.originalOf(key);
    if (original !== null) return original;
    if (!this.#open.delete(key)) throw new Error(`content ${key} is taken before it is claimed`);
    if (this.#known.get(key) !== page) this.handOn(key, page);
    return page;
  }

  /** The content must be held. */
  handOn(key: string, page: number): void {
    this.#known.set(key, page);
    this.#changed.add(key);
  }

  /** The content must be held. */
  remove(key: string): void {
    this.#known.set(key, null);
    this.#open.delete(key);
    this.#changed.delete(key);
    this.#removed.add(key);
  }

  /** Removes the claims of pages that became something else. */
  giveBack(): void {
    for (const key of this.#open) this.remove(key);
  }

  async flush(): Promise<void> {
    const [removed, changed] = [[...this.#removed], [...this.#changed].sort()];
    this.#removed.clear();
    this.#changed.clear();
    const sent: Promise<unknown>[] = [];
    if (removed.length > 0) {
      const sql = `DELETE FROM ${this.#table} WHERE digest = ANY($1::uuid[])`;
      sent.push(this.#session.run(sql, [plainTexts(removed)]));
    }
    if (changed.length > 0) {
      sent.push(
        this.#session.run(
          `UPDATE ${this.#table} c SET url_id = n.url_id FROM unnest($1::uuid[], $2::bigint[]) AS n(digest, url_id)
           WHERE c.digest = n.digest`,
          [plainTexts(changed), numbers(changed.map((key) => this.#known.get(key)!))],
        ),
      );
    }
    await Promise.all(sent);
  }

  /** Returns the keys that did not exist. The order of keys avoids a deadlock. */
  async #insert(pages: ReadonlyMap<string, number>): Promise<string[]> {
    const keys = [...pages.keys()].sort();
    const inserted = await this.#session.all(
      `INSERT INTO ${this.#table} (digest, url_id) SELECT * FROM unnest($1::uuid[], $2::bigint[])
       ON CONFLICT (digest) DO NOTHING RETURNING digest`,
      [plainTexts(keys), numbers(keys.map((key) => pages.get(key)!))],
    );
    return inserted.map(({ digest }) => digest);
  }

  async #read(keys: readonly string[], lock: string): Promise<void> {
    if (keys.length === 0) return;
    const rows = await this.#session.all(
      `SELECT digest, url_id FROM ${this.#table} WHERE digest = ANY($1::uuid[]) ORDER BY digest ${lock}`,
      [plainTexts(keys)],
    );
    const found = new Map(rows.map((row) => [row.digest as string, row.url_id as number]));
    for (const key of keys) {
      if (!this.#changed.has(key) && !this.#removed.has(key)) this.#known.set(key, found.get(key) ?? null);
    }
  }
}
