/** Reads what is in the search index of a data folder, and makes a second index of the same copy to compare it with. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { GivenOptions } from '../../../../src/core/options/options.ts';
import { type IndexSummary, startIndex } from '../../../../src/crawl/following/search/run-index.ts';
import { placeAt } from '../../../../src/crawl/place/crawl-place.ts';
import type { SearchPage } from '../../../../src/search/search-page.ts';
import { dataFolder } from '../../stored-crawl.ts';

/** The pages of the index by URL, in the order of their ids. */
export function indexedPages(dir: string): Map<string, SearchPage> {
  const db = new DatabaseSync(join(dir, 'search.db'), { readOnly: true });
  try {
    const rows = db.prepare('SELECT page FROM pages ORDER BY url_id').all() as { page: string }[];
    return new Map(rows.map(({ page }) => JSON.parse(page) as SearchPage).map((page) => [page.url, page]));
  } finally {
    db.close();
  }
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

/** What stays the same however late a page was indexed: template and ranks are learned during a crawl. */
export type Page = Omit<SearchPage, 'blocks' | 'links' | 'pageRank'> & { readonly texts: readonly string[] };

export function lasting(dir: string): Page[] {
  return [...indexedPages(dir).values()].map(({ blocks, links, pageRank, ...page }) => ({
    ...page,
    texts: blocks.map(({ text }) => text),
  }));
}
