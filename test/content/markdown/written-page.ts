/** Writes HTML of a test as Markdown or as text. */
import { type MarkdownOptions, writeMarkdown } from '../../../src/content/markdown/write-markdown.ts';
import { writeText } from '../../../src/content/markdown/write-text.ts';
import { PageTree } from '../../../src/content/page-tree.ts';
import { outlinePage } from '../../../src/page/outline/outline.ts';

export const PAGE_URL = 'https://site.example/docs/page.html';

export function treeOf(html: string): PageTree {
  return new PageTree(outlinePage(Buffer.from(html), 'text/html; charset=utf-8')!);
}

export function markdownOf(html: string, options?: MarkdownOptions): string {
  return writeMarkdown(treeOf(html), null, PAGE_URL, options).trimEnd();
}

export function textOf(html: string): string {
  return writeText(treeOf(html), null).trimEnd();
}
