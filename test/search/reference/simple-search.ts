/** A text analysis that can be checked by eye, and small pages, for tests of the reference itself. */
import type { SearchPage } from '../../../src/search/search-page.ts';
import type { SeededRandom } from '../../../testbed/random.ts';
import type { ReferenceAnalysis } from './reference-page.ts';

const WORD = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;

/** Words of letters and digits in lower case. `near-duplicate` is near, duplicate, and nearduplicate at near. */
export const SIMPLE_ANALYSIS: ReferenceAnalysis = {
  analyzeText(text, firstPosition, onTerm) {
    let position = firstPosition;
    for (const word of text.toLowerCase().match(WORD) ?? []) {
      const parts = word.split('-');
      if (parts.length > 1) onTerm(parts.join(''), position);
      for (const part of parts) onTerm(part, position++);
    }
    return position;
  },
  analyzeQuery(text) {
    let ways: { terms: { term: string; offset: number }[]; length: number }[] = [{ terms: [], length: 0 }];
    for (const word of text.toLowerCase().match(WORD) ?? []) {
      const parts = word.split('-');
      const readings = parts.length > 1 ? [parts, [parts.join('')]] : [parts];
      ways = ways.flatMap(({ terms, length }) =>
        readings.map((reading) => ({
          terms: [...terms, ...reading.map((term, at) => ({ term, offset: length + at }))],
          length: length + reading.length,
        })),
      );
    }
    return ways.filter(({ terms }) => terms.length > 0);
  },
  /** Words with and without an s at the end are forms of one word. */
  formsOf(term) {
    const stem = term.replace(/s$/, '');
    return [stem, `${stem}s`];
  },
  urlText(url) {
    return url.replace(/^https?:\/\//, '');
  },
};

export function simplePage(urlId: number, parts: Partial<SearchPage> = {}): SearchPage {
  return {
    urlId,
    url: `http://host.example/${urlId}`,
    title: '',
    description: '',
    blocks: [],
    links: [],
    language: '',
    fileType: 'html',
    isNoindex: false,
    depth: 0,
    fetchedAtMs: 0,
    changedAtMs: null,
    pageRank: 0,
    ...parts,
  };
}

export function textPage(urlId: number, ...texts: readonly string[]): SearchPage {
  return simplePage(urlId, { blocks: texts.map((text) => ({ text, role: 'text' })) });
}

const LETTERS = 'etaoinshrdlu';

/** Pages of few short words, some of them frequent and some rare, so that every operator has something to find. */
export function randomPages(random: SeededRandom, count: number): SearchPage[] {
  const word = (): string =>
    LETTERS[Math.min(random.below(12), random.below(12))]! + (random.below(3) === 0 ? 's' : '');
  const text = (most: number): string =>
    Array.from({ length: random.below(most) }, word).join(random.below(9) ? ' ' : '-');
  return Array.from({ length: count }, (_, urlId) =>
    simplePage(urlId, {
      url: `http${random.below(2) ? 's' : ''}://${random.pick(['a.test', 'b.a.test', 'c.test:8080'])}/${text(3).replaceAll(' ', '_')}/${urlId}`,
      title: text(6),
      description: text(8),
      blocks: Array.from({ length: random.below(4) }, () => ({ text: text(12), role: 'text' as const })),
      links: Array.from({ length: random.below(3) }, () => ({ targetId: random.below(count), text: text(4) })),
      language: random.pick(['', 'en', 'de']),
      fileType: random.pick(['html', 'pdf']),
      depth: random.below(5),
      fetchedAtMs: random.below(50) * 3_600_000,
      changedAtMs: random.below(2) === 0 ? null : random.below(50) * 3_600_000,
    }),
  );
}
