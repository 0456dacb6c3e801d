/** Reads a page that a test writes. */
import { PageTree } from '../../../src/content/page-tree.ts';
import { readStructuredData, type StructuredData } from '../../../src/content/structured/structured-data.ts';
import type { StructuredItem } from '../../../src/content/structured/structured-item.ts';
import { outlinePage } from '../../../src/page/outline/outline.ts';

export function treeOf(html: string): PageTree {
  return new PageTree(outlinePage(Buffer.from(`<!doctype html>${html}`), 'text/html; charset=utf-8')!);
}

export function dataOf(html: string, url = 'https://example.com/dir/page'): StructuredData {
  // Items have no prototype. A copy through JSON can be compared with literals.
  return JSON.parse(JSON.stringify(readStructuredData(treeOf(html), url))) as StructuredData;
}

export function itemsOf(html: string): readonly StructuredItem[] {
  return dataOf(html).items;
}

export function scriptOf(json: string): string {
  return `<script type="application/ld+json">${json}</script>`;
}
