/** The named values in the head of a page: `<meta name content>`, `<meta property content>` and `<link rel href>`. */
import type { PageTree } from '../../page-tree.ts';
import type { PageMarkup } from '../find-markup.ts';
import type { ReadingLimits } from '../reading-limits.ts';
import { splitWords } from '../structured-item.ts';

export interface MetaEntry {
  /** As written, without surrounding spaces. */
  readonly name: string;
  readonly value: string;
  readonly isLink: boolean;
}

/**
 * An element may have several names: a list in `property` (RDFa), and `name` beside it. Elements without a content are
 * left out, because an empty value says nothing.
 */
export function readMetaEntries(tree: PageTree, { metas, links }: PageMarkup, limits: ReadingLimits): MetaEntry[] {
  const entries: MetaEntry[] = [];
  const add = (name: string, value: string, isLink: boolean) => {
    entries.push({ name, value: limits.takeText(value), isLink });
  };
  for (const node of metas) {
    const value = tree.attribute(node, 'content') ?? tree.attribute(node, 'value');
    if (value === null) continue;
    const properties = splitWords(tree.attribute(node, 'property'));
    const name = tree.attribute(node, 'name')?.trim() ?? '';
    for (const property of properties) add(property, value, false);
    if (name !== '' && !properties.includes(name)) add(name, value, false);
  }
  for (const node of links) {
    const value = tree.attribute(node, 'href');
    if (value === null) continue;
    for (const name of splitWords(tree.attribute(node, 'rel'))) add(name, value, true);
  }
  return entries;
}
