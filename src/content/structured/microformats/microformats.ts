/**
 * Reads microformats 2 (h-entry, h-card, h-product …) and the classic microformats (hAtom, hCard …) by the parsing
 * specification of microformats 2. In: a page. Out: its outermost items.
 *
 * Items in an item that are none of its properties are its property `children`. An item that is the value of a property
 * has the text or address of its element as its `value`. `e-` properties are texts, without their markup.
 */
import type { MarkedPage } from '../marked-page.ts';
import {
  addValue,
  draftItem,
  type ItemDraft,
  type StructuredItem,
  type StructuredValue,
  textOf,
} from '../structured-item.ts';
import type { ClassicRule } from './classic-rules.ts';
import { type FormatClasses, formatClasses, isTagLink, type PropertyKind } from './format-classes.ts';
import { ImpliedValues } from './implied-values.ts';
import { PropertyValues } from './property-values.ts';

/** Other classes that begin with `h-` are mostly styles. They count only if the element has properties. */
const KNOWN_TYPES = new Set(
  (
    'h-adr h-app h-card h-cite h-entry h-event h-feed h-geo h-item h-listing h-news h-product h-recipe h-resume ' +
    'h-review h-review-aggregate'
  ).split(' '),
);

export function readMicroformats(page: MarkedPage): StructuredItem[] {
  const items: StructuredItem[] = [];
  const reader = new FormatReader(page);
  let end = 0;
  for (const node of page.markup.formatRoots) {
    if (node < end) continue;
    const classes = formatClasses(page.tree, node, []);
    if (classes.roots.length === 0) continue;
    const item = reader.item(node, classes, 0);
    if (item === null) continue;
    items.push(item.draft);
    end = page.tree.end(node);
  }
  return items;
}

/** An item, and which kinds of classes were found in it. */
interface FoundItem {
  readonly draft: ItemDraft;
  /** True if no class in the item names a property or another item. */
  readonly isPlain: boolean;
}

class FormatReader {
  readonly #page: MarkedPage;
  readonly #values: PropertyValues;
  readonly #implied: ImpliedValues;
  /** The last date in the item. A time without a date belongs to it. */
  #date: string | null = null;

  constructor(page: MarkedPage) {
    this.#page = page;
    this.#values = new PropertyValues(page);
    this.#implied = new ImpliedValues(page, this.#values);
  }

  /** Returns null if the element is no item after all, or if a limit is reached. */
  item(root: number, { roots, classic, hasImplied }: FormatClasses, depth: number): FoundItem | null {
    const { tree, limits } = this.#page;
    if (!limits.allowsNesting(depth) || !limits.takeValue()) return null;
    const draft = draftItem('microformats', [...roots]);
    const found = new Set<PropertyKind | 'h'>();
    this.#date = null;
    const end = tree.end(root);
    for (let at = root + 1; at < end; ) {
      const next = this.#element(at, draft, found, { rules: classic, depth });
      if (!limits.takeSteps(1)) break;
      at = next;
    }
    const isPlain = found.size === 0;
    if (isPlain && !roots.some((type) => KNOWN_TYPES.has(type))) return null;
    if (hasImplied) this.#addImplied(root, draft, found);
    const id = tree.attribute(root, 'id');
    if (id !== null && id !== '') draft.id = this.#page.address.resolve(`#${id}`);
    return { draft, isPlain };
  }

  /** Reads one element in an item. Returns where the reading continues. */
  #element(
    node: number,
    item: ItemDraft,
    found: Set<PropertyKind | 'h'>,
    { rules, depth }: { readonly rules: readonly ClassicRule[]; readonly depth: number },
  ): number {
    const { tree, limits } = this.#page;
    const { kind, name, attributes } = tree.nodes[node]!;
    if (kind !== 'element') return node + 1;
    if (name === 'template') return tree.end(node);
    if (attributes.length === 0) return node + 1;
    const classes = formatClasses(tree, node, rules);
    if (rules.length > 0 && isTagLink(tree, node, rules)) this.#addTag(node, item);
    const nested = classes.roots.length === 0 ? null : this.#nested(node, classes, depth);
    if (nested !== null) found.add('h');
    for (const { kind, name } of classes.properties) {
      found.add(kind);
      if (!limits.takeValue()) break;
      const value = this.#value(node, kind);
      if (nested === null) addValue(item, name, value);
      else addValue(item, name, withValue(nested, kind, value));
    }
    if (nested === null) return node + 1;
    if (classes.properties.length === 0) addValue(item, 'children', nested);
    return tree.end(node);
  }

  #nested(node: number, classes: FormatClasses, depth: number): ItemDraft | null {
    const date = this.#date;
    const nested = this.item(node, classes, depth + 1);
    this.#date = date;
    return nested?.draft ?? null;
  }

  #value(node: number, kind: PropertyKind): StructuredValue {
    if (kind === 'p') return this.#values.text(node);
    if (kind === 'u') return this.#values.url(node);
    if (kind === 'e') return this.#values.content(node);
    const { value, date } = this.#values.date(node, this.#date);
    if (date !== null) this.#date = date;
    return value;
  }

  #addImplied(root: number, item: ItemDraft, found: ReadonlySet<PropertyKind | 'h'>): void {
    const { properties } = item;
    const hasText = found.has('p') || found.has('e') || found.has('h');
    if (properties.name === undefined && !hasText) addValue(item, 'name', this.#implied.name(root));
    if (found.has('u') || found.has('h')) return;
    const photo = properties.photo === undefined ? this.#implied.photo(root) : null;
    if (photo !== null) addValue(item, 'photo', photo);
    const url = properties.url === undefined ? this.#implied.url(root) : null;
    if (url !== null) addValue(item, 'url', url);
  }

  #addTag(node: number, item: ItemDraft): void {
    const segments = (this.#page.tree.attribute(node, 'href') ?? '').split('/').filter((segment) => segment !== '');
    const last = segments.at(-1);
    if (last !== undefined && this.#page.limits.takeValue()) addValue(item, 'category', decodeSegment(last));
  }
}

/** A nested item stands for its name or address if it has one, else for the value of its element. */
function withValue(nested: ItemDraft, kind: PropertyKind, value: StructuredValue): ItemDraft {
  const own = nested.properties[kind === 'u' ? 'url' : 'name']?.[0];
  const explicit = (kind === 'p' || kind === 'u') && own !== undefined ? textOf(own) : textOf(value);
  return explicit === undefined ? nested : { ...nested, value: explicit };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
