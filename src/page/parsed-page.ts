/** What the page stage hands on: plain data, nothing resolved, nothing judged. */
import type { ContentText } from './content-text.ts';

/** Where a link was written. `DOCUMENT_LINK_KINDS` lists those that lead to another document rather than to a part of this one. */
export const LINK_KINDS = [
  'a',
  'area',
  'iframe',
  'frame',
  'meta-refresh',
  'canonical',
  'alternate',
  'pagination', // rel=next, rel=prev
  'feed', // a feed named by a page, or an entry of a feed
  'sitemap', // a sitemap named by a page, or an entry of a sitemap; rel says 'sitemap' where it leads to a sitemap
  'link', // any other <link>: preload, manifest, search …
  'stylesheet',
  'icon',
  'script',
  'img',
  'media', // video, audio, source, track, enclosures
  'embed', // embed, object
] as const;

export type LinkKind = (typeof LINK_KINDS)[number];

export const DOCUMENT_LINK_KINDS: readonly LinkKind[] = [
  'a',
  'area',
  'iframe',
  'frame',
  'meta-refresh',
  'canonical',
  'alternate',
  'pagination',
  'feed',
  'sitemap',
];

/** Of a link's visibility and of its position (E6). */
export type LinkGrade = 1 | 2 | 3;

export interface PageLink {
  /** As written: character references decoded, white space at both ends gone, not resolved. */
  href: string;
  kind: LinkKind;
  /** Anchor text, alt, title, or lastmod in a sitemap; white space folded, at most MAX_LINK_TEXT_CHARS. */
  text: string;
  /** rel contains nofollow (W15). */
  nofollow: boolean;
  /** Lower case, as written otherwise. */
  rel: string;
  /** 1 plain, 2 bold or italic, 3 both (E6): by what is open around the link where it begins, or begins inside an `<a>`. */
  visibility: LinkGrade;
  /** 3 in the first third of the page, by bytes, 1 in the last (E6). In a feed by entries; 2 in a sitemap, which has no order. */
  position: LinkGrade;
  /** Of an entry of a sitemap or feed: when what it leads to changed last, as it says; absent where it does not. */
  modifiedMs?: number;
  /** Visible text before and after an `<a>`, at most AROUND_SIDE_CHARS each; '' unless asked for. */
  around: string;
}

export const PAGE_KINDS = ['html', 'sitemap', 'feed', 'other'] as const;

export type PageKind = (typeof PAGE_KINDS)[number];

export interface ParsedPage {
  kind: PageKind;
  /** The name the encoding standard gives it; '' where nothing was decoded. */
  charset: string;
  title: string;
  description: string;
  language: string;
  /** The first <base href>, as written. */
  base: string | null;
  /** The first <link rel=canonical>, as written. */
  canonical: string | null;
  metaRobots: { name: string; content: string }[];
  headings: { level: number; text: string }[];
  links: PageLink[];
  linksTruncated: boolean;
  /** Visible text, a line for each block; '' unless asked for. */
  text: string;
}

export interface ParseOptions {
  wantText: boolean;
  /** Link texts and headings of HTML pages; where false, they are '' and []. Yes unless said otherwise. */
  wantAnchors?: boolean;
  /** The text around the anchors of HTML pages. No unless said otherwise. */
  wantAround?: boolean;
  /** Is given what an HTML page itself says; empty after any other page. */
  content?: ContentText;
  /** 0 for none. Sitemaps have a limit of their own. */
  maxLinks: number;
}

// Limits on what one page may make us keep; a page beyond them is cut, never refused.
export const MAX_LINK_TEXT_CHARS = 200;
export const AROUND_SIDE_CHARS = 60;
export const MAX_HEADING_CHARS = 300;
export const MAX_TITLE_CHARS = 1_000;
export const MAX_DESCRIPTION_CHARS = 2_000;
export const MAX_HEADINGS = 500;
export const MAX_META_ROBOTS = 50;
export const MAX_REL_CHARS = 200;

export function emptyPage(kind: PageKind, charset: string): ParsedPage {
  return {
    kind,
    charset,
    title: '',
    description: '',
    language: '',
    base: null,
    canonical: null,
    metaRobots: [],
    headings: [],
    links: [],
    linksTruncated: false,
    text: '',
  };
}
