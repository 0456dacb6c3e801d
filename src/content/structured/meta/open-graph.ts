/**
 * Reads Open Graph (ogp.me). In: the named values of a page. Out: one item for the page, or none.
 *
 * Properties keep their prefix (`og:title`). The parts of a structured property (`og:image:width`) are properties of
 * its value: an item whose value is the address. Each `og:image` begins a new value, and the parts that follow belong
 * to it (ogp.me, "Arrays"). `og:image:url` is the same as `og:image`.
 */
import type { PageTree } from '../../page-tree.ts';
import type { PageMarkup } from '../find-markup.ts';
import { readPrefixList } from '../prefix-list.ts';
import type { ReadingLimits } from '../reading-limits.ts';
import { addValue, draftItem, type ItemDraft, type StructuredItem } from '../structured-item.ts';
import type { MetaEntry } from './meta-entries.ts';

const PREFIXES = new Set('og article book profile music video product fb al business place restaurant'.split(' '));
const STRUCTURED = new Set('og:image og:video og:audio music:song music:album video:actor'.split(' '));
/** The parts that stand for the structured property itself. */
const OWN_VALUE = new Set(['url', 'secure_url']);

export function readOpenGraph(
  entries: readonly MetaEntry[],
  declared: ReadonlySet<string>,
  limits: ReadingLimits,
): StructuredItem[] {
  const item = draftItem('opengraph');
  const parts = new Map<string, ItemDraft>();
  let isEmpty = true;
  for (const { name, value, isLink } of entries) {
    if (isLink) continue;
    const prefix = name.slice(0, Math.max(0, name.indexOf(':'))).toLowerCase();
    if (!PREFIXES.has(prefix) && !declared.has(prefix)) continue;
    if (!limits.takeValue()) break;
    isEmpty = false;
    addEntry(item, parts, name.toLowerCase(), value);
  }
  if (isEmpty) return [];
  for (const property of parts.keys()) simplify(item, property);
  for (const type of item.properties['og:type'] ?? [])
    if (typeof type === 'string' && type !== '') item.types.push(type);
  return [item];
}

function addEntry(item: ItemDraft, parts: Map<string, ItemDraft>, name: string, value: string): void {
  const [prefix, local, ...rest] = name.split(':') as [string, string, ...string[]];
  const root = `${prefix}:${local}`;
  if (!STRUCTURED.has(root)) {
    addValue(item, name, value);
    return;
  }
  const part = rest.join(':');
  let current = parts.get(root);
  // A repeated address begins the next value, and so does the first part without an address before it.
  const isOwn = part === '' || (part === 'url' && current?.value !== value);
  if (current === undefined || (isOwn && current.value !== undefined)) {
    current = draftItem('opengraph');
    parts.set(root, current);
    addValue(item, root, current);
  }
  if (isOwn) current.value = value;
  else {
    if (OWN_VALUE.has(part)) current.value ??= value;
    addValue(current, part, value);
  }
}

/** A structured property without parts is a plain text. */
function simplify(item: ItemDraft, property: string): void {
  const values = item.properties[property] ?? [];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as StructuredItem;
    if (Object.keys(value.properties).length === 0) values[at] = value.value ?? '';
  }
}

/** The prefixes that a page declares for its own properties, in lower case. */
export function declaredPrefixes(tree: PageTree, { metas }: PageMarkup): ReadonlySet<string> {
  const declared = new Set<string>();
  if (metas.length === 0) return declared;
  // Only `<html>` and `<head>` declare prefixes for the metadata, and they come first.
  const last = metas[0] as number;
  for (let at = 0; at < last; at++) {
    const { name } = tree.nodes[at]!;
    if (name !== 'html' && name !== 'head') continue;
    for (const [prefix] of readPrefixList(tree.attribute(at, 'prefix'))) declared.add(prefix);
  }
  return declared;
}
