/**
 * The breadcrumb trails that a program would build from the JSON-LD and the microdata that extruct found: the names of
 * each BreadcrumbList by their position. RDFa is left out, because extruct lists its things without nesting them.
 */
import type { BreadcrumbTrail } from '../../src/content/structured/breadcrumbs.ts';
import type { ReadPage } from './extruct-pages.ts';
import { extructItems } from './extruct-statements.ts';
import { normalText, type PlainItem } from './plain-item.ts';

export function ourTrails(trails: readonly BreadcrumbTrail[]): string[] {
  const declared = trails.filter(({ syntax }) => syntax === 'json-ld' || syntax === 'microdata');
  return declared.map(({ crumbs }) => crumbs.map(({ name }) => normalText(name)).join(' > '));
}

export function extructTrails({ found }: ReadPage): string[] {
  const items = (['json-ld', 'microdata'] as const).flatMap((syntax) => extructItems(syntax, found[syntax]?.found));
  const trails = new Set<string>();
  const pending = [...items].reverse();
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (item.types.includes('BreadcrumbList')) trails.add(trailOf(item));
    for (const [, value] of item.properties) if (typeof value !== 'string') pending.push(value);
  }
  trails.delete('');
  return [...trails];
}

function trailOf(list: PlainItem): string {
  const elements = list.properties.filter(([name]) => name === 'itemListElement').map(([, element]) => element);
  const crumbs = elements.map((element, at) => {
    if (typeof element === 'string') return { position: at + 1, name: element };
    const target = propertyOf(element, 'item');
    const inner = typeof target === 'object' ? propertyOf(target, 'name') : undefined;
    return { position: Number(propertyOf(element, 'position') ?? at + 1), name: propertyOf(element, 'name') ?? inner };
  });
  crumbs.sort((a, b) => a.position - b.position);
  const names = crumbs.flatMap(({ name }) => (typeof name === 'string' ? normalText(name) : []));
  return names.filter((name) => name !== '').join(' > ');
}

function propertyOf(item: PlainItem, wanted: string): string | PlainItem | undefined {
  return item.properties.find(([name]) => name === wanted)?.[1];
}
