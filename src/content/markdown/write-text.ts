/**
 * Writes a page as plain text for people and for search. In and out as in write-markdown.ts: the same content, without
 * markup. The cells of a table are separated by tabs.
 */
import { readNodes } from '../elements/page-nodes.ts';
import type { PageTree } from '../page-tree.ts';
import { PageWriter } from './page-writer.ts';
import { TextForm } from './text-form.ts';

export function writeText(tree: PageTree, kept: Uint8Array | null): string {
  return new PageWriter(readNodes(tree, kept), new TextForm(' ')).writePage();
}
