/**
 * A merge of segments, in parts. In: the segments. Out: one segment instead of them. Between the parts the index can be
 * written: pages that are replaced meanwhile are dead in the new segment from the beginning.
 *
 * What always holds: readers see the earlier segments until the last part is committed, and then the new one. Each part
 * is a transaction of its own, because a long one would make the log as large as the segment.
 */
import type { IndexDatabase, SegmentRow } from './index-database.ts';
import { type MergedPages, mergeSegments } from './merge-segments.ts';
import { PageBits } from './page-bits.ts';
import { SegmentDraft } from './segment/segment-draft.ts';

const PART_MS = 500;

export class RunningMerge {
  readonly #database: IndexDatabase;
  readonly #chosen: readonly SegmentRow[];
  readonly #id: number;
  readonly #draft: SegmentDraft;
  readonly #steps: Generator<void, MergedPages>;

  constructor(database: IndexDatabase, chosen: readonly SegmentRow[]) {
    this.#database = database;
    this.#chosen = chosen;
    this.#id = database.newSegmentId();
    this.#draft = new SegmentDraft((section, row, bytes) => database.putRow(this.#id, section, row, bytes));
    const inputs = chosen.map((row) => ({ segment: database.open(row), dead: row.dead }));
    this.#steps = mergeSegments(inputs, this.#draft);
  }

  /** Works for about so many milliseconds. Returns whether the merge is finished. */
  work(mostMs: number): boolean {
    const end = performance.now() + mostMs;
    do {
      const merged = this.#database.transaction(() => this.#part(Math.min(end, performance.now() + PART_MS)));
      if (merged === null) continue;
      this.#finish(merged);
      return true;
    } while (performance.now() < end);
    return false;
  }

  /** Null if the time was over first. */
  #part(end: number): MergedPages | null {
    do {
      const { done, value } = this.#steps.next();
      if (done) return value;
    } while (performance.now() < end);
    return null;
  }

  #finish({ urlIds, numbers }: MergedPages): void {
    const database = this.#database;
    database.transaction(() => {
      const dead = this.#replacedMeanwhile(urlIds.length, numbers);
      for (const row of this.#chosen) database.removeSegment(row.id);
      if (urlIds.length === 0) return;
      database.addSegment(this.#id, this.#draft.facts);
      if (!dead.isEmpty) database.setDead(this.#id, dead);
      for (const [page, urlId] of urlIds.entries()) if (!dead.has(page)) database.setPlace(urlId, this.#id, page);
    });
  }

  #replacedMeanwhile(pages: number, numbers: readonly Int32Array[]): PageBits {
    const dead = new PageBits(pages);
    const now = new Map(this.#database.segments().map((row) => [row.id, row.dead]));
    for (const [i, { id }] of this.#chosen.entries()) {
      for (const page of now.get(id)!) {
        const number = numbers[i]![page] as number;
        if (number >= 0) dead.add(number);
      }
    }
    return dead;
  }
}
