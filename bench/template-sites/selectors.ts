/**
 * A small part of CSS selectors, for elements of parse5: names, `.class`, `#id`, `[attribute=value]`, descendants, and
 * `:starts(text)`, which is not CSS: the text of the element starts with these words.
 */
import type { DefaultTreeAdapterTypes } from 'parse5';

export type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;

export type Selector = (element: Element) => boolean;

const PART = /([.#]?)([\w-]+)|\[([\w-]+)=([^\]]*)\]|:starts\(([^)]*)\)/gy;

/** The selector for a text such as `div.menu li` or `p:starts(See also)`. */
export function selectorOf(text: string): Selector {
  const compounds = text.match(/(?:\([^)]*\)|[^\s(])+/g)!.map(compoundOf);
  const last = compounds.pop()!;
  return (element) => last(element) && hasAncestors(element, compounds);
}

function hasAncestors(element: Element, compounds: readonly Selector[]): boolean {
  let missing = compounds.length;
  for (let at = element.parentNode; at && missing > 0; at = 'parentNode' in at ? at.parentNode : null) {
    if ('tagName' in at && compounds[missing - 1]!(at)) missing--;
  }
  return missing === 0;
}

function compoundOf(text: string): Selector {
  const parts = [...text.matchAll(PART)].map(([, sign, name, attribute, value, start]): Selector => {
    if (start !== undefined) return (element) => textOf(element).trimStart().startsWith(start);
    if (attribute !== undefined) return (element) => attributeOf(element, attribute) === value;
    if (sign === '.') return (element) => attributeOf(element, 'class')?.split(/\s+/).includes(name!) ?? false;
    if (sign === '#') return (element) => attributeOf(element, 'id') === name;
    return (element) => element.tagName === name;
  });
  return (element) => parts.every((part) => part(element));
}

export function attributeOf({ attrs }: Element, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
