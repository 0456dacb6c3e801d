/**
 * Which page was the first with a content: what a transaction knows of the table `contents`, and changes.
 *
 * In: contents by their keys (the first bytes of a digest, in hexadecimal digits). Out: the original of each. Always: a content has
 * one original, however many workers bring it at once. Whoever brings one that nobody has *claims* it before judging: its row is
 * there from then on, and another that wants to put the same row waits until this transaction is over. If that was rolled
 * back, the other puts it after all. Who finds the row shares it until the end, so that it cannot go while a duplicate is added.
 */
import { numbers, plainTexts } from './arrays.ts';
import type { Session } from './database.ts';
import type { Parts } from './parts.ts';

/** So many hexadecimal digits of a digest are the key of a content. */
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
  /** Claimed, and nobody has taken them yet. */
  readonly #open = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();
  /** Rows that stay as they are but for us; those of `#held` only we may build on. */
  readonly #shared = new Set<string>();
  readonly #held = new Set<string>();

  constructor(session: Session, schema: string, parts: Parts) {
    this.#session = session;
    this.#schema = schema;
    this.#parts = parts;
  }

  /** Reads those that are not known yet. */
  async load(keys: Iterable<string>): Promise<void> {
    await this.#read(
      [...new Set(keys)].filter((key) => !this.#known.has(key)),
      '',
    );
  }

  /** Before an original is changed: nobody adds a duplicate until the end. */
  async hold(keys: Iterable<string>): Promise<void> {
    const wanted = [...new Set(keys)].filter((key) => !this.#held.has(key));
    for (const key of wanted) this.#held.add(key);
    await this.#read(wanted, 'FOR NO KEY UPDATE');
  }

  /** From here on each of these has a row, which is ours if nobody had it. The first place given for a content counts. */
  async claim(wanted: Iterable<readonly [key: string, place: PagePlace]>): Promise<void> {
    const places = new Map<string, PagePlace>();
    for (const [key, place] of wanted) {
      const isSure = this.#known.get(key) && (this.#shared.has(key) || this.#held.has(key));
      if (!isSure && !places.has(key)) places.set(key, place);
    }
    if ([...places.keys()].some((key) => this.#removed.has(key))) await this.flush();
    // Another may drop what it had between two of these statements; then it is ours to put.
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

  /** Null where nobody has it. */
  originalOf(key: string): PagePlace | null {
    const place = this.#known.get(key);
    if (place === undefined) throw new Error(`content ${key} is used before it is read`);
    return this.#open.has(key) ? null : place;
  }

  /** Of one that was claimed: its original, which is this page if nobody was before it. */
  take(key: string, place: PagePlace): PagePlace {
    const original = this.originalOf(key);
    if (original !== null) return original;
    if (!this.#open.delete(key)) throw new Error(`content ${key} is taken before it is claimed`);
    if (this.#known.get(key)!.id !== place.id) this.handOn(key, place);
    return place;
  }

  /** Of one that is held. */
  handOn(key: string, place: PagePlace): void {
    this.#known.set(key, place);
    this.#changed.add(key);
  }

  /** Of one that is held. */
  remove(key: string): void {
    this.#known.set(key, null);
    this.#open.delete(key);
    this.#changed.delete(key);
    this.#removed.add(key);
  }

  /** What was claimed for pages that turned out to be something else. */
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

  /** Returns the keys of those that were not there. In the order of parts and keys: nobody waits for another in a ring. */
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
