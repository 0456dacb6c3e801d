/**
 * The words of an index in memory, in a form that can be looked through quickly. In: the terms of a vocabulary, in
 * order. Out: the words within a number of edits of a word, and the most frequent words with a prefix.
 *
 * What always holds: words of the same length stand in one list, in the order of code units. A word takes two bytes for
 * each letter, and eight more. If there are more words than the table may hold, words on few pages are left out.
 *
 * A search looks at every word of a similar length. The set of letters of a word is one number, and a comparison of two
 * numbers excludes nearly all words. This takes about 5 ms for a million words (bench/results/search-spelling.md). An
 * automaton or an index of deletions would save these, but needs more code or several times the memory.
 */
import { editsBetween } from './count-edits.ts';
import type { VocabularyTerm } from './vocabulary.ts';
import { isWord, LONGEST_WORD, SHORTEST_WORD } from './word-kind.ts';

/** With words of nine letters these are 26 MB. */
const MAX_WORDS = 1_000_000;
/** The share of the words that stays when the table is full. */
const KEPT_SHARE = 0.7;
const FIRST_CAPACITY = 64;
const GROWTH = 1.4;

export interface FoundWord {
  readonly text: string;
  /** Number of pages that have the word. */
  readonly documents: number;
}

/** All words of one length. */
interface WordList {
  readonly length: number;
  count: number;
  letters: Uint16Array;
  letterSets: Int32Array;
  documents: Uint32Array;
}

export class TermTable {
  readonly #lists: WordList[] = [];
  readonly #maxWords: number;
  #count = 0;
  #mostDocuments = 0;
  /** Words on fewer pages are left out. */
  #leastDocuments = 1;

  constructor(terms: Iterable<VocabularyTerm>, maxWords = MAX_WORDS) {
    this.#maxWords = maxWords;
    for (const { term, documents } of terms) {
      if (documents >= this.#leastDocuments && isWord(term)) this.#add(term, documents);
    }
  }

  get count(): number {
    return this.#count;
  }

  /** The number of pages that have the most frequent word. */
  get mostDocuments(): number {
    return this.#mostDocuments;
  }

  get bytes(): number {
    return this.#lists.reduce(
      (sum, list) => sum + list.letters.byteLength + list.letterSets.byteLength + list.documents.byteLength,
      0,
    );
  }

  /** Calls `visit` for each word that at most `maxEdits` edits make of `word`. */
  visitNear(
    word: string,
    maxEdits: number,
    sameFirstLetter: boolean,
    visit: (found: FoundWord, edits: number) => void,
  ): void {
    const codes = codesOf(word);
    const firstLetter = codes.subarray(0, 1);
    const wanted = letterSetOf(codes, 0, codes.length);
    const longest = Math.min(LONGEST_WORD, codes.length + maxEdits);
    for (let length = Math.max(SHORTEST_WORD, codes.length - maxEdits); length <= longest; length++) {
      const list = this.#lists[length];
      if (list === undefined) continue;
      // A letter that is left out or added changes the set by one letter, a replaced one by two.
      const maxDifference = 2 * maxEdits - Math.abs(length - codes.length);
      const { letters, letterSets, documents } = list;
      const end = sameFirstLetter ? firstAt(list, firstLetter, true) : list.count;
      for (let i = sameFirstLetter ? firstAt(list, firstLetter, false) : 0; i < end; i++) {
        if (bitCount(letterSets[i]! ^ wanted) > maxDifference) continue;
        const edits = editsBetween(codes, letters, i * length, length, maxEdits);
        if (edits <= maxEdits) visit({ text: textAt(list, i), documents: documents[i]! }, edits);
      }
    }
  }

  /** The most frequent words with a prefix, the most frequent first. */
  mostFrequent(prefix: string, limit: number): FoundWord[] {
    const best: FoundWord[] = [];
    const codes = codesOf(prefix);
    for (const list of this.#lists) {
      if (list === undefined || list.length < codes.length) continue;
      const end = firstAt(list, codes, true);
      for (let i = firstAt(list, codes, false); i < end; i++) {
        const documents = list.documents[i]!;
        if (best.length === limit && documents <= best[limit - 1]!.documents) continue;
        if (best.length === limit) best.pop();
        const place = best.findIndex((other) => other.documents < documents);
        best.splice(place === -1 ? best.length : place, 0, { text: textAt(list, i), documents });
      }
    }
    return best;
  }

  #add(term: string, documents: number): void {
    if (this.#count >= this.#maxWords) {
      this.#leaveOutRare();
      if (documents < this.#leastDocuments) return;
    }
    const { length } = term;
    this.#lists[length] ??= emptyList(length);
    const list = this.#lists[length];
    if (list.count === list.documents.length) resize(list, Math.ceil(list.count * GROWTH));
    const at = list.count * length;
    for (let i = 0; i < length; i++) list.letters[at + i] = term.charCodeAt(i);
    list.letterSets[list.count] = letterSetOf(list.letters, at, length);
    list.documents[list.count++] = documents;
    this.#count++;
    if (documents > this.#mostDocuments) this.#mostDocuments = documents;
  }

  /** Raises the least number of pages until enough words are left out. */
  #leaveOutRare(): void {
    while (this.#count > this.#maxWords * KEPT_SHARE) {
      this.#leastDocuments++;
      this.#count = 0;
      for (const list of this.#lists) {
        if (list === undefined) continue;
        keepFrequent(list, this.#leastDocuments);
        this.#count += list.count;
      }
    }
  }
}

function emptyList(length: number): WordList {
  return {
    length,
    count: 0,
    letters: new Uint16Array(FIRST_CAPACITY * length),
    letterSets: new Int32Array(FIRST_CAPACITY),
    documents: new Uint32Array(FIRST_CAPACITY),
  };
}

function resize(list: WordList, capacity: number): void {
  const { letters, letterSets, documents, length } = list;
  list.letters = new Uint16Array(capacity * length);
  list.letters.set(letters);
  list.letterSets = new Int32Array(capacity);
  list.letterSets.set(letterSets);
  list.documents = new Uint32Array(capacity);
  list.documents.set(documents);
}

function keepFrequent(list: WordList, leastDocuments: number): void {
  const { letters, letterSets, documents, length } = list;
  let kept = 0;
  for (let i = 0; i < list.count; i++) {
    if (documents[i]! < leastDocuments) continue;
    letters.copyWithin(kept * length, i * length, (i + 1) * length);
    letterSets[kept] = letterSets[i]!;
    documents[kept++] = documents[i]!;
  }
  list.count = kept;
}

/** The first word that is not before the prefix, or, with `isEnd`, the first word behind all words with the prefix. */
function firstAt({ letters, length, count }: WordList, prefix: Uint16Array, isEnd: boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let order = 0;
    for (let i = 0; i < prefix.length && order === 0; i++) order = letters[middle * length + i]! - prefix[i]!;
    if (order < 0 || (isEnd && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function textAt({ letters, length }: WordList, index: number): string {
  return String.fromCharCode(...letters.subarray(index * length, (index + 1) * length));
}

export function codesOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
}

/** One bit for each letter. Letters of a script that follow each other have different bits. */
function letterSetOf(codes: Uint16Array, from: number, length: number): number {
  let set = 0;
  for (let i = from; i < from + length; i++) set |= 1 << (codes[i]! & 31);
  return set;
}

function bitCount(bits: number): number {
  let sum = bits - ((bits >>> 1) & 0x55555555);
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
