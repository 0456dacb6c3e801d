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
import type { Parts } from './parts.ts';

/** This many hexadecimal digits of a digest are the key of a content. */
const KEY_DIGITS = 32;

/** A page, and the part of its host. */
export interface PagePlace {
  readonly id: number;
  readonly part: number;
}

export function contentKey(digest: string | Uint8Array): string {
  const hex = typeof digest === 'string' ? digest : Buffer.from(digest.subarray(0, KEY_DIGITS / 2)).toString('hex');
  return hex.slice(0, KEY_DIGITS);
}

export class Contents {
  readonly #session: Session;
  readonly #schema: string;
  readonly #parts: Parts;
  readonly #known = new Map<string, PagePlace | null>();
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

  constructor(session: Session, schema: string, parts: Parts) {
    this.#session = session;
    this.#schema = schema;
    this.#parts = parts;
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
   * not exist. The first place given for a content counts.
   */
  async claim(wanted: Iterable<readonly [key: string, place: PagePlace]>): Promise<void> {
    const places = new Map<string, PagePlace>();
    for (const [key, place] of wanted) {
      const isSure = this.#known.get(key) && (this.#shared.has(key) || this.#held.has(key));
      if (!isSure && !places.has(key)) places.set(key, place);
    }
    if ([...places.keys()].some((key) => this.#removed.has(key))) await this.flush();
    // Another transaction may delete its row between two of these statements. Then the row is inserted here.
    while (places.size > 0) {
      for (const key of await this.#insert(places)) {
        this.#known.set(key, places.get(key)!);
        this.#held.add(key);
        this.#open.add(key);
        places.delete(key);
      }
      await this.#read([...places.keys()], 'FOR SHARE');
      for (const key of [...places.keys()]) {
        if (!this.#known.get(key)) continue;
        this.#shared.add(key);
        places.delete(key);
      }
    }
  }

  /** Null if the content has no original. */
  originalOf(key: string): PagePlace | null {
    const place = this.#known.get(key);
    if (place === undefined) throw new Error(`content ${key} is used before it is read`);
    return this.#open.has(key) ? null : place;
  }

  /** Returns the original of a claimed content, which becomes this page if there was none. */
  take(key: string, place: PagePlace): PagePlace {
    const original = this.originalOf(key);
    if (original !== null) return original;
    if (!this.#open.delete(key)) throw new Error(`content ${key} is taken before it is claimed`);
    if (this.#known.get(key)!.id !== place.id) this.handOn(key, place);
    return place;
  }

  /** The content must be held. */
  handOn(key: string, place: PagePlace): void {
    this.#known.set(key, place);
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
    const sent: Promise<unknown>[] = [];
    for (const [part, keys] of this.#byPart(this.#removed)) {
      const sql = `DELETE FROM ${this.#leaf(part)} WHERE part = $1 AND digest = ANY($2::uuid[])`;
      sent.push(this.#session.run(sql, [part, plainTexts(keys)]));
    }
    for (const [part, keys] of this.#byPart(this.#changed)) {
      sent.push(
        this.#session.run(
          `UPDATE ${this.#leaf(part)} c SET url_id = n.url_id, url_part = n.url_part
           FROM unnest($2::uuid[], $3::bigint[], $4::smallint[]) AS n(digest, url_id, url_part)
           WHERE c.part = $1 AND c.digest = n.digest`,
          [part, plainTexts(keys), ...this.#placeLists(keys.map((key) => this.#known.get(key)!))],
        ),
      );
    }
    this.#removed.clear();
    this.#changed.clear();
    await Promise.all(sent);
  }

  /** Returns the keys that did not exist. The order of parts and keys avoids a deadlock. */
  async #insert(places: ReadonlyMap<string, PagePlace>): Promise<string[]> {
    const byPart = this.#byPart(places.keys());
    const keys = byPart.flatMap(([, some]) => some);
    const inserted = await this.#session.all(
      `INSERT INTO ${this.#schema}.contents (part, digest, url_id, url_part)
       SELECT * FROM unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::smallint[])
       ON CONFLICT (digest, part) DO NOTHING RETURNING digest`,
      [
        numbers(byPart.flatMap(([part, some]) => some.map(() => part))),
        plainTexts(keys),
        ...this.#placeLists(keys.map((key) => places.get(key)!)),
      ],
    );
    return inserted.map(({ digest }) => digest);
  }

  async #read(keys: readonly string[], lock: string): Promise<void> {
    await Promise.all(
      this.#byPart(keys).map(async ([part, some]) => {
        const rows = await this.#session.all(
          `SELECT digest, url_id, url_part FROM ${this.#leaf(part)} WHERE part = $1 AND digest = ANY($2::uuid[]) ORDER BY digest ${lock}`,
          [part, plainTexts(some)],
        );
        const found = new Map(rows.map((row) => [row.digest, { id: row.url_id, part: row.url_part }]));
        for (const key of some) {
          if (!this.#changed.has(key) && !this.#removed.has(key)) this.#known.set(key, found.get(key) ?? null);
        }
      }),
    );
  }

  #leaf(part: number): string {
    return this.#parts.leaf(this.#schema, 'contents', part);
  }

  #byPart(keys: Iterable<string>): [part: number, keys: string[]][] {
    return this.#parts.group([...keys].sort(), (key) => this.#parts.ofDigest(key));
  }

  #placeLists(places: readonly PagePlace[]): [string, string] {
    return [numbers(places.map(({ id }) => id)), numbers(places.map(({ part }) => part))];
  }
}
