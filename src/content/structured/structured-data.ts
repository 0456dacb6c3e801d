/**
 * Reads all structured data of a page. In: the tree of the page and its URL. Out: the items of every syntax in one
 * shape (structured-item.ts), and the breadcrumb trails.
 *
 * What always holds: no exception, whatever the page contains. A page that exceeds a limit is read up to the limit, and
 * `cutReasons` says which limit it was.
 */
import type { PageTree } from '../page-tree.ts';
import { type BreadcrumbTrail, readBreadcrumbs } from './breadcrumbs.ts';
import { findMarkup } from './find-markup.ts';
import { readJsonLd } from './json-ld/json-ld.ts';
import type { MarkedPage } from './marked-page.ts';
import { readDublinCore } from './meta/dublin-core.ts';
import { readMetaEntries } from './meta/meta-entries.ts';
import { declaredPrefixes, readOpenGraph } from './meta/open-graph.ts';
import { readTwitterCard } from './meta/twitter-card.ts';
import { readMicrodata } from './microdata.ts';
import { readMicroformats } from './microformats/microformats.ts';
import { PageAddress } from './page-address.ts';
import { readRdfa } from './rdfa/rdfa.ts';
import { type CutReason, ReadingLimits } from './reading-limits.ts';
import type { StructuredItem } from './structured-item.ts';

export interface StructuredData {
  /** The outermost items, by syntax, and in document order within a syntax. */
  readonly items: readonly StructuredItem[];
  readonly breadcrumbs: readonly BreadcrumbTrail[];
  /** True if data is missing because a limit was reached. */
  readonly isCut: boolean;
  readonly cutReasons: readonly CutReason[];
}

export function readStructuredData(tree: PageTree, url: string): StructuredData {
  const markup = findMarkup(tree);
  const limits = new ReadingLimits();
  const address = new PageAddress(url, markup.baseHref);
  const page = { tree, markup, address, limits };
  const entries = readMetaEntries(tree, markup, limits);
  const items = [
    ...readScripts(page),
    ...readMicrodata(page),
    ...readRdfa(page),
    ...readOpenGraph(entries, declaredPrefixes(tree, markup), limits),
    ...readTwitterCard(entries, limits),
    ...readDublinCore(entries, address, limits),
    ...readMicroformats(page),
  ];
  const breadcrumbs = readBreadcrumbs(items, page);
  const cutReasons = limits.reasons;
  return { items, breadcrumbs, isCut: cutReasons.length > 0, cutReasons };
}

function readScripts({ tree, markup, address, limits }: MarkedPage): StructuredItem[] {
  const items: StructuredItem[] = [];
  for (const node of markup.jsonScripts) {
    const script = tree.nodes[node + 1];
    if (script?.kind === 'text' && script.parent === node) {
      for (const item of readJsonLd(script.text, address, limits)) items.push(item);
    }
  }
  return items;
}
