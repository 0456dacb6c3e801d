/**
 * Reads microdata (HTML standard, section 5). In: the elements with `itemscope` and `itemprop`. Out: the items that are
 * no value of another item.
 *
 * What always holds: cycles of `itemref` end, and an item that several others refer to is a value of each of them, as
 * long as the limits of the page allow it.
 */
import type { MarkedPage } from './marked-page.ts';
import {
  addValue,
  draftItem,
  hasProperties,
  type ItemDraft,
  type StructuredItem,
  type StructuredValue,
  shortenName,
  splitWords,
} from './structured-item.ts';
import { subtreeText } from './subtree-text.ts';

/** The attribute that holds the value of a property (section 5.2.4). */
const VALUE_ATTRIBUTES: Readonly<Record<string, { readonly attribute: string; readonly isUrl?: true }>> = {
  meta: { attribute: 'content' },
  audio: { attribute: 'src', isUrl: true },
  embed: { attribute: 'src', isUrl: true },
  iframe: { attribute: 'src', isUrl: true },
  img: { attribute: 'src', isUrl: true },
  source: { attribute: 'src', isUrl: true },
  track: { attribute: 'src', isUrl: true },
  video: { attribute: 'src', isUrl: true },
  a: { attribute: 'href', isUrl: true },
  area: { attribute: 'href', isUrl: true },
  link: { attribute: 'href', isUrl: true },
  object: { attribute: 'data', isUrl: true },
  data: { attribute: 'value' },
  meter: { attribute: 'value' },
  time: { attribute: 'datetime' },
};
const MAX_TYPES = 20;

export function readMicrodata(page: MarkedPage): StructuredItem[] {
  return page.markup.itemScopes.length === 0 ? [] : new MicrodataReader(page).read();
}

class MicrodataReader {
  readonly #page: MarkedPage;
  /** The items on the way from the outermost item to this one. */
  readonly #path = new Set<number>();
  /** The items that are values of other items. */
  readonly #nested = new Set<number>();
  #ids: Map<string, number> | null = null;

  constructor(page: MarkedPage) {
    this.#page = page;
  }

  read(): StructuredItem[] {
    const { tree, markup } = this.#page;
    const found = new Map<number, StructuredItem>();
    const readOutermost = (node: number): void => {
      const item = this.#item(node);
      if (item !== null) found.set(node, item);
    };
    for (const node of markup.itemScopes) if (tree.attribute(node, 'itemprop') === null) readOutermost(node);
    // A property of no item is still an item: templates copy `itemprop` along.
    for (const node of markup.itemScopes) if (!found.has(node) && !this.#nested.has(node)) readOutermost(node);
    return [...found].sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  #item(node: number): ItemDraft | null {
    const { tree, address, limits } = this.#page;
    if (!limits.allowsNesting(this.#path.size) || !limits.takeValue()) return null;
    const item = draftItem(
      'microdata',
      splitWords(tree.attribute(node, 'itemtype')).slice(0, MAX_TYPES).map(shortenName),
    );
    const id = tree.attribute(node, 'itemid');
    if (id !== null && id.trim() !== '') item.id = address.resolve(id);
    this.#path.add(node);
    for (const property of this.#properties(node)) {
      const value = this.#value(property);
      if (value === null) continue;
      for (const name of splitWords(tree.attribute(property, 'itemprop'))) {
        if (!limits.takeValue()) break;
        addValue(item, shortenName(name), typeof value === 'string' ? limits.takeText(value) : value);
      }
    }
    this.#path.delete(node);
    if (!hasProperties(item)) {
      const value = this.#plainValue(node);
      if (typeof value === 'string' && value !== '') item.value = value;
    }
    return item;
  }

  /** The elements that are properties of an item, in document order (section 5.2.5). */
  #properties(root: number): number[] {
    const { tree } = this.#page;
    const properties = new Set<number>();
    this.#collect(root + 1, tree.end(root), properties);
    const references = splitWords(tree.attribute(root, 'itemref'));
    if (references.length === 0) return [...properties];
    for (const reference of references) {
      const node = this.#find(reference);
      if (node !== undefined && node !== root) this.#collect(node, tree.end(node), properties);
    }
    properties.delete(root);
    return [...properties].sort((a, b) => a - b);
  }

  /** Collects the properties between two nodes, without those of items in between. */
  #collect(from: number, end: number, properties: Set<number>): void {
    const { tree, markup, limits } = this.#page;
    if (!limits.takeSteps(1)) return;
    const { itemScopes, itemProps } = markup;
    let property = firstFrom(itemProps, from);
    let scope = firstFrom(itemScopes, from);
    let hiddenUntil = from;
    const started = property + scope;
    while (property < itemProps.length && (itemProps[property] as number) < end) {
      const node = itemProps[property] as number;
      // The items that begin before the property hide it if they contain it.
      while (scope < itemScopes.length && (itemScopes[scope] as number) < node) {
        const hiding = itemScopes[scope++] as number;
        if (hiding >= hiddenUntil) hiddenUntil = tree.end(hiding);
      }
      if (node >= hiddenUntil) {
        properties.add(node);
        property++;
      } else property = Math.max(property + 1, firstFrom(itemProps, hiddenUntil));
    }
    limits.takeSteps(property + scope - started);
  }

  #find(id: string): number | undefined {
    const { tree } = this.#page;
    if (this.#ids === null) {
      this.#ids = new Map();
      for (let at = 0; at < tree.nodes.length; at++) {
        const own = tree.attribute(at, 'id');
        if (own !== null && !this.#ids.has(own)) this.#ids.set(own, at);
      }
    }
    return this.#ids.get(id);
  }

  #value(node: number): StructuredValue | null {
    if (this.#page.tree.attribute(node, 'itemscope') === null) return this.#plainValue(node);
    this.#nested.add(node);
    return this.#path.has(node) ? null : this.#item(node);
  }

  #plainValue(node: number): StructuredValue {
    const { tree, address, limits } = this.#page;
    if (limits.textLeft <= 0) return '';
    const source = VALUE_ATTRIBUTES[tree.nodes[node]!.name];
    const own = source === undefined ? null : tree.attribute(node, source.attribute);
    if (own !== null) return source?.isUrl ? address.resolve(own) : own;
    // The standard knows `content` only on meta elements. The examples of schema.org use it everywhere.
    const content = tree.attribute(node, 'content');
    if (content !== null && content !== '') return content;
    // A link or an image without an address has no value. A time without `datetime` has its text.
    if (source !== undefined && source.attribute !== 'datetime') return '';
    return this.#actionValue(node) ?? subtreeText(tree, node, limits);
  }

  /** A field of a form that a schema.org action needs (schema.org, "Actions", part 4). */
  #actionValue(node: number): StructuredItem | null {
    const { tree } = this.#page;
    const name = tree.attribute(node, 'itemprop') ?? '';
    if (!name.endsWith('-input') && !name.endsWith('-output')) return null;
    const item = draftItem('microdata');
    if (tree.attribute(node, 'required') !== null) addValue(item, 'valueRequired', 'true');
    const field = tree.attribute(node, 'name');
    if (field !== null && field !== '') addValue(item, 'valueName', field);
    return item;
  }
}

/** The position of the first number that is not smaller, in an ascending list. */
function firstFrom(list: readonly number[], least: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
