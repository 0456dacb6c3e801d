/**
 * Chooses the word that is most probably meant by a misspelt one. In: the word, and the words of the copy. Out: the
 * best candidates. What always holds: a candidate is a word of the copy, and it is close to the word as it was written.
 *
 * The score of a candidate is the logarithm of its number of pages minus the weighted cost of the edits. Scores of
 * different corrections of the same text can be compared.
 */
import { editCost, LOWEST_COST } from './edit-cost.ts';
import type { TermTable } from './term-table.ts';

/** How many units of the logarithm a cost of 1 is worth. */
const COST_WEIGHT = 7.5;
/**
 * The logarithm of the probability of a correct word that the copy does not have: for the word, and for each letter. A
 * candidate must be more probable. Long words are rarely close to another word by chance.
 */
const UNKNOWN_WORD = -1.5;
const UNKNOWN_LETTER = -2;
/** A single edit is always close, unless the word is very short. */
const SINGLE_EDIT = -4.5;
/** In larger copies, absolute numbers of pages are evidence enough. */
const MAX_DOCUMENTS = 10_000;
/** A higher cost is three edits without a reason. */
const HIGHEST_COST = 2.3;
const LETTERS_FOR_TWO_EDITS = 4;
/** Words in which a third edit is looked for, if two are not enough. */
const LETTERS_FOR_THREE_EDITS = 8;
const KEPT_CANDIDATES = 6;

/** Shorter words that the copy has are left alone: nearly every one is close to a frequent word. */
const SHORTEST_KNOWN = 5;
/** The score of a candidate, less the score of the known word, must exceed this. */
const KNOWN_MARGIN = -0.5;
const SHORT_KNOWN_MARGIN = 1;

export interface Candidate {
  readonly words: readonly string[];
  readonly score: number;
}

export function scoreOf(documents: number, cost: number): number {
  return Math.log(documents) - COST_WEIGHT * cost;
}

/** The lowest score of a suggestion with several edits for a word that a copy of so many pages does not have. */
export function lowestScore(word: string, documents: number): number {
  return Math.log(Math.min(documents, MAX_DOCUMENTS)) + UNKNOWN_WORD + UNKNOWN_LETTER * word.length;
}

/** The best candidates for a word that the copy does not have, the best first. */
export function candidatesFor(table: TermTable, word: string, lowest: number): Candidate[] {
  const found: Candidate[] = [];
  const collect = (maxEdits: number, sameFirstLetter: boolean): void =>
    table.visitNear(word, maxEdits, sameFirstLetter, ({ text, documents }, edits) => {
      const cost = editCost(word, text);
      const score = scoreOf(documents, cost);
      if (cost <= HIGHEST_COST && score > lowest + (edits === 1 ? SINGLE_EDIT : 0))
        found.push({ words: [text], score });
    });
  collect(word.length < LETTERS_FOR_TWO_EDITS ? 1 : 2, false);
  if (found.length === 0 && word.length >= LETTERS_FOR_THREE_EDITS) collect(3, true);
  return found.sort((a, b) => b.score - a.score).slice(0, KEPT_CANDIDATES);
}

/**
 * The word that is meant by a word of the copy, if that is itself an error on a few pages; otherwise null. A different
 * ending is no evidence, because it is usually another form of the word.
 */
export function correctionOfKnown(table: TermTable, word: string, documents: number): Candidate | null {
  let best: Candidate | null = null;
  const margin = word.length === SHORTEST_KNOWN ? SHORT_KNOWN_MARGIN : KNOWN_MARGIN;
  let least = Math.log(documents) + margin;
  table.visitNear(word, 1, true, (found) => {
    if (found.text === word || isOtherForm(word, found.text)) return;
    const score = scoreOf(found.documents, editCost(word, found.text));
    if (score <= least) return;
    least = score;
    best = { words: [found.text], score };
  });
  return best;
}

/** Whether any word of the copy could be so much more frequent that it is meant instead. Saves the search. */
export function mayBeError(word: string, documents: number, mostDocuments: number): boolean {
  return word.length >= SHORTEST_KNOWN && scoreOf(mostDocuments, LOWEST_COST) > Math.log(documents) + KNOWN_MARGIN;
}

function isOtherForm(a: string, b: string): boolean {
  const shared = Math.min(a.length, b.length) - 1;
  return a.slice(0, shared) === b.slice(0, shared);
}
