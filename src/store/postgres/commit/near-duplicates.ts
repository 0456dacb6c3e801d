/**
 * Near duplicates (E5): whether a new page says nearly the same as an earlier one. What is compared with what, and why that is
 * enough, says src/store/sqlite/near-duplicates.ts; here the index is a table, a row for each fingerprint of a leader.
 *
 * In: the sketches of pages that are no duplicates otherwise. Out: the most similar of the earlier pages, if one reaches the
 * threshold. Always: exactly what comparing with every leader would give that was committed before or is in the same batch;
 * two pages that are committed at the same moment do not see each other. The page that is resembled stays until the end of
 * the transaction.
 */
import {
  isAsLarge,
  LEAST_PRINTS,
  leastCommon,
  MOST_LEADERS,
  moreSimilar,
  type NearDuplicate,
  prefixLength,
} from '../sketches.ts';
import { numbers } from './arrays.ts';
import type { CommonPrints } from './common-prints.ts';
import type { WorkingSet } from './working-set.ts';

export interface Sketched {
  readonly id: number;
  /** Of its host. */
  readonly part: number;
  readonly sketch: Uint32Array;
  /** The size of a page of which only the beginning was sketched, else 0. */
  readonly cutBytes: number;
}

interface Walk {
  /** The first fingerprints that are no boilerplate. */
  readonly rare: readonly number[];
  /** How many of the first ones each leader has. */
  readonly common: ReadonlyMap<number, number>;
  /** The first place whose leaders are not known; -1 where none is missing. */
  readonly missing: number;
}

export class NearDuplicates {
  readonly #set: WorkingSet;
  readonly #threshold: number;
  readonly #common: CommonPrints;
  /** By fingerprint: those stored, and those of this batch. */
  readonly #leaders = new Map<number, Set<number>>();
  readonly #partOf = new Map<number, number>();
  #added: { readonly print: number; readonly id: number; readonly part: number }[] = [];

  constructor(set: WorkingSet, threshold: number, common: CommonPrints) {
    this.#set = set;
    this.#threshold = threshold;
    this.#common = common;
  }

  /** Reads all that judging these needs, but for the little that they do to each other. */
  async prepare(pages: readonly Sketched[]): Promise<void> {
    const compared = pages.filter((page) => this.#isCompared(page));
    await this.#lookUp(compared.map(({ sketch }) => this.#first(sketch)));
    // Where some of them are boilerplate, others further back count: as many, twice over, since those may be boilerplate, too.
    for (let unread = compared; unread.length > 0; ) {
      unread = unread.filter(({ sketch }) => this.#walk(sketch).missing >= 0);
      await this.#lookUp(unread.map(({ sketch }) => this.#next(sketch)));
    }
    await this.#read(compared.flatMap((page) => this.#candidates(page)));
  }

  /** Where that page is, for whoever wants to read more of it. */
  partOf(id: number): number {
    return this.#partOf.get(id)!;
  }

  /** Of which page it is a near duplicate; null makes it a leader, whose sketch the caller stores. */
  async judge(page: Sketched): Promise<NearDuplicate | null> {
    const { id, part, sketch, cutBytes } = page;
    if (!this.#isCompared(page)) return null;
    while (this.#walk(sketch).missing >= 0) await this.#lookUp([this.#next(sketch)]);
    const candidates = this.#candidates(page);
    await this.#read(candidates);
    let best: NearDuplicate | null = null;
    for (const candidate of candidates) {
      const row = this.#set.pages.get(candidate);
      if (!row?.sketch || !isAsLarge(row.bytes, cutBytes, this.#threshold)) continue;
      best = moreSimilar(sketch, candidate, sketchIn(row.sketch), best, this.#threshold);
    }
    if (best !== null) return best;
    this.#partOf.set(id, part);
    for (const print of this.#walk(sketch).rare) {
      const leaders = this.#leaders.get(print)!;
      // It may have been a page before: one that changes a little every day must not fill the lists of what it keeps saying.
      if (leaders.has(id)) continue;
      leaders.add(id);
      this.#added.push({ print, id, part });
    }
    return null;
  }

  /** None is there yet: all leaders under these fingerprints were read, and nobody else writes of a page that is ours. */
  async write(): Promise<void> {
    const { session, schema, parts } = this.#set;
    if (this.#added.length === 0) return;
    // In the order of the index, which keeps neighbours together.
    const sorted = this.#added.sort((a, b) => asStored(a.print) - asStored(b.print) || a.id - b.id);
    this.#added = [];
    const added = parts.group(sorted, ({ print }) => parts.ofPrint(print)).flatMap(([, some]) => some);
    await session.run(
      `INSERT INTO ${schema}.prints (part, print, url_id, url_part)
       SELECT * FROM unnest($1::smallint[], $2::integer[], $3::bigint[], $4::smallint[])`,
      [
        numbers(added.map(({ print }) => parts.ofPrint(print))),
        numbers(added.map(({ print }) => asStored(print))),
        numbers(added.map(({ id }) => id)),
        numbers(added.map(({ part }) => part)),
      ],
    );
  }

  #isCompared({ sketch }: Sketched): boolean {
    return this.#threshold > 0 && sketch.length >= LEAST_PRINTS;
  }

  #wanted(sketch: Uint32Array): number {
    return prefixLength(sketch.length, this.#threshold);
  }

  /** As many as will count, if those count that are not known as boilerplate. */
  #first(sketch: Uint32Array): Uint32Array {
    let wanted = this.#wanted(sketch);
    let length = 0;
    while (length < sketch.length && wanted > 0) if (!this.#common.has(sketch[length++] as number)) wanted--;
    return sketch.subarray(0, length);
  }

  #walk(sketch: Uint32Array): Walk {
    const wanted = this.#wanted(sketch);
    const rare: number[] = [];
    const common = new Map<number, number>();
    for (let i = 0; i < sketch.length && rare.length < wanted; i++) {
      const print = sketch[i] as number;
      const leaders = this.#leaders.get(print);
      if (leaders === undefined) return { rare, common, missing: i };
      if (leaders.size < MOST_LEADERS) rare.push(print);
      for (const leader of leaders) common.set(leader, (common.get(leader) ?? 0) + 1);
    }
    return { rare, common, missing: -1 };
  }

  /** What has to be known of a sketch to go on with it. */
  #next(sketch: Uint32Array): Uint32Array {
    const { rare, missing } = this.#walk(sketch);
    return sketch.subarray(missing, missing + 2 * (this.#wanted(sketch) - rare.length));
  }

  /** Leaders that share enough with it to be compared. */
  #candidates({ id, sketch }: Sketched): number[] {
    const least = leastCommon(sketch.length, this.#threshold);
    const { common } = this.#walk(sketch);
    return [...common].filter(([leader, prints]) => prints >= least && leader !== id).map(([leader]) => leader);
  }

  async #lookUp(sketches: readonly Uint32Array[]): Promise<void> {
    const { session, schema, parts } = this.#set;
    const wanted = new Set<number>();
    for (const sketch of sketches) for (const print of sketch) if (!this.#leaders.has(print)) wanted.add(print);
    for (const print of wanted) this.#leaders.set(print, new Set());
    await Promise.all(
      parts
        .group(wanted, (print) => parts.ofPrint(print))
        .map(async ([part, prints]) => {
          const rows = await session.all(
            `SELECT print, url_id, url_part FROM ${parts.leaf(schema, 'prints', part)} WHERE part = $1 AND print = ANY($2::integer[])`,
            [part, numbers(prints.map(asStored))],
          );
          for (const { print, url_id, url_part } of rows) {
            this.#leaders.get(asRead(print))!.add(url_id);
            this.#partOf.set(url_id, url_part);
          }
          for (const print of prints) if (this.#leaders.get(print)!.size >= MOST_LEADERS) this.#common.add(print);
        }),
    );
  }

  /** Shared: what a page is found to resemble must not leave before that is written. */
  async #read(ids: readonly number[]): Promise<void> {
    const { pages, parts } = this.#set;
    await Promise.all(
      parts.group(new Set(ids), (id) => this.partOf(id)).map(([part, some]) => pages.load(part, some, 'shared')),
    );
  }
}

/** The server's numbers of 32 bits have a sign. */
function asStored(print: number): number {
  return print | 0;
}

function asRead(stored: number): number {
  return stored >>> 0;
}

function sketchIn(bytes: Uint8Array): Uint32Array {
  // Copied: a buffer of the connection's need not begin where four bytes do.
  return new Uint32Array(new Uint8Array(bytes).buffer);
}
