/**
 * The contenders of Orbweaver's search, over the same pages: plain BM25 with stemming, and FTS5 of SQLite. In: the
 * pages and all queries. Out: for each query, the pages in the order of their scores.
 *
 * What always holds: both read the title and the whole text of a page, without any difference between them. Plain BM25
 * has the same words and stems as Orbweaver, so that only the ranking differs.
 */
import { DatabaseSync } from 'node:sqlite';
import { analyzeText, stemOf } from '../../src/search/analysis/analyze.ts';
import type { SearchPage } from '../../src/search/search-page.ts';

/** The ids of pages, the best first. */
export type Rank = (query: string) => readonly number[];

const MOST_RESULTS = 1_000;
const K1 = 1.2;
const B = 0.75;

interface CountedPage {
  readonly id: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Counts only the words of the queries. */
export function plainBm25(pages: readonly SearchPage[], queries: readonly string[]): Rank {
  const wanted = new Set(queries.flatMap((query) => [...stemsOf(query)]));
  const having = new Map<string, CountedPage[]>();
  let words = 0;
  for (const page of pages) {
    const counts = new Map<string, number>();
    const stems = stemsOf(wholeText(page));
    for (const stem of stems) if (wanted.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    const counted = { id: page.urlId, counts, length: stems.length };
    for (const stem of counts.keys()) {
      const known = having.get(stem);
      if (known === undefined) having.set(stem, [counted]);
      else known.push(counted);
    }
    words += stems.length;
  }
  const average = words / pages.length;
  return (query) => {
    const scores = new Map<number, number>();
    for (const stem of new Set(stemsOf(query))) {
      const found = having.get(stem) ?? [];
      const rarity = Math.log(1 + (pages.length - found.length + 0.5) / (found.length + 0.5));
      for (const { id, counts, length } of found) {
        const count = counts.get(stem)!;
        const gain = (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
        scores.set(id, (scores.get(id) ?? 0) + gain);
      }
    }
    const ranked = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return ranked.slice(0, MOST_RESULTS).map(([id]) => id);
  };
}

/** With Porter's stemmer. Each word of the query is quoted, and one of them is enough. */
export function fts5(pages: readonly SearchPage[]): Rank {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE VIRTUAL TABLE page USING fts5(title, text, tokenize = 'porter unicode61', detail = 'full')`);
  const insert = database.prepare('INSERT INTO page (rowid, title, text) VALUES (?, ?, ?)');
  for (const page of pages) insert.run(page.urlId, page.title, textOfBlocks(page));
  const select = database.prepare(
    `SELECT rowid AS id FROM page WHERE page MATCH ? ORDER BY rank, rowid LIMIT ${MOST_RESULTS}`,
  );
  return (query) => {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length === 0) return [];
    return select.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ id }) => Number(id));
  };
}

function stemsOf(text: string): string[] {
  const stems: string[] = [];
  analyzeText(text, 0, (word) => void stems.push(stemOf(word, 'en') ?? word));
  return stems;
}

function wholeText(page: SearchPage): string {
  return `${page.title}\n${textOfBlocks(page)}`;
}

function textOfBlocks({ blocks }: SearchPage): string {
  return blocks.map(({ text }) => text).join('\n');
}
