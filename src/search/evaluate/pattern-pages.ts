/**
 * The pages with a word that matches a pattern. In: a pattern. Out: sets of pages. The terms of a segment are read in
 * their order from the first that can match, and the lists of those that match are joined at once.
 */
import type { LiveSegment, OpenIndex } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';
import type { FoundKey } from '../index/segment/dictionary-reader.ts';
import { FIRST_TERM, linkKey } from '../index/segment/keys.ts';
import type { CompiledWords } from './compiled-query.ts';
import { countTargets, type LinkedPages } from './link-words.ts';
import { matchesPattern, prefixOf } from './pattern.ts';
import { rangeOf } from './word-positions.ts';

/** A query compares at most this many terms. A prefix of two letters in a million pages stays far below it. */
const MAX_COMPARED = 500_000;

export class PatternPages {
  #compared = 0;
  readonly #cut = new Set<string>();
  /** The pages of a part of the query in a segment: matching and scoring need them. */
  readonly #found = new Map<CompiledWords, Map<number, PageBits>>();

  get cut(): readonly string[] {
    return [...this.#cut];
  }

  /** The caller may change the set. */
  match(pattern: string, words: CompiledWords, live: LiveSegment, linked: LinkedPages): PageBits {
    const found = this.#found.get(words) ?? new Map<number, PageBits>();
    this.#found.set(words, found);
    const known = found.get(live.segment.id);
    if (known !== undefined) return known.copy();
    const bits = this.#match(pattern, words, live, linked);
    found.set(live.segment.id, bits);
    return bits.copy();
  }

  #match(pattern: string, { field }: CompiledWords, live: LiveSegment, linked: LinkedPages): PageBits {
    const { segment, base } = live;
    const bits = new PageBits(segment.pages);
    if (field !== 'anchor') {
      for (const found of this.#keys(pattern, live, (term) => term)) {
        if (field === 'any') segment.pageList(found).addTo(bits);
        else addInField(bits, found, live, rangeOf(field));
      }
    }
    if (field === 'any' || field === 'anchor') {
      for (const number of linked.keys()) {
        if (number >= base && number < base + segment.pages) bits.add(number - base);
      }
    }
    return bits;
  }

  /** The pages that links with a matching word lead to. */
  linked(pattern: string, { field }: CompiledWords, index: OpenIndex): LinkedPages {
    const counts = new Map<number, number>();
    if (field !== 'any' && field !== 'anchor') return counts;
    for (const live of index.segments) {
      const { segment } = live;
      for (const found of this.#keys(pattern, live, linkKey)) {
        const list = segment.pageList(found);
        const cursor = segment.positions(found, list);
        for (const page of list.all().pages) {
          if (!live.live.has(page) || !cursor.seek(page)) continue;
          countTargets(index, live, page, cursor.positions.subarray(cursor.from, cursor.to), counts);
        }
      }
    }
    return counts;
  }

  /** The keys whose terms match. `keyOf` gives the key of a term; it only puts something before it. */
  *#keys(pattern: string, { segment }: LiveSegment, keyOf: (term: string) => string): Generator<FoundKey> {
    const prefix = keyOf(prefixOf(pattern));
    const cut = keyOf('').length;
    for (const found of segment.dictionary.from(prefix === '' ? FIRST_TERM : prefix)) {
      if (!found.key.startsWith(prefix)) return;
      if (++this.#compared > MAX_COMPARED) {
        this.#cut.add(pattern);
        return;
      }
      if (matchesPattern(found.key.slice(cut), pattern)) yield found;
    }
  }
}

function addInField(bits: PageBits, found: FoundKey, { segment }: LiveSegment, range: { from: number; to: number }) {
  const list = segment.pageList(found);
  const cursor = segment.positions(found, list);
  for (const page of list.all().pages) {
    if (bits.has(page) || !cursor.seek(page)) continue;
    let at = cursor.from;
    while (at < cursor.to && (cursor.positions[at] as number) < range.from) at++;
    if (at < cursor.to && (cursor.positions[at] as number) < range.to) bits.add(page);
  }
}
