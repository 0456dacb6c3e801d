/**
 * How many pages link to each URL, as far as the links were counted: a row for each block of neighbouring ids, a byte or two
 * a URL. Links are counted by the ten thousand and in the order of their targets, so a block is read and written once for
 * many of them.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MAX_NUMBER_BYTES, NumberReader, writeNumber } from '../../graph/base-128.ts';

const BLOCK_IDS = 1024;

export type CountChange = (id: number, before: number, after: number) => void;

export class BacklinkBlocks {
  readonly #select: StatementSync;
  readonly #replace: StatementSync;
  readonly #counts = new Float64Array(BLOCK_IDS);
  readonly #bytes = new Uint8Array(BLOCK_IDS * MAX_NUMBER_BYTES);

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT counts FROM backlinks WHERE block = ?');
    this.#replace = db.prepare('INSERT OR REPLACE INTO backlinks (block, counts) VALUES (?, ?)');
  }

  /** `by` more for each of these targets, which ascend; one that is there twice counts twice. */
  add(targets: Float64Array, by: number, onChange: CountChange): void {
    for (let at = 0; at < targets.length; ) {
      const block = Math.floor((targets[at] as number) / BLOCK_IDS);
      this.#load(block);
      const end = (block + 1) * BLOCK_IDS;
      while (at < targets.length && (targets[at] as number) < end) {
        const id = targets[at] as number;
        const from = at;
        do at++;
        while (at < targets.length && targets[at] === id);
        const place = id - block * BLOCK_IDS;
        const before = this.#counts[place] as number;
        const after = before + by * (at - from);
        this.#counts[place] = after;
        onChange(id, before, after);
      }
      this.#save(block);
    }
  }

  of(ids: readonly number[]): number[] {
    const counts = new Array<number>(ids.length).fill(0);
    const byBlock = Map.groupBy(ids.keys(), (i) => Math.floor(ids[i]! / BLOCK_IDS));
    for (const [block, places] of byBlock) {
      this.#load(block);
      for (const i of places) counts[i] = this.#counts[ids[i]! - block * BLOCK_IDS] as number;
    }
    return counts;
  }

  #load(block: number): void {
    const row = this.#select.get(block) as { counts: Uint8Array } | undefined;
    this.#counts.fill(0);
    if (row === undefined) return;
    const reader = new NumberReader(row.counts);
    for (let i = 0; reader.at < row.counts.length; i++) this.#counts[i] = reader.next();
  }

  /** Without the zeros at the end. */
  #save(block: number): void {
    let last = BLOCK_IDS;
    while (last > 0 && this.#counts[last - 1] === 0) last--;
    let length = 0;
    for (let i = 0; i < last; i++) length = writeNumber(this.#bytes, length, this.#counts[i] as number);
    this.#replace.run(block, this.#bytes.subarray(0, length));
  }
}
