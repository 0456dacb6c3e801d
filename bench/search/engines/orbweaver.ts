/** Orbweaver as an engine of the search benchmark. */
import { mkdirSync } from 'node:fs';
import { IndexWriter } from '../../../src/search/index/index-writer.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import { SearchIndex } from '../../../src/search/search-index.ts';
import { type QueryKind, TOP } from '../choose-queries.ts';
import { type Answer, runEngine } from './serve.ts';

/** As many pages as a commit of the crawler has at most. */
const COMMIT_PAGES = 1_000;
/** As the crawler does it. */
const MERGE_MS = 1_000;
const FETCHED_MS = Date.UTC(2026, 0, 1);

await runEngine({
  index(documents, folder) {
    mkdirSync(folder, { recursive: true });
    const writer = IndexWriter.open(folder, 'bench');
    let longestMergeMs = 0;
    const commit = (): void => {
      writer.commit('1');
      for (let hasMore = true; hasMore; ) {
        const before = performance.now();
        hasMore = writer.merge(MERGE_MS);
        longestMergeMs = Math.max(longestMergeMs, performance.now() - before);
      }
    };
    for (const { id, url, title, text } of documents) {
      writer.add({
        urlId: id,
        url,
        title,
        description: '',
        blocks: [{ text, role: 'text' }],
        links: [],
        language: 'en',
        fileType: 'html',
        isNoindex: false,
        depth: 1,
        fetchedAtMs: FETCHED_MS,
        changedAtMs: null,
        pageRank: 0,
      });
      if (writer.waiting === COMMIT_PAGES) commit();
    }
    commit();
    writer.close();
    process.stderr.write(`longest call of merge: ${(longestMergeMs / 1_000).toFixed(1)} s\n`);
    const index = SearchIndex.open(folder)!;
    const { bytes } = index;
    index.close();
    return bytes;
  },
  open(folder): Answer {
    const index = SearchIndex.open(folder)!;
    return (kind, words) => index.search({ query: parseQuery(queryText(kind, words)).query, limit: TOP }).hits.length;
  },
});

function queryText(kind: QueryKind, words: readonly string[]): string {
  switch (kind) {
    case 'and':
      return words.join(' AND ');
    case 'or 4':
    case 'or 8':
      return words.join(' OR ');
    case 'phrase':
    case 'frequent phrase':
      return `"${words.join(' ')}"`;
    case 'near':
      return words.join(' NEAR/5 ');
    case 'prefix':
      return `${words[0]}*`;
    case 'intitle':
      return `intitle:${words[0]}`;
    case 'not':
      return `${words[0]} AND NOT ${words[1]}`;
    default:
      return words.join(' ');
  }
}
