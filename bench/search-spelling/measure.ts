/** Measures corrections and completions on a copy. In: its pages. Out: shares of right answers. */
import { editsBetween } from '../../src/search/spelling/count-edits.ts';
import { Spelling } from '../../src/search/spelling/spelling.ts';
import { codesOf } from '../../src/search/spelling/term-table.ts';
import type { Vocabulary } from '../../src/search/spelling/vocabulary.ts';
import { randomBelow, seededRandom } from '../../testbed/random.ts';
import {
  choose,
  DICTIONARIES,
  type Half,
  halfOf,
  type Language,
  type SpellingCase,
  typingErrors,
  wordsOf,
} from './cases.ts';
import type { PageVocabulary } from './page-vocabulary.ts';
import type { PageTerms } from './read-words.ts';
import type { KeyboardName } from './typing-errors.ts';

export interface Copy {
  readonly name: string;
  readonly pages: readonly PageTerms[];
  readonly vocabulary: PageVocabulary;
}

export interface SpellingLists {
  readonly misspellings: readonly SpellingCase[];
  readonly dictionaries: ReadonlyMap<Language, ReadonlySet<string>>;
}

/** How close suggestions are that are not right. */
export interface Closeness {
  readonly copy: string;
  readonly oneEdit: number;
  readonly twoEdits: number;
  readonly threeEdits: number;
  /** A missing space. */
  readonly split: number;
}

export interface SpellingRow {
  readonly copy: string;
  readonly cases: string;
  readonly count: number;
  /** Shares of the cases. */
  readonly right: number;
  readonly none: number;
}

const CASES = 2_000;
const COMPLETED = 300;
const LEAST_CASES = 500;
const SHORTEST_TYPED = 4;
const LATIN_WORD = /^[a-z]{3,15}$/;
const KEYBOARDS: Readonly<Record<Language, KeyboardName>> = {
  English: 'qwerty',
  German: 'qwertz',
  French: 'azerty',
  Spanish: 'qwerty',
};

export function measureCopy({ name: copy, pages, vocabulary }: Copy, lists: SpellingLists): SpellingRow[] {
  const plain = new Spelling(withoutPairs(vocabulary));
  const paired = new Spelling(vocabulary);
  const rows: SpellingRow[] = [];
  const add = (cases: string, all: readonly SpellingCase[], spelling = plain): void => {
    if (all.length < LEAST_CASES && !cases.includes('that the copy has')) return;
    rows.push({ copy, cases, ...countAnswers(spelling, all) });
  };
  const inCopy = lists.misspellings.filter(({ meant }) => vocabulary.documentsOf(meant) > 0);
  for (const half of ['open', 'held-out'] as const satisfies Half[]) {
    const errors = halfOf(inCopy, half);
    const chosen = choose(errors, CASES, ({ written }) => written);
    add(`misspellings, ${half} half`, chosen);
    add('the same, with pairs of words', chosen, paired);
    add(
      `misspellings that the copy has, ${half} half`,
      errors.filter(({ written }) => vocabulary.documentsOf(written) > 0),
    );
    add(`three words of a page, one misspelt, ${half} half`, inText(pages, vocabulary, errors));
    add('the same, with pairs of words', inText(pages, vocabulary, errors), paired);
  }
  for (const language of Object.keys(DICTIONARIES) as Language[]) {
    const words = wordsOf(vocabulary, lists.dictionaries.get(language)!, true).filter(
      (word) => word.length >= SHORTEST_TYPED,
    );
    const errors = typingErrors(words, KEYBOARDS[language], CASES);
    add(
      `errors of typing, ${language}`,
      errors.filter(({ written }) => vocabulary.documentsOf(written) === 0),
    );
  }
  const split = joinedWords(pages, vocabulary);
  add('two words without the space', split);
  add('the same, with pairs of words', split, paired);
  const everyDictionary = new Set([...lists.dictionaries.values()].flatMap((words) => [...words]));
  const correct = (words: string[]) =>
    choose(words, CASES, (word) => word).map((word): SpellingCase => ({ written: word, meant: word }));
  add('correct words of the copy', correct(wordsOf(vocabulary, everyDictionary, true)));
  const unknown = correct(wordsOf(vocabulary, lists.dictionaries.get('English')!, false));
  add('correct words that the copy does not have', unknown);
  return rows;
}

/** The shares of the correct words, unknown to the copy, that get a suggestion with so many edits. */
export function measureCloseness({ name: copy, vocabulary }: Copy, lists: SpellingLists): Closeness {
  const spelling = new Spelling(withoutPairs(vocabulary));
  const words = choose(wordsOf(vocabulary, lists.dictionaries.get('English')!, false), CASES, (word) => word);
  const counts = [0, 0, 0, 0];
  for (const word of words) {
    const answer = spelling.suggest([word])?.words;
    if (answer === undefined) continue;
    const letters = codesOf(answer[0]!);
    const edits = answer.length > 1 ? 0 : editsBetween(codesOf(word), letters, 0, letters.length, counts.length - 1);
    counts[edits]!++;
  }
  const [split, oneEdit, twoEdits, threeEdits] = counts.map((each) => each / words.length) as Four;
  return { copy, oneEdit, twoEdits, threeEdits, split };
}
type Four = [number, number, number, number];

function countAnswers(spelling: Spelling, cases: readonly SpellingCase[]): Omit<SpellingRow, 'copy' | 'cases'> {
  let right = 0;
  let none = 0;
  for (const { written, meant } of cases) {
    const answer = spelling.suggest(written.split(' '));
    if (answer === null) none++;
    else if (answer.words.join(' ') === meant) right++;
  }
  return { count: cases.length, right: right / cases.length, none: none / cases.length };
}

function withoutPairs(vocabulary: PageVocabulary): Vocabulary {
  return {
    documents: vocabulary.documents,
    documentsOf: (term) => vocabulary.documentsOf(term),
    startingWith: (prefix, limit) => vocabulary.startingWith(prefix, limit),
    all: () => vocabulary.all(),
  };
}

/** Places in the pages, so that frequent words are taken often. */
function* placesIn(pages: readonly PageTerms[], seed: number): Generator<readonly [string, string, string]> {
  const random = seededRandom(seed);
  for (;;) {
    const { terms } = pages[randomBelow(random, pages.length)]!;
    if (terms.length < 3) continue;
    const at = randomBelow(random, terms.length - 2);
    yield [terms[at]!, terms[at + 1]!, terms[at + 2]!];
  }
}

/** Three words that follow each other on a page, the middle one misspelt. */
function inText(
  pages: readonly PageTerms[],
  vocabulary: PageVocabulary,
  errors: readonly SpellingCase[],
): SpellingCase[] {
  const writtenFor = Map.groupBy(
    errors.filter(({ written }) => vocabulary.documentsOf(written) === 0),
    ({ meant }) => meant,
  );
  const random = seededRandom(5);
  const cases: SpellingCase[] = [];
  for (const [before, meant, after] of placesIn(pages, 6)) {
    const choices = writtenFor.get(meant);
    if (choices === undefined) continue;
    const { written } = choices[randomBelow(random, choices.length)]!;
    cases.push({ written: `${before} ${written} ${after}`, meant: `${before} ${meant} ${after}` });
    if (cases.length === CASES) break;
  }
  return cases;
}

function joinedWords(pages: readonly PageTerms[], vocabulary: PageVocabulary): SpellingCase[] {
  const cases = new Map<string, SpellingCase>();
  for (const [first, second] of placesIn(pages, 7)) {
    const written = first + second;
    if (!LATIN_WORD.test(first) || !LATIN_WORD.test(second) || vocabulary.documentsOf(written) > 0) continue;
    cases.set(written, { written, meant: `${first} ${second}` });
    if (cases.size === CASES / 2) break;
  }
  return [...cases.values()];
}

export interface CompletionRow {
  readonly copy: string;
  readonly letters: number;
  /** Shares of the words that are among the first three and the first ten completions. */
  readonly three: number;
  readonly ten: number;
  readonly threeWithPairs: number;
  readonly tenWithPairs: number;
}

/** Words of pages, of which the first letters are typed. */
export function measureCompletions({ name: copy, pages, vocabulary }: Copy): CompletionRow[] {
  const plain = new Spelling(withoutPairs(vocabulary));
  const paired = new Spelling(vocabulary);
  const places: (readonly [string, string])[] = [];
  for (const [before, word] of placesIn(pages, 8)) {
    if (LATIN_WORD.test(word) && word.length > 4) places.push([before, word]);
    if (places.length === COMPLETED) break;
  }
  const placeOf = (spelling: Spelling, letters: number): number[] =>
    places.map(([before, word]) => spelling.complete(word.slice(0, letters), before).indexOf(word));
  const shareBelow = (found: number[], limit: number): number =>
    found.filter((place) => place !== -1 && place < limit).length / found.length;
  return [1, 2, 3, 4].map((letters) => {
    const [alone, withPairs] = [placeOf(plain, letters), placeOf(paired, letters)];
    return {
      copy,
      letters,
      three: shareBelow(alone, 3),
      ten: shareBelow(alone, 10),
      threeWithPairs: shareBelow(withPairs, 3),
      tenWithPairs: shareBelow(withPairs, 10),
    };
  });
}
