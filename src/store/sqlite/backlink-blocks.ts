/**
 * How many pages link to each URL, as far as the links were counted: a row for each block of neighbouring ids, a byte or two
 * a URL. Links are counted by the ten thousand and in the order of their targets, so a block is read and written once for
 * many of them.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { addToBlock, BLOCK_IDS, type CountChange, readCounts, writeCounts } from '../../graph/backlink-counts.ts';

export class BacklinkBlocks {
  readonly #select: StatementSync;
  readonly #replace: StatementSync;
  readonly #counts = new Float64Array(BLOCK_IDS);

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT counts FROM backlinks WHERE block = ?');
    this.#replace = db.prepare('INSERT OR REPLACE INTO backlinks (block, counts) VALUES (?, ?)');
  }

  /** `by` more for each of these targets, which ascend; one that is there twice counts twice. */
  add(targets: Float64Array, by: number, onChange: CountChange): void {
    for (let at = 0; at < targets.length; ) {
      const block = Math.floor((targets[at] as number) / BLOCK_IDS);
      this.#load(block);
      at = addToBlock(this.#counts, block, targets, at, by, onChange);
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
    readCounts((this.#select.get(block) as { counts: Uint8Array } | undefined)?.counts, this.#counts);
  }

  #save(block: number): void {
    this.#replace.run(block, writeCounts(this.#counts));
  }
}
