/**
 * Finds the places of a page that carry structured data, in one pass over its nodes. A page without any costs only this
 * pass, so it must stay cheap: one look at each attribute, and no tree walks.
 */
import type { PageTree } from '../page-tree.ts';

export interface PageMarkup {
  readonly baseHref: string | null;
  /** The elements `<script type="application/ld+json">`. */
  readonly jsonScripts: readonly number[];
  readonly metas: readonly number[];
  /** `<link rel>` elements. */
  readonly links: readonly number[];
  readonly itemScopes: readonly number[];
  readonly itemProps: readonly number[];
  readonly hasRdfa: boolean;
  /** Elements with the class of a microformat, not necessarily outermost. */
  readonly formatRoots: readonly number[];
  /** Elements whose class, id or label says that they are breadcrumbs. */
  readonly crumbTrails: readonly number[];
}

const JSON_TYPE = /^\s*application\/ld\+json\s*(?:;|$)/i;
/** The classes of microformats 2 and of the classic microformats. */
const FORMAT_ROOT =
  /(?:^|\s)(?:h-[a-z0-9]|(?:hentry|hfeed|hnews|vcard|vevent|hreview|hreview-aggregate|hproduct|hrecipe|hresume|adr|geo)(?:\s|$))/;
/** The words in `rel` that mean something without a vocabulary. */
const RDFA_REL = /(?:^|\s)(?:license|describedby)(?:\s|$)|:/i;
const BREADCRUMB = /bread-?_?crumb/i;
/** Open Graph and Twitter cards use the attribute `property` too. They alone are no reason to read a page as RDFa. */
const CARD_PROPERTY = /^\s*(?:og|twitter|article|fb|al|product|book|profile|music|video|place|business):/i;

export function isCardName(property: string): boolean {
  return CARD_PROPERTY.test(property);
}

export function findMarkup(tree: PageTree): PageMarkup {
  const { nodes } = tree;
  const found = {
    baseHref: null as string | null,
    jsonScripts: [] as number[],
    metas: [] as number[],
    links: [] as number[],
    itemScopes: [] as number[],
    itemProps: [] as number[],
    hasRdfa: false,
    formatRoots: [] as number[],
    crumbTrails: [] as number[],
  };
  for (let at = 0; at < nodes.length; at++) {
    const { name, attributes } = nodes[at]!;
    if (attributes.length === 0) continue;
    if (name === 'meta') found.metas.push(at);
    else if (name === 'base') found.baseHref ??= tree.attribute(at, 'href');
    for (let i = 0; i < attributes.length; i += 2) {
      const value = attributes[i + 1] ?? '';
      switch (attributes[i]) {
        case 'class':
          if (FORMAT_ROOT.test(value)) found.formatRoots.push(at);
          if (BREADCRUMB.test(value)) found.crumbTrails.push(at);
          break;
        case 'id':
        case 'aria-label':
          if (BREADCRUMB.test(value)) found.crumbTrails.push(at);
          break;
        case 'itemscope':
          found.itemScopes.push(at);
          break;
        case 'itemprop':
          found.itemProps.push(at);
          break;
        case 'rel':
          if (name === 'link') found.links.push(at);
          if (RDFA_REL.test(value)) found.hasRdfa = true;
          break;
        case 'type':
          if (name === 'script' && JSON_TYPE.test(value)) found.jsonScripts.push(at);
          break;
        case 'typeof':
        case 'vocab':
        case 'about':
          found.hasRdfa = true;
          break;
        case 'property':
          if (!isCardName(value)) found.hasRdfa = true;
          break;
      }
    }
  }
  return found;
}
