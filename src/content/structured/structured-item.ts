/**
 * The one shape of structured data, whatever its syntax. Items have types, an id and properties; a property has a list
 * of values; a value is a text or another item.
 *
 * What always holds: names of schema.org are short (`Article`, `name`) in every syntax, because pages write them as
 * `Article`, `schema:Article` and `https://schema.org/Article`. Names of other vocabularies are kept as written, or
 * as their full address in RDFa. The objects have no prototype, so a property may be called `__proto__`.
 */

export const STRUCTURED_SYNTAXES = [
  'json-ld',
  'microdata',
  'rdfa',
  'opengraph',
  'twitter',
  'dublin-core',
  'microformats',
] as const;

export type StructuredSyntax = (typeof STRUCTURED_SYNTAXES)[number];
export type StructuredValue = string | StructuredItem;
export type StructuredProperties = Readonly<Record<string, readonly StructuredValue[]>>;

export interface StructuredItem {
  readonly syntax: StructuredSyntax;
  readonly types: readonly string[];
  /** The address of the described thing. An item with an id and no properties is a reference to another item. */
  readonly id?: string;
  /** The item as a plain text or address: the URL of an image that has a width, the text of a nested microformat. */
  readonly value?: string;
  readonly properties: StructuredProperties;
}

/** An item while it is read. */
export interface ItemDraft {
  readonly syntax: StructuredSyntax;
  types: string[];
  id?: string;
  value?: string;
  readonly properties: Record<string, StructuredValue[]>;
}

export function draftItem(syntax: StructuredSyntax, types: string[] = []): ItemDraft {
  return { syntax, types, properties: Object.create(null) as Record<string, StructuredValue[]> };
}

export function addValue(item: ItemDraft, name: string, value: StructuredValue): void {
  const values = item.properties[name];
  if (values === undefined) item.properties[name] = [value];
  else values.push(value);
}

export function hasProperties(item: StructuredItem): boolean {
  for (const _ in item.properties) return true;
  return false;
}

/** The first text of a property. An item stands for its value, its name or its id. */
export function firstText(item: StructuredItem, name: string): string | undefined {
  for (const value of item.properties[name] ?? []) {
    const text = textOf(value);
    if (text !== undefined) return text;
  }
  return undefined;
}

export function textOf(value: StructuredValue): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (value.value !== undefined && value.value !== '') return value.value;
  const name = value.properties.name?.[0];
  return typeof name === 'string' && name !== '' ? name : value.id;
}

const SCHEMA_ADDRESS = /^(?:https?:\/\/(?:www\.)?schema\.org\/(?:#|docs\/)?|schema:)/i;

/** Shortens names of schema.org: `http://schema.org/Article` and `schema:Article` become `Article`. */
export function shortenName(name: string): string {
  // Most names have no prefix, and this is faster than the pattern.
  return name.includes(':') ? name.replace(SCHEMA_ADDRESS, '') || name : name;
}

const SPACES = /[\t\n\f\r ]+/;

/** Lists of real pages have at most a few hundred words. The same list may be read for many items. */
const MAX_LIST_CHARS = 10_000;

/** The words of an attribute that holds a list (HTML standard 2.3.7), up to a length. */
export function splitWords(text: string | null): string[] {
  if (text === null) return [];
  const list = text.length > MAX_LIST_CHARS ? text.slice(0, MAX_LIST_CHARS) : text;
  return list.split(SPACES).filter((word) => word !== '');
}
