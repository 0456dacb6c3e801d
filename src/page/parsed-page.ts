/** The result of the page stage: plain data, with nothing resolved and nothing judged. */
import type { WordCollector } from './html/text/collect-words.ts';
import type { LinkKind, ReferenceClasses } from './reference-kinds.ts';

export type { LinkKind } from './reference-kinds.ts';

/** The grade of a link's visibility or position (E6). */
export type LinkGrade = 1 | 2 | 3;

export interface PageLink {
  /** The link as written, with character references decoded and without white space at both ends. Not resolved. */
  href: string;
  kind: LinkKind;
  /**
   * Anchor text, alt, title, or lastmod in a sitemap. White space is folded, and
   * the length is at most MAX_LINK_TEXT_CHARS.
   */
  text: string;
  /** rel contains nofollow (W15). */
  nofollow: boolean;
  /** As written, but in lower case. */
  rel: string;
  /**
   * 1 is plain, 2 is bold or italic, 3 is both (E6). Counts the elements around the start of the
   * link, and emphasis that begins inside an `<a>`.
   */
  visibility: LinkGrade;
  /**
   * 3 in the first third of the page, by bytes, 1 in the last (E6). In a feed, thirds are counted
   * by entries. 2 in a sitemap, which has no order.
   */
  position: LinkGrade;
  /**
   * Only for an entry of a sitemap or feed: the time of the last change according to
   * the entry. Absent if the entry gives no time.
   */
  modifiedMs?: number;
  /** Visible text before and after an `<a>`, at most AROUND_SIDE_CHARS on each side. '' unless asked for. */
  around: string;
}

export const PAGE_KINDS = ['html', 'sitemap', 'feed', 'other'] as const;

export type PageKind = (typeof PAGE_KINDS)[number];

export interface ParsedPage {
  kind: PageKind;
  /** The encoding standard's name of the charset, or '' if nothing was decoded. */
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
  /** Visible text, with one line for each block. '' unless asked for. */
  text: string;
}

export interface ParseOptions {
  wantText: boolean;
  /** Whether to collect link texts and headings of HTML pages. If false, they are '' and []. Default: true. */
  wantAnchors?: boolean;
  /** Whether to collect the text around the anchors of HTML pages. Default: false. */
  wantAround?: boolean;
  /** Receives the words of the content of an HTML page. It is empty after any other page. */
  words?: WordCollector;
  /**
   * Which classes of references are wanted. Absent: documents, and the assets that stand in one attribute of an HTML
   * page. With assets or guesses, the page is read a second time for them.
   */
  classes?: ReferenceClasses;
  /** Whether links that differ only in a fragment `#!…` lead to different URLs. Default: false. */
  keepHashbang?: boolean;
  /** The number of distinct URLs, as written and without fragments. 0 means no links. Sitemaps have their own limit. */
  maxLinks: number;
}

// Limits for the data kept from one page. A page beyond them is cut, never refused.
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
