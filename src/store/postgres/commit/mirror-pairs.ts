/**
 * Pairs of hosts that have had a page in common: the pairs that a batch may count, and the counts that it adds.
 *
 * The partner for SQLite is store/sqlite/commit/mirrors.ts; the shared
 * contract test is test/store/contract/near-duplicates.ts.
 */
import { MOST_PAIRS, MOST_PARTNERS } from '../../rules/mirror-rule.ts';
import { numbers } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

export interface Partner {
  readonly hostId: number;
  readonly host: string;
}

interface Count {
  readonly first: number;
  readonly second: number;
  same: number;
  different: number;
}

export class MirrorPairs {
  readonly #set: WorkingSet;
  /** The first few partners of a host, by host id. */
  readonly #partners = new Map<number, number[]>();
  readonly #names = new Map<number, string>();
  /** Pairs that are stored, or were counted in this batch. */
  readonly #known = new Set<string>();
  /** New pairs that this batch may store. */
  readonly #joined = new Set<string>();
  readonly #counts = new Map<string, Count>();

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  /** Reads the partners of hosts. */
  async load(hostIds: ReadonlySet<number>): Promise<void> {
    const { session, schema } = this.#set;
    const rows = await session.all<{ id: number; other: number }>(
      `SELECT h.id, m.other FROM unnest($1::bigint[]) AS h(id), LATERAL (
         (SELECT second AS other FROM ${schema}.mirrors WHERE first = h.id ORDER BY second LIMIT $2) UNION ALL
         (SELECT first FROM ${schema}.mirrors WHERE second = h.id ORDER BY first LIMIT $2)) AS m`,
      [numbers(hostIds), MOST_PARTNERS],
    );
    for (const { id, other } of rows) {
      this.#known.add(pairName(id, other));
      this.#addPartner(id, other);
    }
    await this.#readNames();
  }

  /**
   * Adds pairs that were found to have a page in common. A new pair
   * becomes known when it is counted for the first time.
   */
  async join(found: readonly (readonly number[])[]): Promise<void> {
    const { session, schema } = this.#set;
    const fresh = new Map<string, readonly [number, number]>();
    for (const [a, b] of found as readonly (readonly [number, number])[]) {
      if (!this.#known.has(pairName(a, b))) fresh.set(pairName(a, b), [Math.min(a, b), Math.max(a, b)]);
    }
    if (fresh.size === 0) return;
    const pairs = [...fresh.values()];
    const [[total], stored] = await Promise.all([
      session.all(`SELECT count(*) AS pairs FROM ${schema}.mirrors`),
      session.all(
        `SELECT first, second FROM ${schema}.mirrors JOIN unnest($1::bigint[], $2::bigint[]) AS w(first, second) USING (first, second)`,
        [numbers(pairs.map(([first]) => first)), numbers(pairs.map(([, second]) => second))],
      ),
    ]);
    for (const { first, second } of stored) this.#known.add(pairName(first, second));
    let room = MOST_PAIRS - total!.pairs;
    for (const [name, [first, second]] of fresh) {
      if (this.#known.has(name) || room-- <= 0) continue;
      this.#joined.add(name);
      this.#addPartner(first, second);
      this.#addPartner(second, first);
    }
    await this.#readNames();
  }

  partnersOf(hostId: number): readonly Partner[] {
    return (this.#partners.get(hostId) ?? []).map((id) => ({ hostId: id, host: this.#names.get(id)! }));
  }

  isKnown(a: number, b: number): boolean {
    return this.#known.has(pairName(a, b));
  }

  /** Returns false if there was no room for the pair. */
  count(a: number, b: number, isSame: boolean): boolean {
    const name = pairName(a, b);
    if (!this.#known.has(name) && !this.#joined.has(name)) return false;
    this.#known.add(name);
    let count = this.#counts.get(name);
    if (count === undefined) {
      count = { first: Math.min(a, b), second: Math.max(a, b), same: 0, different: 0 };
      this.#counts.set(name, count);
    }
    if (isSame) count.same++;
    else count.different++;
    return true;
  }

  async write(): Promise<void> {
    const { session, schema } = this.#set;
    const counts = [...this.#counts.values()].sort((a, b) => a.first - b.first || a.second - b.second);
    this.#counts.clear();
    if (counts.length === 0) return;
    await session.run(
      `INSERT INTO ${schema}.mirrors AS m (first, second, same, different)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[])
       ON CONFLICT (first, second) DO UPDATE SET same = m.same + excluded.same, different = m.different + excluded.different`,
      [
        numbers(counts.map(({ first }) => first)),
        numbers(counts.map(({ second }) => second)),
        numbers(counts.map(({ same }) => same)),
        numbers(counts.map(({ different }) => different)),
      ],
    );
  }

  #addPartner(hostId: number, other: number): void {
    const partners = this.#partners.get(hostId) ?? [];
    this.#partners.set(hostId, partners);
    if (partners.length < MOST_PARTNERS && !partners.includes(other)) partners.push(other);
  }

  async #readNames(): Promise<void> {
    const { session, schema } = this.#set;
    const wanted = new Set([...this.#partners.values()].flat().filter((id) => !this.#names.has(id)));
    if (wanted.size === 0) return;
    const sql = `SELECT id, host FROM ${schema}.hosts WHERE id = ANY($1::bigint[])`;
    for (const { id, host } of await session.all(sql, [numbers(wanted)])) this.#names.set(id, host);
  }
}

function pairName(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
