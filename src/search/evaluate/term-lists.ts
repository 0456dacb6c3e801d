/**
 * The lists of the terms of one query, decoded once. In: terms. Out: their pages in each segment. A list that several
 * parts of a query need is read once.
 */
import type { LiveSegment } from '../index/index-reader.ts';
import type { FoundKey } from '../index/segment/dictionary-reader.ts';
import type { PageList, PositionCursor } from '../index/segment/postings-reader.ts';

export class TermLists {
  readonly #found = new Map<string, FoundKey | null>();
  readonly #lists = new Map<string, PageList>();

  /** Null if the segment does not have the key. */
  find(live: LiveSegment, key: string): FoundKey | null {
    const name = `${live.segment.id} ${key}`;
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const found = live.segment.dictionary.find(key);
    this.#found.set(name, found);
    return found;
  }

  list(live: LiveSegment, key: string): PageList | null {
    const name = `${live.segment.id} ${key}`;
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const found = this.find(live, key);
    if (found === null) return null;
    const list = live.segment.pageList(found);
    this.#lists.set(name, list);
    return list;
  }

  /** Reads the positions from the first page on. */
  positions(live: LiveSegment, key: string): PositionCursor | null {
    const found = this.find(live, key);
    const list = this.list(live, key);
    return found === null || list === null ? null : live.segment.positions(found, list);
  }
}
