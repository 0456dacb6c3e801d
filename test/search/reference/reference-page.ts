/** A page as words with positions, by the rules of the index. In: pages. Out: the same pages with analysed words. */
import type { SearchPage } from '../../../src/search/search-page.ts';

/** The text analysis that the index uses, or a simple one for a test. */
export interface ReferenceAnalysis {
  readonly analyzeText: (
    text: string,
    firstPosition: number,
    onTerm: (term: string, position: number) => void,
  ) => number;
  /** Each element is one way to match: terms at offsets from the first position. */
  readonly analyzeQuery: (
    text: string,
  ) => readonly { readonly terms: readonly { readonly term: string; readonly offset: number }[] }[];
  /** All forms in the index with the same stem, including the term itself. */
  readonly formsOf: (term: string) => readonly string[];
  /** The text whose words are the words of a URL. */
  readonly urlText: (url: string) => string;
}

/** The positions of one term, in rising order. */
export type TermPositions = ReadonlyMap<string, readonly number[]>;

export interface ReferencePage {
  readonly page: SearchPage;
  readonly terms: TermPositions;
  /** The terms of each link to this page, with positions in the text of the link. */
  readonly anchors: readonly TermPositions[];
  /** The ids of the URLs that the page links to. */
  readonly targets: ReadonlySet<number>;
}

/** Where the fields begin, and how many words they have at most. */
export const FIELD_STARTS = { title: 0, url: 128, description: 256, blocks: 512 } as const;
const MAX_WORDS = { title: 127, url: 127, description: 255, blocks: Number.POSITIVE_INFINITY } as const;

/** The field of a position. */
export function fieldAt(position: number): keyof typeof FIELD_STARTS {
  if (position >= FIELD_STARTS.blocks) return 'blocks';
  if (position >= FIELD_STARTS.description) return 'description';
  return position >= FIELD_STARTS.url ? 'url' : 'title';
}

export function readPages(pages: readonly SearchPage[], analysis: ReferenceAnalysis): ReferencePage[] {
  const anchors = new Map<number, TermPositions[]>();
  for (const { targetId, text } of pages.flatMap(({ links }) => links)) {
    const ofTarget = anchors.get(targetId) ?? [];
    anchors.set(targetId, [...ofTarget, readText([text], 0, Number.POSITIVE_INFINITY, analysis)]);
  }
  return pages.map((page) => ({
    page,
    terms: joinTerms([
      readText([page.title], FIELD_STARTS.title, MAX_WORDS.title, analysis),
      readText([analysis.urlText(page.url)], FIELD_STARTS.url, MAX_WORDS.url, analysis),
      readText([page.description], FIELD_STARTS.description, MAX_WORDS.description, analysis),
      readText(
        page.blocks.map(({ text }) => text),
        FIELD_STARTS.blocks,
        MAX_WORDS.blocks,
        analysis,
      ),
    ]),
    anchors: anchors.get(page.urlId) ?? [],
    targets: new Set(page.links.map(({ targetId }) => targetId)),
  }));
}

/** One position is left free between two texts. A text without words takes no position. */
function readText(
  texts: readonly string[],
  first: number,
  maxWords: number,
  { analyzeText }: ReferenceAnalysis,
): TermPositions {
  const terms = new Map<string, number[]>();
  let next = first;
  for (const text of texts) {
    const end = analyzeText(text, next, (term, position) => {
      if (position - first >= maxWords) return;
      const known = terms.get(term);
      if (known === undefined) terms.set(term, [position]);
      else known.push(position);
    });
    if (end > next) next = end + 1;
  }
  return terms;
}

function joinTerms(parts: readonly TermPositions[]): TermPositions {
  const joined = new Map<string, number[]>();
  for (const [term, positions] of parts.flatMap((part) => [...part])) {
    joined.set(term, [...(joined.get(term) ?? []), ...positions]);
  }
  return joined;
}
