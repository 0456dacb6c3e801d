/** Classifies a changed attribute of an element: a link target changed, an image changed, or neither. */
import type { OutlineNode } from '../core/page-outline.ts';
import type { ChangeKind } from './page-change.ts';

/** Attributes with the link target of an element. */
const LINK_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'xlink:href'],
  area: ['href'],
  iframe: ['src'],
  frame: ['src'],
};

/** Attributes with the image of an element. Images that load when the reader scrolls to them use `data-src`. */
const IMAGE_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  img: ['src', 'srcset', 'data-src', 'data-srcset'],
  source: ['src', 'srcset', 'data-srcset'],
  image: ['href', 'xlink:href'],
  input: ['src'],
  video: ['poster'],
};

/** The kinds of change between two elements of the same name. */
export function attributeKinds(before: OutlineNode, after: OutlineNode): Set<ChangeKind> {
  const kinds = new Set<ChangeKind>();
  const was = valuesOf(before);
  const is = valuesOf(after);
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    if (was.get(name) !== is.get(name)) kinds.add(kindOf(after.name, name));
  }
  // Only the order of the attributes changed, or an attribute is written twice.
  if (kinds.size === 0) kinds.add('attributes');
  return kinds;
}

/** The kinds of change if an element is added or removed. */
export function elementKinds(node: OutlineNode): Set<ChangeKind> {
  const kinds = new Set<ChangeKind>(['structure']);
  for (let at = 0; at < node.attributes.length; at += 2) {
    const kind = kindOf(node.name, node.attributes[at] as string);
    if (kind !== 'attributes') kinds.add(kind);
  }
  return kinds;
}

function kindOf(element: string, attribute: string): ChangeKind {
  if (isAmong(LINK_ATTRIBUTES, element, attribute)) return 'links';
  return isAmong(IMAGE_ATTRIBUTES, element, attribute) ? 'images' : 'attributes';
}

function isAmong(table: Readonly<Record<string, readonly string[]>>, element: string, attribute: string): boolean {
  return Object.hasOwn(table, element) && (table[element] as readonly string[]).includes(attribute);
}

/** If an attribute is written twice, the first value counts. */
function valuesOf({ attributes }: OutlineNode): Map<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at < attributes.length; at += 2) {
    const name = attributes[at] as string;
    if (!values.has(name)) values.set(name, attributes[at + 1] as string);
  }
  return values;
}

/** Whether an element shows the image with this URL, judged by the end of the written URL. */
export function showsImage({ name, attributes }: OutlineNode, url: string): boolean {
  for (let at = 0; at < attributes.length; at += 2) {
    if (!isAmong(IMAGE_ATTRIBUTES, name, attributes[at] as string)) continue;
    const written = (attributes[at + 1] as string).replace(/^(?:\.{0,2}\/)+/, '');
    if (written !== '' && url.endsWith(written)) return true;
  }
  return false;
}
