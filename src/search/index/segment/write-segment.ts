/**
 * Writes the pages of a buffer as a segment. In: the words in the order of the pages. Out: the sections of a segment.
 * The words are sorted by term with a counting sort, which keeps their order within a term.
 */
import { foldTerm, stemOf } from '../../analysis/analyze.ts';
import { linkKey, spellingKey, stemKey } from './keys.ts';
import type { PageBuffer, WordList } from './page-buffer.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { SegmentDraft } from './segment-draft.ts';
import { IN_TITLE, PLACE_BITS, PLACES, WEIGHT_OF_CODE, weightByte } from './word-places.ts';

const PLACE_MASK = (1 << PLACE_BITS) - 1;
const TITLE = PLACES.indexOf('title');

export function writeSegment(buffer: PageBuffer, draft: SegmentDraft): void {
  // The keys of links come before those of forms, and these before terms.
  const postings = new PostingsWriter(buffer.pages);
  writeWords(buffer.linkWords, buffer.linkWordEnds, (term) => draft.addPostings(linkKey(term), postings), postings);
  writeForms(buffer, draft);
  writeWords(buffer.words, buffer.wordEnds, (term) => draft.addPostings(term, postings), postings);
  buffer.columns.write(draft.sections.columns);
  draft.sections.links.append(buffer.links.written);
  draft.sections.urls.append(buffer.urls.written);
  draft.end(buffer.pages, languagesOf(buffer));
}

function languagesOf({ languages }: PageBuffer): string[] {
  return languages.filter((language) => language !== '');
}

/** Writes the list of each term, in the order of the terms. */
function writeWords(
  list: WordList,
  ends: readonly number[],
  onList: (term: string) => void,
  postings: PostingsWriter,
): void {
  const { terms, words, places, count } = list;
  const starts = new Uint32Array(terms.length + 1);
  for (let i = 0; i < count; i++) (starts[(words[i] as number) + 1] as number)++;
  for (let term = 0; term < terms.length; term++) (starts[term + 1] as number) += starts[term] as number;
  const next = starts.slice();
  const sorted = new Int32Array(count);
  const pageOf = new Uint32Array(count);
  let word = 0;
  for (let page = 0; page < ends.length; page++) {
    for (const end = ends[page]!; word < end; word++) {
      const at = (next[words[word] as number] as number)++;
      sorted[at] = places[word] as number;
      pageOf[at] = page;
    }
  }
  for (const number of sortedTerms(terms)) {
    postings.begin();
    let from = starts[number] as number;
    const end = starts[number + 1] as number;
    while (from < end) {
      const page = pageOf[from] as number;
      let to = from;
      let weight = 0;
      let flag = 0;
      for (; to < end && pageOf[to] === page; to++) {
        const place = (sorted[to] as number) & PLACE_MASK;
        weight += WEIGHT_OF_CODE[place] as number;
        if (place === TITLE) flag = IN_TITLE;
      }
      postings.start(page, weightByte(weight) | flag, (sorted[from] as number) >>> PLACE_BITS);
      while (++from < to) postings.addPosition((sorted[from] as number) >>> PLACE_BITS);
    }
    postings.end();
    onList(terms[number]!);
  }
}

/** The numbers of the terms, in the order of the terms. A term that has no UTF-8 cannot be stored. */
function sortedTerms(terms: readonly string[]): number[] {
  const numbers = terms.map((_, number) => number).filter((number) => terms[number]!.isWellFormed());
  return numbers.sort((a, b) => (terms[a]! < terms[b]! ? -1 : 1));
}

/**
 * Writes which terms have a stem in common, for each language of the pages, and which have a spelling without accents
 * in common. A term that is its own stem needs no row.
 */
function writeForms({ words, linkWords, languages }: PageBuffer, draft: SegmentDraft): void {
  const forms = new Map<string, Set<string>>();
  const add = (key: string, term: string): void => {
    const known = forms.get(key);
    if (known === undefined) forms.set(key, new Set([term]));
    else known.add(term);
  };
  for (const list of [words, linkWords]) {
    for (const [number, term] of list.terms.entries()) {
      if (!term.isWellFormed()) continue;
      for (const spelling of foldTerm(term)) add(spellingKey(spelling), term);
      const bits = list.languages[number] as number;
      for (let index = 1; index < languages.length; index++) {
        if ((bits & (1 << index)) === 0) continue;
        const stem = stemOf(term, languages[index]!);
        if (stem !== null && stem !== term) add(stemKey(languages[index]!, stem), term);
      }
    }
  }
  for (const key of [...forms.keys()].sort()) draft.addForms(key, [...forms.get(key)!].sort());
}
