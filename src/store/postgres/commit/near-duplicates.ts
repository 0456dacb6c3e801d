/**
 * Near duplicates (E5): whether the text of a new page is nearly the text of an earlier page. The index is
 * a table with one row for each fingerprint of a leader.
 *
 * In: the sketches of pages that are no other kind of duplicate. Out: the most similar earlier page, if it reaches
 * the threshold. What always holds: the result is the same as a comparison with every leader that was committed
 * before or is in the same batch. Two pages that are committed at the same moment do not see each other. The
 * resembled page stays until the end of the transaction. A page that changes or leaves stays in the index under its
 * old fingerprints, but that only leads to a comparison with its current sketch.
 *
 * The partner for SQLite is store/sqlite/commit/near-duplicates.ts, which explains what is compared and why that is
 * enough; the shared contract test is test/store/contract/near-duplicates.ts.
 */
import { sketchIn } from '../../records/record-rows.ts';
import {
  leastCommon,
  MOST_LEADERS,
  moreSimilar,
  type NearDuplicate,
  prefixLength,
  printsOf,
} from '../../rules/near-duplicate-rule.ts';
import { numbers } from '../connection/arrays.ts';
import type { PageRow } from '../rows/table-rows.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { BoilerplateCache } from './boilerplate-cache.ts';

export interface Sketched {
  readonly id: number;
  readonly sketch: Uint32Array;
}

interface Walk {
  /** The first fingerprints that are not boilerplate. */
  readonly rare: readonly number[];
  /** How many of the first fingerprints each leader has. */
  readonly common: ReadonlyMap<number, number>;
  /** The first position whose leaders have not been read; -1 if all were read. */
  readonly missing: number;
}

export class NearDuplicates {
  readonly #set: WorkingSet;
  readonly #threshold: number;
  readonly #common: BoilerplateCache;
  /** Leaders by fingerprint: stored ones, and those of this batch. */
  readonly #leaders = new Map<number, Set<number>>();
  #added: { readonly print: number; readonly id: number }[] = [];

  constructor(set: WorkingSet, threshold: number, common: BoilerplateCache) {
    this.#set = set;
    this.#threshold = threshold;
    this.#common = common;
  }

  /** Reads everything that judging these pages needs, except what the pages of the batch add for each other. */
  async prepare(pages: readonly Sketched[]): Promise<void> {
    if (this.#threshold === 0) return;
    await this.#lookUp(pages.map(({ sketch }) => this.#first(printsOf(sketch))));
    // For each boilerplate fingerprint a later one counts instead. Twice as
    // many are read, since these may also be boilerplate.
    for (let unread = pages; unread.length > 0; ) {
      unread = unread.filter(({ sketch }) => this.#walk(printsOf(sketch)).missing >= 0);
      await this.#lookUp(unread.map(({ sketch }) => this.#next(printsOf(sketch))));
    }
    // The lock is shared: a resembled page must not leave before this result is written.
    const candidates = pages.flatMap((page) => this.#candidates(page));
    await this.#set.pages.load(candidates, 'shared');
  }

  /** The page that this page nearly duplicates. Null makes this page a leader. */
  async judge(page: Sketched): Promise<NearDuplicate | null> {
    const { id, sketch } = page;
    const prints = printsOf(sketch);
    if (this.#threshold === 0) return null;
    while (this.#walk(prints).missing >= 0) await this.#lookUp([this.#next(prints)]);
    const candidates = this.#candidates(page);
    await this.#set.pages.load(candidates, 'shared');
    let best: NearDuplicate | null = null;
    for (const candidate of candidates) {
      const row = this.#set.pages.get(candidate);
      if (!row?.sketch || !isLeader(row)) continue;
      best = moreSimilar(sketch, candidate, sketchIn(row.sketch), best, this.#threshold);
    }
    if (best !== null) return best;
    for (const print of this.#walk(prints).rare) {
      const leaders = this.#leaders.get(print)!;
      // The page may be a leader already. A page that changes a little every day
      // must not fill the lists of its stable fingerprints.
      if (leaders.has(id)) continue;
      leaders.add(id);
      this.#added.push({ print, id });
    }
    return null;
  }

  /**
   * No conflict is possible: all leaders under these fingerprints were
   * read, and only this transaction writes rows of its pages.
   */
  async write(): Promise<void> {
    const { session, schema } = this.#set;
    if (this.#added.length === 0) return;
    // The order of the index keeps neighbours together.
    const added = this.#added.sort((a, b) => asStored(a.print) - asStored(b.print) || a.id - b.id);
    this.#added = [];
    await session.run(
      `INSERT INTO ${schema}.prints (print, url_id) SELECT * FROM unnest($1::integer[], $2::bigint[])`,
      [numbers(added.map(({ print }) => asStored(print))), numbers(added.map(({ id }) => id))],
    );
  }

  #wanted(prints: Uint32Array): number {
    return prefixLength(prints.length, this.#threshold);
  }

  /** As many fingerprints as will count, if all that are not known as boilerplate count. */
  #first(prints: Uint32Array): Uint32Array {
    let wanted = this.#wanted(prints);
    let length = 0;
    while (length < prints.length && wanted > 0) if (!this.#common.has(prints[length++] as number)) wanted--;
    return prints.subarray(0, length);
  }

  #walk(prints: Uint32Array): Walk {
    const wanted = this.#wanted(prints);
    const rare: number[] = [];
    const common = new Map<number, number>();
    for (let i = 0; i < prints.length && rare.length < wanted; i++) {
      const print = prints[i] as number;
      const leaders = this.#leaders.get(print);
      if (leaders === undefined) return { rare, common, missing: i };
      if (leaders.size < MOST_LEADERS) rare.push(print);
      for (const leader of leaders) common.set(leader, (common.get(leader) ?? 0) + 1);
    }
    return { rare, common, missing: -1 };
  }

  /** The fingerprints that must be read to go on with these prints. */
  #next(prints: Uint32Array): Uint32Array {
    const { rare, missing } = this.#walk(prints);
    return prints.subarray(missing, missing + 2 * (this.#wanted(prints) - rare.length));
  }

  /** Leaders that share enough fingerprints with the page to be compared. */
  #candidates({ id, sketch }: Sketched): number[] {
    const prints = printsOf(sketch);
    const least = leastCommon(prints.length, this.#threshold);
    const { common } = this.#walk(prints);
    return [...common].filter(([leader, shared]) => shared >= least && leader !== id).map(([leader]) => leader);
  }

  async #lookUp(lists: readonly Uint32Array[]): Promise<void> {
    const { session, schema } = this.#set;
    const wanted = new Set<number>();
    for (const prints of lists) for (const print of prints) if (!this.#leaders.has(print)) wanted.add(print);
    if (wanted.size === 0) return;
    for (const print of wanted) this.#leaders.set(print, new Set());
    const rows = await session.all(`SELECT print, url_id FROM ${schema}.prints WHERE print = ANY($1::integer[])`, [
      numbers([...wanted].map(asStored)),
    ]);
    for (const { print, url_id } of rows) this.#leaders.get(asRead(print))!.add(url_id);
    for (const print of wanted) if (this.#leaders.get(print)!.size >= MOST_LEADERS) this.#common.add(print);
  }
}

/** The 32-bit integers of PostgreSQL are signed. */
function asStored(print: number): number {
  return print | 0;
}

function asRead(stored: number): number {
  return stored >>> 0;
}

function isLeader({ near_of, duplicate_of }: PageRow): boolean {
  return near_of === null && duplicate_of === null;
}
