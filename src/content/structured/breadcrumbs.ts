/**
 * Finds the breadcrumb trails of a page: in the items of every syntax, and in the navigation that readers see. In: the
 * items and the page. Out: each trail once, the declared ones first.
 */
import type { MarkedPage } from './marked-page.ts';
import { firstText, type StructuredItem, type StructuredSyntax, type StructuredValue } from './structured-item.ts';
import { subtreeText } from './subtree-text.ts';

export interface Breadcrumb {
  readonly name: string;
  readonly url?: string;
}

export interface BreadcrumbTrail {
  /** `visible`: read from the navigation of the page. */
  readonly syntax: StructuredSyntax | 'visible';
  readonly crumbs: readonly Breadcrumb[];
}

/** An item without a name may have only an address as its value. */
const ADDRESS = /^\s*https?:/i;
const MAX_TRAILS = 20;
const MAX_CRUMBS = 50;
const MAX_ITEMS = 10_000;
/** The signs between crumbs, which are no part of their names. */
const SEPARATORS = new Set(' >»›/|•·→–-');

export function readBreadcrumbs(items: readonly StructuredItem[], page: MarkedPage): BreadcrumbTrail[] {
  const trails = [...declaredTrails(items, page), ...visibleTrails(page)];
  const seen = new Set<string>();
  return trails.filter(({ crumbs }) => {
    const key = crumbs.map(({ name }) => name).join('\n');
    return crumbs.length > 0 && !seen.has(key) && seen.add(key);
  });
}

function declaredTrails(items: readonly StructuredItem[], page: MarkedPage): BreadcrumbTrail[] {
  const trails: BreadcrumbTrail[] = [];
  const pending = [...items].reverse();
  /** Items of data-vocabulary.org that stand beside each other are one trail. */
  let row: Breadcrumb[] = [];
  for (let seen = 0; pending.length > 0 && seen < MAX_ITEMS && trails.length < MAX_TRAILS; seen++) {
    const item = pending.pop()!;
    if (item.types.some((type) => type.endsWith('BreadcrumbList'))) {
      trails.push({ syntax: item.syntax, crumbs: listCrumbs(item, page) });
      continue;
    }
    if (item.types.some((type) => type.endsWith('data-vocabulary.org/Breadcrumb') || type.endsWith('#Breadcrumb'))) {
      if (row.length === 0) trails.push({ syntax: item.syntax, crumbs: row });
      addChain(item, row, page);
      continue;
    }
    row = [];
    for (const values of Object.values(item.properties)) {
      for (const value of values) if (typeof value !== 'string') pending.push(value);
    }
  }
  return trails;
}

function listCrumbs(list: StructuredItem, page: MarkedPage): Breadcrumb[] {
  const elements = (list.properties.itemListElement ?? []).slice(0, MAX_CRUMBS);
  const placed = elements.map((element, at) => {
    const written = typeof element === 'string' ? undefined : firstText(element, 'position');
    const position = Number(written);
    return {
      position: written === undefined || Number.isNaN(position) ? at + 1 : position,
      crumb: crumbOf(element, page),
    };
  });
  return placed.sort((a, b) => a.position - b.position).flatMap(({ crumb }) => (crumb === null ? [] : [crumb]));
}

function crumbOf(element: StructuredValue, page: MarkedPage): Breadcrumb | null {
  if (typeof element === 'string') return makeCrumb(element, undefined, page);
  const target = element.properties.item?.[0];
  const inner = typeof target === 'object' ? target : undefined;
  const name =
    firstText(element, 'name') ??
    (inner &&
      (firstText(inner, 'name') ?? firstText(inner, 'title') ?? (ADDRESS.test(inner.value ?? '') ? '' : inner.value)));
  const url =
    typeof target === 'string'
      ? target
      : (inner?.id ?? (inner && firstText(inner, 'url')) ?? firstText(element, 'url') ?? element.id);
  return makeCrumb(name ?? '', url, page);
}

function addChain(first: StructuredItem, row: Breadcrumb[], page: MarkedPage): void {
  let item: StructuredItem | undefined = first;
  while (item !== undefined && row.length < MAX_CRUMBS) {
    const crumb = makeCrumb(firstText(item, 'title') ?? '', firstText(item, 'url'), page);
    if (crumb !== null) row.push(crumb);
    const child: StructuredValue | undefined = item.properties.child?.[0];
    item = typeof child === 'object' ? child : undefined;
  }
}

/** The links in an element that calls itself breadcrumbs, and the text after the last link: the page itself. */
function visibleTrails({ tree, markup, address, limits }: MarkedPage): BreadcrumbTrail[] {
  const trails: BreadcrumbTrail[] = [];
  let after = 0;
  for (const root of markup.crumbTrails) {
    const end = tree.end(root);
    if (root < after || end - root > 1_000 || trails.length >= MAX_TRAILS) continue;
    const crumbs: Breadcrumb[] = [];
    for (let at = root + 1; at < end && crumbs.length < MAX_CRUMBS; ) {
      const { kind, name, text, level } = tree.nodes[at]!;
      if (name === 'script' || name === 'style' || name === 'svg') at = tree.end(at);
      else if (name === 'a') {
        const crumb = makeCrumb(subtreeText(tree, at, limits), tree.attribute(at, 'href') ?? undefined, { address });
        if (crumb !== null) crumbs.push(crumb);
        at = tree.end(at);
      } else {
        const crumb =
          kind === 'text' && level > 0 && crumbs.length > 0 ? makeCrumb(text, undefined, { address }) : null;
        if (crumb !== null) crumbs.push(crumb);
        at++;
      }
    }
    if (!crumbs.some(({ url }) => url !== undefined)) continue;
    after = end;
    trails.push({ syntax: 'visible', crumbs });
  }
  return trails;
}

function makeCrumb(text: string, url: string | undefined, { address }: Pick<MarkedPage, 'address'>): Breadcrumb | null {
  const name = trimSeparators(text.replace(/\s+/g, ' ')).slice(0, 500);
  if (name === '') return null;
  return url === undefined || url === '' ? { name } : { name, url: address.resolve(url) };
}

function trimSeparators(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SEPARATORS.has(text[start] as string)) start++;
  while (start < end && SEPARATORS.has(text[end - 1] as string)) end--;
  return text.slice(start, end);
}
