/**
 * The lists of the terms of one query, decoded once. In: terms. Out: their pages in each segment. A list that several
 * parts of a query need is read once.
 */
import type { LiveSegment } from '../index/index-reader.ts';
import type { FoundKey } from '../index/segment/dictionary-reader.ts';
import type { PageList } from '../index/segment/page-list.ts';
import type { PositionCursor } from '../index/segment/position-cursor.ts';

interface KnownKey {
  readonly found: FoundKey | null;
  list: PageList | null;
}

export class TermLists {
  readonly #segments = new Map<LiveSegment, Map<string, KnownKey>>();

  #know(live: LiveSegment, key: string): KnownKey {
    let keys = this.#segments.get(live);
    if (keys === undefined) {
      keys = new Map();
      this.#segments.set(live, keys);
    }
    let known = keys.get(key);
    if (known === undefined) {
      known = { found: live.segment.dictionary.find(key), list: null };
      keys.set(key, known);
    }
    return known;
  }

  /** Null if the segment does not have the key. */
  find(live: LiveSegment, key: string): FoundKey | null {
    return this.#know(live, key).found;
  }

  list(live: LiveSegment, key: string): PageList | null {
    const known = this.#know(live, key);
    if (known.found !== null) known.list ??= live.segment.pageList(known.found);
    return known.list;
  }

  /** Reads the positions from the first page on. */
  positions(live: LiveSegment, key: string): PositionCursor | null {
    const list = this.list(live, key);
    return list === null ? null : live.segment.positions(this.find(live, key)!, list);
  }
}
