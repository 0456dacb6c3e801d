/**
 * Reads the pages of a crawl as the search index reads them. In: the folder of a crawl. Out: its searchable pages, with
 * templates, links and PageRank. The code is that of the program; only the index is left out.
 */
import { settleRulesOf } from '../../src/crawl/apply-rules.ts';
import { PageIndexer } from '../../src/crawl/following/search/page-indexer.ts';
import { placeAt } from '../../src/crawl/place/crawl-place.ts';
import { withStoreAt } from '../../src/crawl/place/open-store.ts';
import type { SearchPage } from '../../src/search/search-page.ts';

const IDS_AT_ONCE = 500;

export async function readCrawledPages(dir: string): Promise<SearchPage[]> {
  const place = placeAt(dir);
  const pages: SearchPage[] = [];
  await withStoreAt(place, async (store) => {
    const { options } = await settleRulesOf(store, []);
    const writer = { add: (page: SearchPage) => void pages.push(page), remove: () => {} };
    const signals = { begin: () => {}, end: () => {}, isStopping: false, isSharing: false };
    const indexer = new PageIndexer({ store, place, writer, options, signals });
    for (let after = 0; ; ) {
      const ids = (await store.urls(after, IDS_AT_ONCE)).map(({ id }) => id);
      if (ids.length === 0) break;
      await indexer.index(ids, new Set());
      after = ids.at(-1)!;
    }
  });
  return pages;
}
