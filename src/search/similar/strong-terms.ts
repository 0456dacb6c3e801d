/**
 * The terms that say what a page is about. In: its own text, and the numbers of pages that have a term. Out: the terms
 * with the highest weights (BM25), so that pages with the same terms are about a similar subject.
 */
import { analyzeText, stemOf } from '../analysis/analyze.ts';
import { PLACE_WEIGHTS } from '../index/segment/word-places.ts';
import type { Query } from '../query/query.ts';
import type { BlockRole, SearchBlock } from '../search-page.ts';
import { WEIGHTS } from '../weights.ts';

export interface DescribedPage {
  readonly title: string;
  readonly blocks: readonly SearchBlock[];
  readonly language: string;
}

export interface TermStatistics {
  readonly pages: number;
  readonly pagesWith: (term: string) => number;
}

/** More terms find the same pages, and take longer. */
const MOST_TERMS = 25;
/** A term on one page leads nowhere, and a term on more pages says nothing. */
const LEAST_PAGES = 2;
const MOST_PAGES_SHARE = 0.2;
/** The beginning of a long page says what it is about. */
const MOST_WORDS = 20_000;
const HAS_LETTERS = /^(?:\P{L}*\p{L}){3}/u;

interface StemCount {
  weight: number;
  /** How often the page has each form of the word. */
  readonly forms: Map<string, number>;
}

/** The strongest terms, the strongest first. */
export function strongTerms(page: DescribedPage, { pages, pagesWith }: TermStatistics): string[] {
  const counts = countStems(page);
  const found = [...counts.values()].map(({ weight, forms }) => {
    const [term] = [...forms].reduce((most, form) => (form[1] > most[1] ? form : most));
    const having = pagesWith(term);
    const rarity = Math.log(1 + (pages - having + 0.5) / (having + 0.5));
    return { term, having, strength: (rarity * weight) / (weight + WEIGHTS.saturation) };
  });
  const telling = found.filter(({ having }) => having >= LEAST_PAGES && having <= MOST_PAGES_SHARE * pages);
  telling.sort((a, b) => b.strength - a.strength || (a.term < b.term ? -1 : 1));
  return telling.slice(0, MOST_TERMS).map(({ term }) => term);
}

/** Finds the pages with any of the terms; those with many of them come first. */
export function similarQuery(terms: readonly string[]): Query {
  const optional = terms.map((text) => ({ kind: 'word', text, field: 'any', isExact: false }) as const);
  return optional.length === 0 ? { kind: 'nothing' } : { kind: 'plain', required: [], optional };
}

function countStems({ title, blocks, language }: DescribedPage): Map<string, StemCount> {
  const counts = new Map<string, StemCount>();
  let words = 0;
  const add = (text: string, weight: number): void =>
    void analyzeText(text, 0, (term) => {
      words++;
      if (!HAS_LETTERS.test(term)) return;
      const stem = stemOf(term, language) ?? term;
      const known = counts.get(stem) ?? { weight: 0, forms: new Map<string, number>() };
      counts.set(stem, known);
      known.weight += weight;
      known.forms.set(term, (known.forms.get(term) ?? 0) + 1);
    });
  add(title, PLACE_WEIGHTS.title);
  for (const { text, role } of blocks) {
    if (words >= MOST_WORDS) break;
    if (role !== ('template' satisfies BlockRole)) add(text, PLACE_WEIGHTS[role]);
  }
  return counts;
}
