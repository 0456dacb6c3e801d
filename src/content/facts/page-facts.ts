/**
 * Chooses the facts of a page: title, authors, times, language, description, site name, main image and kind. In: the
 * tree of the page, its structured data, and the response headers if they are known. Out: for each fact the first
 * value that the table of sources (fact-sources.ts) finds. A fact that nothing states is absent.
 */
import { decodeHTML } from 'entities';
import type { PageTree } from '../page-tree.ts';
import type { StructuredData } from '../structured/structured-data.ts';
import {
  firstText,
  STRUCTURED_SYNTAXES,
  type StructuredItem,
  type StructuredValue,
  textOf,
} from '../structured/structured-item.ts';
import { cleanAuthors } from './clean-authors.ts';
import { readDateText } from './date-text.ts';
import { FACT_SOURCES, type FactName, PAGE_KINDS, PAGE_TYPES, SUBJECT_TYPES } from './fact-sources.ts';
import { readVisibleFacts, type VisibleFacts } from './visible-facts.ts';

export interface PageFacts {
  readonly title?: string;
  readonly authors: readonly string[];
  /** ISO 8601, with a zone only if the page states one. */
  readonly published?: string;
  readonly modified?: string;
  /** As declared: `en-GB`. */
  readonly language?: string;
  readonly description?: string;
  readonly siteName?: string;
  readonly image?: string;
  /** The kind that the page declares: article, product, listing … */
  readonly kind?: string;
}

const MAX_TEXT = 2_000;
/** Some templates write the address of the page as its title. */
const ADDRESS = /^\s*https?:\/\/\S+\s*$/;
const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}/i;

export function readPageFacts(
  tree: PageTree,
  structured: StructuredData,
  headers: Readonly<Record<string, string>> = {},
): PageFacts {
  const sources = new FactFinder(structured.items, readVisibleFacts(tree), headers);
  const authors = sources.first('authors', (values) => cleanAuthors(values.map(cleanText)));
  const facts: { -readonly [key in keyof PageFacts]: PageFacts[key] } = { authors: authors ?? [] };
  const oneText = (values: readonly string[]): string | undefined => values.map(cleanText).find((text) => text !== '');
  const oneDate = (values: readonly string[]): string | undefined => firstOf(values, readDateText);
  const choices = {
    title: (values: readonly string[]) => oneText(values.filter((text) => !ADDRESS.test(text))),
    published: oneDate,
    modified: oneDate,
    language: (values: readonly string[]) =>
      firstOf(values, (text) => LANGUAGE.exec(text.trim())?.[0].replace('_', '-')),
    description: oneText,
    siteName: oneText,
    image: (values: readonly string[]) => values.find((value) => value.trim() !== '' && !value.startsWith('data:')),
  };
  for (const [fact, choose] of Object.entries(choices) as [keyof typeof choices, (typeof choices)['title']][]) {
    const value = sources.first(fact, choose);
    if (value !== undefined) facts[fact] = value;
  }
  const kind = kindOf(structured.items);
  if (kind !== undefined) facts.kind = kind;
  return facts;
}

class FactFinder {
  readonly #bySyntax: ReadonlyMap<string, readonly StructuredItem[]>;
  readonly #byId = new Map<string, StructuredItem>();
  readonly #items: readonly StructuredItem[];
  readonly #visible: VisibleFacts;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(items: readonly StructuredItem[], visible: VisibleFacts, headers: Readonly<Record<string, string>>) {
    this.#items = items;
    this.#visible = visible;
    this.#headers = headers;
    this.#bySyntax = Map.groupBy(items, ({ syntax }) => syntax);
    for (const item of items) if (item.id !== undefined && !this.#byId.has(item.id)) this.#byId.set(item.id, item);
  }

  /** The first source whose values are accepted. */
  first<Value>(fact: FactName, choose: (values: readonly string[]) => Value | undefined): Value | undefined {
    for (const source of FACT_SOURCES[fact]) {
      const space = source.indexOf(' ');
      const chosen = this.#values(source.slice(0, space), source.slice(space + 1), choose);
      if (chosen !== undefined) return chosen;
    }
    return undefined;
  }

  #values<Value>(
    from: string,
    name: string,
    choose: (values: readonly string[]) => Value | undefined,
  ): Value | undefined {
    const plain = this.#plainValue(from, name);
    if (plain !== undefined) return choose([plain]);
    for (const item of this.#itemsOf(from)) {
      const values = (item.properties[name] ?? []).flatMap((value) => this.#text(value) ?? []);
      const chosen = values.length === 0 ? undefined : choose(values);
      if (chosen !== undefined) return chosen;
    }
    return undefined;
  }

  #plainValue(from: string, name: string): string | undefined {
    const { title, heading, author, byline, time, language, metas, imageLink } = this.#visible;
    if (from === 'meta') return metas.get(name);
    if (from === 'header') return this.#headers[name];
    if (from === 'link') return imageLink;
    return from === 'visible' ? { title, heading, author, byline, time, language }[name] : undefined;
  }

  #itemsOf(from: string): readonly StructuredItem[] {
    if (from === 'site') return this.#items.filter(({ types }) => types.includes('WebSite'));
    if (from !== 'schema') return (this.#bySyntax.get(from) ?? []).flatMap(entriesOf);
    const items = STRUCTURED_SYNTAXES.slice(0, 3).flatMap((syntax) => this.#bySyntax.get(syntax) ?? []);
    const about = items.flatMap((item) => [item, ...mainEntity(item)]);
    const subjects = about.filter(({ types }) => types.some((type) => SUBJECT_TYPES.test(type)));
    // Several articles or products of the same kind are a listing: none of them is the page.
    const counted = subjects.length > 3 ? [] : subjects;
    return [
      ...counted,
      ...about.filter(({ types }) => types.some((type) => PAGE_TYPES.test(type) && type !== 'WebSite')),
    ];
  }

  /** An item that only refers to another one by its id stands for that one. */
  #text(value: StructuredValue): string | undefined {
    if (typeof value === 'string') return value;
    const target = value.id === undefined ? undefined : this.#byId.get(value.id);
    const own = firstText(value, 'name') ?? firstText(value, 'url') ?? firstText(value, 'contentUrl');
    return value.value ?? own ?? (target && (firstText(target, 'name') ?? firstText(target, 'url'))) ?? textOf(value);
  }
}

function mainEntity(item: StructuredItem): StructuredItem[] {
  const values = item.properties.mainEntity ?? [];
  return values.filter((value): value is StructuredItem => typeof value === 'object' && value.types.length > 0);
}

/** The entries of a feed with one entry are the page. */
function entriesOf(item: StructuredItem): StructuredItem[] {
  if (item.syntax !== 'microformats') return [item];
  if (item.types.includes('h-entry')) return [item];
  const children = (item.properties.children ?? []).filter((value) => typeof value === 'object');
  const entries = children.filter(({ types }) => types.includes('h-entry'));
  return entries.length === 1 ? entries : [];
}

function kindOf(items: readonly StructuredItem[]): string | undefined {
  const types = new Set(items.flatMap((item) => [item, ...mainEntity(item)]).flatMap((item) => item.types));
  for (const [pattern, kind] of PAGE_KINDS) {
    for (const type of types) if (pattern.test(type)) return kind;
  }
  return undefined;
}

function cleanText(text: string): string {
  const decoded = text.includes('&') ? decodeHTML(text.slice(0, MAX_TEXT)) : text;
  return decoded.slice(0, MAX_TEXT).replace(/\s+/g, ' ').trim();
}

function firstOf(values: readonly string[], read: (text: string) => string | undefined): string | undefined {
  for (const value of values) {
    const found = read(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
