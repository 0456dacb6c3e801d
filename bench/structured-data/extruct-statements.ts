/** Brings what extruct returns for a syntax into the common form, and reduces both readings to statements. */
import {
  type StructuredItem,
  type StructuredSyntax,
  shortenName,
} from '../../src/content/structured/structured-item.ts';
import { type ExtructSyntax, PAGE_URL } from './extruct-pages.ts';
import { graphStatements, normalText, type PlainItem, plainItem, statementsOf } from './plain-item.ts';

type Json = string | number | boolean | null | Json[] | JsonRecord;
interface JsonRecord {
  [name: string]: Json;
}

export const OUR_SYNTAX: Readonly<Record<ExtructSyntax, StructuredSyntax>> = {
  'json-ld': 'json-ld',
  microdata: 'microdata',
  rdfa: 'rdfa',
  opengraph: 'opengraph',
  dublincore: 'dublin-core',
  microformat: 'microformats',
  twitter: 'twitter',
};

export function ourStatements(syntax: ExtructSyntax, items: readonly StructuredItem[]): string[] {
  const plain = items.filter((item) => item.syntax === OUR_SYNTAX[syntax]).map(plainItem);
  if (syntax === 'rdfa') return graphStatements(plain).filter((one) => !CARD_STATEMENT.test(one));
  if (syntax === 'opengraph' || syntax === 'twitter' || syntax === 'dublincore') return cardStatements(plain);
  if (syntax === 'microformat') return statementsOf(plain.map(withFragments));
  return statementsOf(syntax === 'json-ld' ? plain.map(withNumbers) : plain);
}

/** The items of the syntaxes that nest them. */
export function extructItems(syntax: 'json-ld' | 'microdata', found: unknown): PlainItem[] {
  const results = (Array.isArray(found) ? found : []) as Json[];
  return syntax === 'json-ld' ? results.flatMap(jsonLdItems) : results.filter(isRecord).map(microdataItem);
}

export function extructStatements(syntax: ExtructSyntax, found: unknown): string[] {
  const results = (Array.isArray(found) ? found : []) as Json[];
  switch (syntax) {
    case 'json-ld':
      return statementsOf(extructItems(syntax, found).map(withNumbers));
    case 'microdata':
      return statementsOf(extructItems(syntax, found));
    case 'rdfa':
      return graphStatements(rdfaItems(results.filter(isRecord)));
    case 'microformat':
      return statementsOf(results.filter(isRecord).map(microformatItem));
    case 'dublincore':
      return results.filter(isRecord).flatMap(dublinCoreStatements);
    case 'opengraph':
      return results.filter(isRecord).flatMap(({ properties }) => pairs(properties));
    case 'twitter':
      return pairs(results);
  }
}

function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: Json | undefined): Json[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value.flatMap(listOf) : [value];
}

function pairs(list: Json | undefined): string[] {
  return ((list ?? []) as [string, string][]).map(([name, value]) => cardStatement(name, value));
}

function cardStatement(name: string, value: string): string {
  return `${name.trim().toLowerCase()} = ${normalText(value)}`;
}

/** The properties of meta elements: the parts of an image are properties of their own again. */
function cardStatements(items: readonly PlainItem[]): string[] {
  return items.flatMap(({ properties }) =>
    properties.flatMap(([name, value]) => {
      if (typeof value === 'string') return [cardStatement(name, value)];
      const own = value.value === undefined ? [] : [cardStatement(name, value.value)];
      return [...own, ...value.properties.map(([part, text]) => cardStatement(`${name}:${part}`, text as string))];
    }),
  );
}

function jsonLdItems(root: Json): PlainItem[] {
  if (Array.isArray(root)) return root.flatMap(jsonLdItems);
  if (!isRecord(root)) return [];
  const item = jsonLdItem(root);
  const own = item.types.length > 0 || item.properties.length > 0 ? [item] : [];
  return [...own, ...listOf(root['@graph']).flatMap(jsonLdItems)];
}

function jsonLdItem(object: JsonRecord): PlainItem {
  const item: PlainItem = { types: [], properties: [] };
  for (const [name, value] of Object.entries(object)) {
    if (name === '@context' || name === '@graph') continue;
    if (name === '@type')
      item.types = listOf(value)
        .filter((type) => typeof type === 'string')
        .map(shortenName);
    else if (name === '@id') {
      if (typeof value === 'string' && value !== '') item.id = absolute(value);
    } else for (const one of listOf(value)) addJsonLdValue(item, shortenName(name), one);
  }
  return item;
}

function addJsonLdValue(item: PlainItem, name: string, value: Json): void {
  if (!isRecord(value)) {
    item.properties.push([name, String(value)]);
    return;
  }
  const plain = value['@value'] ?? value['@list'] ?? value['@set'];
  if (plain !== undefined) for (const one of listOf(plain)) addJsonLdValue(item, name, one);
  else {
    const nested = jsonLdItem(value);
    const isEmpty = nested.types.length === 0 && nested.id === undefined && nested.properties.length === 0;
    if (!isEmpty) item.properties.push([name, nested]);
  }
}

/** Python reads `19.90` as a number and loses its digits. */
function withNumbers(item: PlainItem): PlainItem {
  return {
    ...item,
    properties: item.properties.map(([name, value]) => {
      if (typeof value !== 'string') return [name, withNumbers(value)];
      return [name, /^-?\d+(?:\.\d*)?(?:e[+-]?\d+)?$/i.test(value) ? String(Number(value)) : value];
    }),
  };
}

function microdataItem(object: JsonRecord): PlainItem {
  const item: PlainItem = { types: listOf(object.type).map((type) => shortenName(String(type))), properties: [] };
  if (typeof object.id === 'string' && object.id !== '') item.id = absolute(object.id);
  if (typeof object.value === 'string' && object.value !== '') item.value = object.value;
  for (const [name, values] of Object.entries((object.properties ?? {}) as JsonRecord)) {
    for (const value of listOf(values)) {
      if (!isRecord(value)) item.properties.push([shortenName(name), String(value)]);
      else if ('valueName' in value || 'valueRequired' in value) {
        const fields = Object.entries(value).map(([field, one]): [string, string] => [field, String(one)]);
        item.properties.push([shortenName(name), { types: [], properties: fields }]);
      } else item.properties.push([shortenName(name), microdataItem(value)]);
    }
  }
  return item;
}

/** Properties of cards are compared as Open Graph and Twitter cards. */
const CARD =
  /^(?:(?:https?:)?\/\/(?:opengraphprotocol|opengraph)\.org\/schema|http:\/ogp\.me|https?:\/\/(?:ogp\.me\/ns|www\.facebook\.com\/2008|dev\.twitter\.com\/cards)|(?:og|twitter|article|fb|al|product|book|profile|music|video|place|business):)/i;

const CARD_STATEMENT = /^[^ ]*\/https?:\/\/(?:ogp\.me\/ns|opengraphprotocol\.org\/schema)/;
/** How the page was processed is no statement of the page. */
const USED_VOCABULARY = 'http://www.w3.org/ns/rdfa#usesVocabulary';

function rdfaItems(subjects: readonly JsonRecord[]): PlainItem[] {
  const things = new Map<string, PlainItem>();
  for (const subject of subjects) {
    const id = String(subject['@id']);
    const types = listOf(subject['@type']).map((type) => shortenName(String(type)));
    things.set(id, { types, ...(id.startsWith('_:') ? {} : { id }), properties: [] });
  }
  for (const subject of subjects) {
    const item = things.get(String(subject['@id']))!;
    for (const [name, values] of Object.entries(subject)) {
      if (name.startsWith('@') || CARD.test(name) || name === USED_VOCABULARY) continue;
      const list = listOf(values).flatMap((value) =>
        isRecord(value) && '@list' in value ? listOf(value['@list']) : [value],
      );
      for (const value of list) {
        if (!isRecord(value)) item.properties.push([shortenName(name), String(value)]);
        else if ('@value' in value) item.properties.push([shortenName(name), String(value['@value'])]);
        else item.properties.push([shortenName(name), reference(String(value['@id']), things)]);
      }
    }
  }
  return [...things.values()];
}

/** The name of a thing without its statements, which are listed with the thing itself. */
function reference(id: string, things: ReadonlyMap<string, PlainItem>): string | PlainItem {
  if (!id.startsWith('_:')) return id;
  const types = things.get(id)?.types ?? [];
  return `[${types.toSorted().join('+')}]`;
}

function microformatItem(object: JsonRecord): PlainItem {
  const item: PlainItem = { types: listOf(object.type).map(String), properties: [] };
  if (typeof object.id === 'string') item.id = object.id;
  const properties = { ...(object.properties as JsonRecord), children: object.children ?? [] };
  for (const [name, values] of Object.entries(properties)) {
    for (const value of listOf(values)) item.properties.push([name, microformatValue(value)]);
  }
  return item;
}

/** Our ids are addresses; those of microformats are the attribute. */
function withFragments(item: PlainItem): PlainItem {
  return {
    ...item,
    ...(item.id === undefined ? {} : { id: decodeURI(item.id.slice(item.id.indexOf('#') + 1)) }),
    properties: item.properties.map(([name, value]) => [
      name,
      typeof value === 'string' ? value : withFragments(value),
    ]),
  };
}

function microformatValue(value: Json): string | PlainItem {
  if (!isRecord(value)) return String(value);
  const text = listOf(value.value).map((one) => (isRecord(one) ? String(one.value) : String(one)))[0];
  if ('type' in value) {
    const nested = microformatItem(value);
    return text === undefined ? nested : { ...nested, value: text };
  }
  if ('alt' in value) return { types: [], value: text ?? '', properties: [['alt', String(value.alt)]] };
  return text ?? '';
}

const DUBLIN_CORE = /^(?:dc|dcterms|dct)[.:]/i;

/** extruct also takes names without a prefix, which are no Dublin Core. */
function dublinCoreStatements({ elements, terms }: JsonRecord): string[] {
  return [...listOf(elements), ...listOf(terms)].filter(isRecord).flatMap(({ name, rel, content, href }) => {
    const words = String(name ?? rel ?? '')
      .split(/\s+/)
      .filter((word) => DUBLIN_CORE.test(word));
    return words.map((word) => {
      const value = name === undefined ? absolute(String(href ?? '')) : String(content ?? '');
      return cardStatement(word.split(/[.:]/).at(-1) as string, value);
    });
  });
}

function absolute(address: string): string {
  const text = address.trim();
  return text.startsWith('_:') ? text : (URL.parse(text, PAGE_URL)?.href ?? text);
}
