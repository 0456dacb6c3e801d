/** Reads what is in the search index of a data folder, and makes a second index of the same copy to compare it with. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GivenOptions } from '../../../../src/core/options/options.ts';
import { type IndexSummary, startIndex } from '../../../../src/crawl/following/search/run-index.ts';
import { placeAt } from '../../../../src/crawl/place/crawl-place.ts';
import { linkKey } from '../../../../src/search/index/segment/keys.ts';
import { NOINDEX } from '../../../../src/search/index/segment/page-columns.ts';
import {
  DESCRIPTION_FROM,
  LINK_POSITIONS,
  MAX_POSITION,
  TEXT_FROM,
  TITLE_FROM,
  URL_FROM,
} from '../../../../src/search/index/segment/word-places.ts';
import { readIndex } from '../../../search/index/index-contents.ts';
import { dataFolder } from '../../stored-crawl.ts';

/** A page as the index has it: its words in lower case, in the order of the page. */
export interface IndexedPage {
  readonly urlId: number;
  readonly url: string;
  readonly title: string;
  readonly description: string;
  /** The words of each block. */
  readonly blocks: readonly string[];
  readonly links: readonly { readonly targetId: number; readonly text: string }[];
  readonly language: string;
  readonly fileType: string;
  readonly isNoindex: boolean;
  readonly depth: number;
  /** In whole seconds. */
  readonly fetchedAtMs: number;
  readonly changedAtMs: number | null;
}

/** The pages of the index by URL, in the order of their ids. */
export function indexedPages(dir: string): Map<string, IndexedPage> {
  const found = [...readIndex(dir).pages].map(([url, { facts, links, terms }]): IndexedPage => {
    const words = wordsByKind(terms);
    const inRange = (from: number, to: number) => runsOf(words.page, from, to);
    const texts = (link: number) => runsOf(words.links, link * LINK_POSITIONS, (link + 1) * LINK_POSITIONS).join(' ');
    return {
      ...{ urlId: facts.urlId, url, language: facts.language, fileType: facts.fileType, depth: facts.depth },
      title: inRange(TITLE_FROM, URL_FROM).join(' '),
      description: inRange(DESCRIPTION_FROM, TEXT_FROM).join(' '),
      blocks: inRange(TEXT_FROM, MAX_POSITION),
      links: links.map((targetId, link) => ({ targetId, text: texts(link) })),
      isNoindex: facts.flags === NOINDEX,
      fetchedAtMs: 1_000 * facts.fetched,
      changedAtMs: facts.changed === 0 ? null : 1_000 * facts.changed,
    };
  });
  return new Map(found.sort((a, b) => a.urlId - b.urlId).map((page) => [page.url, page]));
}

/** The terms of a page by their positions, and those of its links. */
function wordsByKind(terms: readonly string[]) {
  const words = { page: new Map<number, string>(), links: new Map<number, string>() };
  for (const line of terms) {
    const [key = '', , positions = ''] = line.split(' ');
    const kind = key.startsWith(linkKey('')) ? words.links : words.page;
    const term = key.startsWith(linkKey('')) ? key.slice(linkKey('').length) : key;
    for (const position of positions.split(',').map(Number)) {
      const other = kind.get(position);
      // A compound word stands at the position of its first part.
      kind.set(position, other === undefined ? term : [other, term].sort().join('/'));
    }
  }
  return words;
}

/** The words of a range, a text for each run of positions without a gap. */
function runsOf(words: ReadonlyMap<number, string>, from: number, to: number): string[] {
  const positions = [...words.keys()].filter((position) => position >= from && position < to).sort((a, b) => a - b);
  const runs: string[] = [];
  for (const [i, position] of positions.entries()) {
    const word = words.get(position)!;
    if (i > 0 && positions[i - 1] === position - 1) runs.push(`${runs.pop()} ${word}`);
    else runs.push(word);
  }
  return runs;
}

export function indexHere(dir: string, rebuild = false, given: GivenOptions = {}): Promise<IndexSummary> {
  return startIndex({ place: placeAt(dir), sources: [{ from: 'test', given }], rebuild }).summary;
}

/** What an index that is made now has of the copy. Nothing in the folder changes. */
export async function indexedAnew(t: { after(callback: () => void): void }, dir: string): Promise<Page[]> {
  const other = dataFolder(t);
  cpSync(dir, other, { recursive: true });
  for (const file of ['search.db', 'search.db-wal', 'search.db-shm', 'search.lock', 'search-notes.db']) {
    rmSync(join(other, file), { force: true });
  }
  await indexHere(other);
  return lasting(other);
}

/** What stays the same however late a page was indexed: the template, which decides about links, is learned. */
export type Page = Omit<IndexedPage, 'links'>;

export function lasting(dir: string): Page[] {
  return [...indexedPages(dir).values()].map(({ links: _, ...page }) => page);
}
