/**
 * The changes of the site, in order. In: changes with their numbers. Out: the changes after a number. What always
 * holds: changes are on the disk when `append` resolves; numbers grow by one without a gap; the journal keeps only the
 * newest changes, up to the size limit.
 *
 * The journal has several files, each named after the number of its first change. The
 * oldest file is dropped as a whole.
 */
import { readdirSync } from 'node:fs';
import type { Change } from '../records.ts';
import { JournalSegment } from './journal-segment.ts';
import { DamagedMemory } from './memory-error.ts';

const NAME = /^journal-(\d+)\.jsonl$/;
const SEGMENTS = 8;

/** A change with a field that only the memory needs: the key of the page whose place this page has taken. */
export interface NotedChange extends Change {
  readonly replaces?: string;
}

export class Journal {
  readonly #folder: string;
  readonly #maxBytes: number;
  #segments: JournalSegment[];

  private constructor(folder: string, maxBytes: number, segments: JournalSegment[]) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#segments = segments;
  }

  /** Removes an incomplete line at the end of the last file. */
  static open(folder: string, maxBytes: number): Journal {
    const firsts = readdirSync(folder)
      .map((name) => NAME.exec(name)?.[1])
      .filter((first) => first !== undefined)
      .map(Number)
      .sort((a, b) => a - b);
    const segments: JournalSegment[] = [];
    try {
      for (const first of firsts) {
        const before = segments.at(-1);
        if (before !== undefined && before.lastSeq + 1 !== first)
          throw new DamagedMemory('changes are missing from the journal');
        segments.push(JournalSegment.open(folder, first));
      }
    } catch (error) {
      for (const segment of segments) segment.close();
      throw error;
    }
    return new Journal(folder, maxBytes, segments);
  }

  /** The number of the last change; null if there never was a change. */
  get lastSeq(): number | null {
    return this.#segments.at(-1)?.lastSeq ?? null;
  }

  /** The number before the first change that is still in the journal. */
  get oldestSeq(): number | null {
    const first = this.#segments[0]?.firstSeq;
    return first === undefined ? null : first - 1;
  }

  async append(changes: readonly NotedChange[]): Promise<void> {
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.bytes >= this.#maxBytes / SEGMENTS) {
      segment = JournalSegment.create(this.#folder, changes[0]!.seq);
      this.#segments.push(segment);
    }
    await segment.append(changes);
  }

  /** The last number of the oldest file, if that file must be dropped; null while the journal is within its limit. */
  get overdueSeq(): number | null {
    const bytes = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
    return bytes > this.#maxBytes && this.#segments.length > 1 ? this.#segments[0]!.lastSeq : null;
  }

  dropOldest(): void {
    this.#segments.shift()?.remove();
  }

  dropAll(): void {
    for (const segment of this.#segments) segment.remove();
    this.#segments = [];
  }

  *read(after: number): Generator<NotedChange> {
    for (const segment of [...this.#segments]) {
      if (segment.lastSeq > after) yield* segment.read(after);
    }
  }

  /** The same, with a limit and without the field that only the memory needs. */
  changes(after: number, limit: number): Change[] {
    const found: Change[] = [];
    if (limit <= 0) return found;
    for (const { replaces: _, ...change } of this.read(after)) {
      found.push(change);
      if (found.length >= limit) break;
    }
    return found;
  }

  close(): void {
    for (const segment of this.#segments) segment.close();
    this.#segments = [];
  }
}
