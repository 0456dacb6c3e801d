/** What it means that an attribute of an element is another: it leads elsewhere, shows another image, or neither. */
import type { OutlineNode } from '../core/page-outline.ts';
import type { ChangeKind } from './page-change.ts';

/** Where an element leads to. */
const LINK_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'xlink:href'],
  area: ['href'],
  iframe: ['src'],
  frame: ['src'],
};

/** Which image an element shows; those that wait until they are scrolled to have it in `data-src`. */
const IMAGE_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  img: ['src', 'srcset', 'data-src', 'data-srcset'],
  source: ['src', 'srcset', 'data-srcset'],
  image: ['href', 'xlink:href'],
  input: ['src'],
  video: ['poster'],
};

/** The kinds of change from one element to another of the same name. */
export function attributeKinds(before: OutlineNode, after: OutlineNode): Set<ChangeKind> {
  const kinds = new Set<ChangeKind>();
  const was = valuesOf(before);
  const is = valuesOf(after);
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    if (was.get(name) !== is.get(name)) kinds.add(kindOf(after.name, name));
  }
  // Only their order, or one written twice.
  if (kinds.size === 0) kinds.add('attributes');
  return kinds;
}

/** The kinds of change that it is when an element comes or goes. */
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

/** Of one written twice the first counts. */
function valuesOf({ attributes }: OutlineNode): Map<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at < attributes.length; at += 2) {
    const name = attributes[at] as string;
    if (!values.has(name)) values.set(name, attributes[at + 1] as string);
  }
  return values;
}

/** The elements that show the image of this URL, as far as that can be told from how it is written. */
export function showsImage({ name, attributes }: OutlineNode, url: string): boolean {
  for (let at = 0; at < attributes.length; at += 2) {
    if (!isAmong(IMAGE_ATTRIBUTES, name, attributes[at] as string)) continue;
    const written = (attributes[at + 1] as string).replace(/^(?:\.{0,2}\/)+/, '');
    if (written !== '' && url.endsWith(written)) return true;
  }
  return false;
}
