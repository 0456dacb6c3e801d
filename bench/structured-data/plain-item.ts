/**
 * The common form of the items of both readers, and its statements. Two readings are equal if they make the same
 * statements: a path of types and properties, and a text. White space does not count, nor does the order.
 */
import type { StructuredItem } from '../../src/content/structured/structured-item.ts';

export interface PlainItem {
  types: string[];
  id?: string;
  value?: string;
  properties: [name: string, value: string | PlainItem][];
}

export function plainItem({ types, id, value, properties }: StructuredItem): PlainItem {
  return {
    types: [...types],
    ...(id === undefined ? {} : { id }),
    ...(value === undefined ? {} : { value }),
    properties: Object.entries(properties).flatMap(([name, values]) =>
      values.map((one): [string, string | PlainItem] => [name, typeof one === 'string' ? one : plainItem(one)]),
    ),
  };
}

export function statementsOf(items: readonly PlainItem[]): string[] {
  return items.flatMap((item) => itemStatements(item, rootName(item)));
}

function rootName({ types }: PlainItem): string {
  return types.length === 0 ? '*' : types.toSorted().join('+');
}

function itemStatements(item: PlainItem, path: string): string[] {
  const found = item.types.map((type) => statement(path, '@type', type));
  if (item.id !== undefined) found.push(statement(path, '@id', item.id));
  if (item.value !== undefined) found.push(statement(path, '@value', item.value));
  for (const [name, value] of item.properties) {
    if (typeof value === 'string') found.push(statement(path, name, value));
    else found.push(...itemStatements(value, `${path}/${name}`));
  }
  return found;
}

/**
 * The statements of a graph, each once. Things without an address stand for their types, because the readers name them differently,
 * and because one reader nests what the other one lists.
 */
export function graphStatements(items: readonly PlainItem[]): string[] {
  const found: string[] = [];
  const types = new Map<string, readonly string[]>();
  visitItems(items, (item) => {
    if (item.id !== undefined && item.types.length > 0) types.set(item.id, item.types);
  });
  visitItems(items, (item) => {
    const subject = nameOfThing(item, types);
    for (const type of item.types) found.push(statement(subject, '@type', type));
    for (const [name, value] of item.properties) {
      found.push(statement(subject, name, typeof value === 'string' ? value : nameOfThing(value, types)));
    }
  });
  return [...new Set(found)];
}

function visitItems(items: readonly PlainItem[], visit: (item: PlainItem) => void): void {
  const pending = [...items];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    visit(item);
    for (const [, value] of item.properties) if (typeof value !== 'string') pending.push(value);
  }
}

function nameOfThing({ id, types }: PlainItem, typesOf: ReadonlyMap<string, readonly string[]>): string {
  if (id !== undefined && !id.startsWith('_:')) return normalText(id);
  return `[${(typesOf.get(id ?? '') ?? types).toSorted().join('+')}]`;
}

function statement(path: string, name: string, value: string): string {
  return `${path}/${name} = ${normalText(value)}`;
}

/** White space does not count, and addresses have the form of the URL standard: extruct does not add the last slash. */
export function normalText(value: string): string {
  const text = value.replace(/[\s\u00a0\u200b]+|%20/g, '');
  return /^https?:/i.test(text) ? (URL.parse(text)?.href ?? text) : text;
}

/** The statements that only one of two readings makes. A statement counts as often as it is made. */
export function differences(ours: readonly string[], theirs: readonly string[]) {
  const counts = new Map<string, number>();
  for (const one of ours) counts.set(one, (counts.get(one) ?? 0) + 1);
  const missing: string[] = [];
  for (const one of theirs) {
    const count = counts.get(one) ?? 0;
    if (count > 0) counts.set(one, count - 1);
    else missing.push(one);
  }
  const extra = [...counts].flatMap(([one, count]) => Array<string>(count).fill(one));
  return { missing, extra, same: theirs.length - missing.length };
}
