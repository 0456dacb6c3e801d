/** Everything that an index says of its live pages, in a form that does not depend on its segments. */
import assert from 'node:assert/strict';
import { IndexDatabase } from '../../../src/search/index/index-database.ts';
import { isFormsKey } from '../../../src/search/index/segment/keys.ts';
import type { PageFacts } from '../../../src/search/index/segment/page-columns.ts';

export interface PageContents {
  readonly facts: Omit<PageFacts, 'linksAt' | 'urlAt'>;
  /** The ids of the URLs that the page links to. */
  readonly links: number[];
  /** For each key: the key, the code of its weight, and its positions with commas between them. */
  readonly terms: string[];
}

export interface IndexContents {
  /** By URL: the facts of its page, its links, and its terms with weights and positions. */
  readonly pages: ReadonlyMap<string, PageContents>;
  /** By key of a stem: its forms. */
  readonly stems: ReadonlyMap<string, readonly string[]>;
  readonly segments: number;
}

export function readIndex(dir: string): IndexContents {
  const database = IndexDatabase.openForReading(dir)!;
  const pages = new Map<string, PageContents>();
  const stems = new Map<string, string[]>();
  const rows = database.segments();
  for (const row of rows) {
    const segment = database.open(row);
    for (let page = 0; page < segment.pages; page++) {
      if (row.dead.has(page)) continue;
      const { linksAt: _, urlAt: __, ...facts } = segment.columns.factsOf(page);
      pages.set(segment.urlOf(page), { facts, links: segment.linkTargets(page), terms: [] });
    }
    for (const found of segment.dictionary.from('')) {
      if (isFormsKey(found.key)) {
        stems.set(found.key, [...(stems.get(found.key) ?? []), ...segment.formsIn(found)]);
        continue;
      }
      const list = segment.pageList(found);
      const cursor = segment.positions(found, list);
      const { pages: having, weights } = list.all();
      for (const [i, page] of having.entries()) {
        assert.ok(cursor.seek(page));
        const line = `${found.key} ${weights[i]} ${cursor.positions.subarray(cursor.from, cursor.to).join(',')}`;
        if (!row.dead.has(page)) pages.get(segment.urlOf(page))!.terms.push(line);
      }
    }
  }
  database.close();
  const sorted = [...stems].map(([key, forms]) => [key, [...new Set(forms)].sort()] as const);
  return { pages, stems: new Map(sorted), segments: rows.length };
}
