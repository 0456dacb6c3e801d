/**
 * The pages of a segment that match a query. In: a compiled query. Out: a set of pages. Each operator is one operation
 * on sets, so its cost does not depend on the operands.
 */
import type { LiveSegment, OpenIndex } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';
import { PLACE_WEIGHTS, weightCode } from '../index/segment/word-places.ts';
import type { WordField } from '../query/query.ts';
import type { Compiled, CompiledWords, Phrase } from './compiled-query.ts';
import { filterPages, type LinkSources } from './filter-pages.ts';
import { type LinkedPages, linkedPages } from './link-words.ts';
import { nearOn } from './near.ts';
import { PatternPages } from './pattern-pages.ts';
import type { TermLists } from './term-lists.ts';
import { WordPositions } from './word-positions.ts';

/**
 * By field: the least code of the weight of a term on a page that has it there. A page that says a word once in its
 * text needs no look at its positions to know that the word is not in its title.
 */
const LEAST_WEIGHTS: Readonly<Record<WordField, number>> = {
  any: 0,
  title: weightCode(PLACE_WEIGHTS.title),
  url: weightCode(PLACE_WEIGHTS.url),
  anchor: 0,
};

export class PageMatcher {
  readonly index: OpenIndex;
  readonly lists: TermLists;
  readonly #sources: LinkSources;
  readonly #linked = new Map<CompiledWords, LinkedPages>();
  readonly #patterns = new PatternPages();
  /** What was found before, by segment: matching, ordering and scoring ask for the same words. */
  readonly #wordSets = new Map<CompiledWords, Map<LiveSegment, PageBits>>();
  readonly #phraseSets = new Map<Phrase, Map<LiveSegment, PageBits>>();

  constructor(index: OpenIndex, lists: TermLists, sources: LinkSources) {
    this.index = index;
    this.lists = lists;
    this.#sources = sources;
  }

  match(query: Compiled, live: LiveSegment): PageBits {
    const { pages } = live.segment;
    const all = (queries: readonly Compiled[]): PageBits[] => queries.map((one) => this.match(one, live));
    switch (query.kind) {
      case 'nothing':
        return new PageBits(pages);
      case 'and':
        return all(query.operands).reduce((set, other) => set.and(other));
      case 'or':
        return all(query.operands).reduce((set, other) => set.or(other));
      case 'xor':
        return all(query.operands).reduce((set, other) => set.xor(other));
      case 'not':
        return live.live.copy().without(this.match(query.operand, live));
      case 'plain': {
        const { required, optional } = query;
        const combined = all(required.length > 0 ? required : optional);
        return combined.reduce((set, other) => (required.length > 0 ? set.and(other) : set.or(other)));
      }
      case 'filter':
        return filterPages(live, query.filter, this.#sources).and(live.live);
      case 'words':
        return keptSet(this.#wordSets, query, live, () => this.#wordPages(query, live).and(live.live)).copy();
      case 'near':
        return this.#nearPages(query.operands, query.distance, live).and(live.live);
    }
  }

  /** Patterns for which not all terms of the index were compared. */
  get cutPatterns(): readonly string[] {
    return this.#patterns.cut;
  }

  /** The pages that links with these words lead to, by their numbers. */
  linked(words: CompiledWords): LinkedPages {
    let linked = this.#linked.get(words);
    if (linked === undefined) {
      const { pattern } = words;
      linked =
        pattern === null
          ? linkedPages(this.index, words, this.lists)
          : this.#patterns.linked(pattern, words, this.index);
      this.#linked.set(words, linked);
    }
    return linked;
  }

  #wordPages(words: CompiledWords, live: LiveSegment): PageBits {
    const { terms, phrases, field, pattern } = words;
    if (pattern !== null) return this.#patterns.match(pattern, words, live, this.linked(words));
    const bits = new PageBits(live.segment.pages);
    if (field === 'any') {
      for (const { term } of terms) this.#addPages(bits, term, field, live);
      for (const phrase of phrases) this.#addPhrase(bits, phrase, words, live);
    } else if (field !== 'anchor') {
      const candidates = this.#candidates(words, live);
      const positions = new WordPositions(words, live, this.lists);
      for (const page of candidates) if (positions.isOn(page)) bits.add(page);
    }
    if (field === 'any' || field === 'anchor') {
      const { base, segment } = live;
      for (const number of this.linked(words).keys()) {
        if (number >= base && number < base + segment.pages) bits.add(number - base);
      }
    }
    return bits;
  }

  #addPages(bits: PageBits, term: string, field: WordField, live: LiveSegment): void {
    const list = this.lists.list(live, term);
    if (list === null) return;
    const { pages, weights } = list;
    const least = LEAST_WEIGHTS[field];
    if (least === 0) bits.addAll(pages);
    else for (let i = 0; i < pages.length; i++) if ((weights[i] as number) >= least) bits.add(pages[i] as number);
  }

  #addPhrase(bits: PageBits, phrase: Phrase, { field }: CompiledWords, live: LiveSegment): void {
    const pages = keptSet(this.#phraseSets, phrase, live, () => {
      const found = new PageBits(live.segment.pages);
      const positions = new WordPositions({ terms: [], phrases: [phrase], field }, live, this.lists);
      for (const page of this.#withAll(phrase, field, live)) if (positions.isOn(page)) found.add(page);
      return found;
    });
    bits.or(pages);
  }

  /** The pages that may have all terms of a phrase in this field. */
  #withAll(phrase: Phrase, field: WordField, live: LiveSegment): PageBits {
    const sets = phrase.map(({ terms }) => {
      const bits = new PageBits(live.segment.pages);
      for (const term of terms) this.#addPages(bits, term, field, live);
      return bits;
    });
    return sets.reduce((set, other) => set.and(other), live.live.copy());
  }

  /** The pages that may have one of the words. */
  #candidates({ terms, phrases, field }: CompiledWords, live: LiveSegment): PageBits {
    const bits = new PageBits(live.segment.pages);
    for (const { term } of terms) this.#addPages(bits, term, field, live);
    for (const phrase of phrases) bits.or(this.#withAll(phrase, field, live));
    return bits.and(live.live);
  }

  #nearPages(operands: readonly CompiledWords[], distance: number, live: LiveSegment): PageBits {
    const bits = new PageBits(live.segment.pages);
    const candidates = operands
      .map((words) => this.#candidates(words, live))
      .reduce((set, other) => set.and(other), live.live.copy());
    const open = operands.map((words) => new WordPositions(words, live, this.lists));
    for (const page of candidates) {
      if (
        nearOn(
          open.map((words) => words.on(page)),
          distance,
        )
      )
        bits.add(page);
    }
    return bits;
  }
}

function keptSet<Part>(
  kept: Map<Part, Map<LiveSegment, PageBits>>,
  part: Part,
  live: LiveSegment,
  find: () => PageBits,
): PageBits {
  const sets = kept.get(part) ?? new Map<LiveSegment, PageBits>();
  kept.set(part, sets);
  const known = sets.get(live) ?? find();
  sets.set(live, known);
  return known;
}
