/**
 * Pseudo-relevance feedback (RM3): the best pages of a query say which other words belong to it. In: the texts of these
 * pages. Out: words with weights. A word counts as much as it fills of each page, and each page as much as its score.
 */
import { analyzeText, stemOf } from '../analysis/analyze.ts';
import type { SearchBlock } from '../search-page.ts';

export interface FeedbackPage {
  readonly blocks: readonly SearchBlock[];
  readonly language: string;
  readonly score: number;
}

export interface FeedbackWord {
  readonly term: string;
  /** The weights of all words add up to 1. */
  readonly weight: number;
}

export const FEEDBACK_PAGES = 10;
const MOST_WORDS = 40;
/** Words on more pages say nothing, and words on one page are misspelt or names. */
const MOST_PAGES_SHARE = 0.2;
const LEAST_PAGES = 2;
/** The beginning of a long page is enough. */
const MOST_TERMS = 5_000;
/** The few words of a very short page say less than as many words of a longer one. */
const SMOOTHING = 100;
const HAS_LETTERS = /^\p{L}{3,}$/u;

interface StemCount {
  weight: number;
  /** The form of the word that the pages have most often, and how often. */
  readonly forms: Map<string, number>;
}

/** `pagesWith` gives the number of pages that have a term; `pages` is the number of all pages. */
export function feedbackWords(
  best: readonly FeedbackPage[],
  pagesWith: (term: string) => number,
  pages: number,
): FeedbackWord[] {
  const stems = new Map<string, StemCount>();
  const scores = best.reduce((sum, { score }) => sum + score, 0);
  for (const page of best) addPage(page, page.score / scores, stems);
  const words = [...stems.values()].map(({ weight, forms }) => {
    const [term] = [...forms].reduce((most, form) => (form[1] > most[1] ? form : most));
    return { term, weight };
  });
  const telling = words.filter(({ term }) => {
    const count = pagesWith(term);
    return count >= LEAST_PAGES && count <= MOST_PAGES_SHARE * pages;
  });
  telling.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1));
  const chosen = telling.slice(0, MOST_WORDS);
  const sum = chosen.reduce((total, { weight }) => total + weight, 0);
  return chosen.map(({ term, weight }) => ({ term, weight: weight / sum }));
}

function addPage({ blocks, language }: FeedbackPage, share: number, stems: Map<string, StemCount>): void {
  const terms: string[] = [];
  for (const { text, role } of blocks) {
    if (terms.length >= MOST_TERMS) break;
    if (role !== 'template') analyzeText(text, 0, (term) => void terms.push(term));
  }
  for (const term of terms) {
    if (!HAS_LETTERS.test(term)) continue;
    const stem = stemOf(term, language) ?? term;
    const known = stems.get(stem) ?? { weight: 0, forms: new Map<string, number>() };
    stems.set(stem, known);
    known.weight += share / (terms.length + SMOOTHING);
    known.forms.set(term, (known.forms.get(term) ?? 0) + 1);
  }
}
