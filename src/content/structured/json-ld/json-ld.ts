/**
 * Reads JSON-LD. In: the text of one `<script type="application/ld+json">`. Out: its items.
 *
 * What always holds: `@graph` and arrays are spread, so each object of a page is an item of its own or the value of a
 * property. Contexts are not loaded; names are kept as written, without the prefix of schema.org.
 */
import { decodeHTML } from 'entities';
import type { PageAddress } from '../page-address.ts';
import type { ReadingLimits } from '../reading-limits.ts';
import {
  addValue,
  draftItem,
  hasProperties,
  type ItemDraft,
  type StructuredItem,
  shortenName,
} from '../structured-item.ts';
import { type JsonContainer, type JsonObject, type JsonValue, readJson } from './lenient-json.ts';

const ESCAPED_QUOTE = /&(?:quot|#0*34|#x0*22);/i;

export function readJsonLd(script: string, address: PageAddress, limits: ReadingLimits): StructuredItem[] {
  const granted = limits.takeBlock(script.length);
  if (granted < 0) return [];
  const text = granted < script.length ? script.slice(0, granted) : script;
  // Some templates escape the whole script as if it were an attribute.
  const isEscaped = !text.includes('"') && ESCAPED_QUOTE.test(text);
  const { roots, isTooDeep } = readJson(isEscaped ? decodeHTML(text) : text);
  if (isTooDeep) limits.note('depth');
  const reader = new JsonLdReader(address, limits);
  for (const root of roots) reader.readRoot(root, 0);
  return reader.items;
}

class JsonLdReader {
  readonly items: StructuredItem[] = [];
  readonly #address: PageAddress;
  readonly #limits: ReadingLimits;

  constructor(address: PageAddress, limits: ReadingLimits) {
    this.#address = address;
    this.#limits = limits;
  }

  /** Reads an outermost object, or the objects of an outermost array or graph. */
  readRoot(root: JsonContainer, depth: number): void {
    if (!this.#limits.allowsNesting(depth)) return;
    if (Array.isArray(root)) {
      for (const value of root) if (value !== null && typeof value !== 'string') this.readRoot(value, depth + 1);
      return;
    }
    const graph = root.get('@graph');
    const item = this.#item(root, depth);
    if (item !== null && (item.types.length > 0 || hasProperties(item))) this.items.push(item);
    if (graph !== undefined && graph !== null && typeof graph !== 'string') this.readRoot(graph, depth + 1);
  }

  #item(object: JsonObject, depth: number): ItemDraft | null {
    if (!this.#limits.allowsNesting(depth) || !this.#limits.takeValue()) return null;
    const item = draftItem('json-ld');
    for (const [name, value] of object) {
      if (name === '@context' || name === '@graph') continue;
      if (name === '@type') item.types = typesOf(value);
      else if (name === '@id') {
        if (typeof value === 'string' && value !== '') item.id = this.#address.resolve(value);
      } else this.#addValues(item, shortenName(name), value, depth);
    }
    return item;
  }

  /** A list in a list is part of the outer list, as in JSON-LD (section 4.3). */
  #addValues(item: ItemDraft, name: string, value: JsonValue, depth: number): void {
    if (!this.#limits.allowsNesting(depth)) return;
    if (Array.isArray(value)) {
      for (const one of value) this.#addValues(item, name, one, depth + 1);
    } else if (typeof value === 'string') {
      if (this.#limits.takeValue()) addValue(item, name, value);
    } else if (value !== null) this.#addObject(item, name, value, depth);
  }

  #addObject(item: ItemDraft, name: string, object: JsonObject, depth: number): void {
    // `{"@value": "text", "@language": "en"}` is a text, and `{"@list": […]}` is a list.
    const plain = object.get('@value') ?? object.get('@list') ?? object.get('@set');
    if (plain !== undefined) {
      this.#addValues(item, name, plain, depth + 1);
      return;
    }
    const nested = this.#item(object, depth + 1);
    if (nested !== null && (nested.types.length > 0 || nested.id !== undefined || hasProperties(nested))) {
      addValue(item, name, nested);
    }
  }
}

function typesOf(value: JsonValue): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((type): type is string => typeof type === 'string' && type !== '').map(shortenName);
}
