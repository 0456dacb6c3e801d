/** The links of one page in the written order, up to a limit. */
import { TAGS } from './html/html-names.ts';
import { type LinkGrade, type LinkKind, MAX_REL_CHARS, type PageLink } from './parsed-page.ts';

export class LinkList {
  readonly links: PageLink[] = [];
  readonly #maxLinks: number;
  readonly #length: number;
  readonly #keepHashbang: boolean;
  /** The distinct URLs, by kind. Null until the list has reached its limit. */
  #distinct: Set<string> | null = null;
  truncated = false;
  /** The visibility of the next links, and the position of their tag. */
  visibility: LinkGrade = 1;
  at = 0;

  /** `length` is the length of the document, or 0 if the position of a link has no meaning. */
  constructor(maxLinks: number, length = 0, keepHashbang = false) {
    this.#maxLinks = maxLinks;
    this.#length = length;
    this.#keepHashbang = keepHashbang;
  }

  /**
   * Adds a link and returns it, so that its text can be set later. Returns null if the page has too many links already,
   * or if the list is at its limit and has the link.
   */
  add(href: string, kind: LinkKind, text: string, rel: string): PageLink | null {
    const isChecked = this.links.length >= this.#maxLinks || this.#distinct !== null;
    if (isChecked && this.#isFullFor(href, kind)) return null;
    const relation = rel === '' ? '' : rel.slice(0, MAX_REL_CHARS).toLowerCase();
    const link: PageLink = {
      href,
      kind,
      text,
      nofollow: relation !== '' && hasToken(relation, 'nofollow'),
      rel: relation,
      visibility: this.visibility,
      position: this.#length === 0 ? 2 : gradePosition(this.at, this.#length),
      around: '',
    };
    this.links.push(link);
    return link;
  }

  /**
   * The limit counts distinct URLs: ten thousand links to the sections of one page must not hide the other links. Only
   * a page that reaches the limit is searched for repeated links; these are then removed, and no more are added.
   */
  #isFullFor(href: string, kind: LinkKind): boolean {
    if (this.#distinct === null) {
      const distinct = new Set<string>();
      let kept = 0;
      for (const link of this.links) {
        const before = distinct.size;
        if (distinct.add(this.#nameOf(link.href, link.kind)).size > before) this.links[kept++] = link;
      }
      this.links.length = kept;
      this.#distinct = distinct;
    }
    const name = this.#nameOf(href, kind);
    if (this.#distinct.has(name)) return true;
    if (this.links.length >= this.#maxLinks) {
      this.truncated = true;
      return true;
    }
    this.#distinct.add(name);
    return false;
  }

  /** Two links with the same name lead to the same URL. */
  #nameOf(href: string, kind: LinkKind): string {
    const fragment = href.indexOf('#');
    const isPart = fragment < 0 || (this.#keepHashbang && href[fragment + 1] === '!');
    return `${kind} ${isPart ? href : href.slice(0, fragment)}`;
  }

  /** Adds an entry of a sitemap or feed. `modified` is the time in the entry, or ''. */
  addEntry(href: string, kind: 'sitemap' | 'feed', text: string, rel: string, modified: string): void {
    const link = this.add(href, kind, text, rel);
    const modifiedMs = modified === '' ? 0 : entryTimeMs(modified);
    if (link !== null && modifiedMs > 0) link.modifiedMs = modifiedMs;
  }

  /** For links that are listed in order of importance: sets the positions by thirds of the list. */
  placeByOrder(): void {
    const count = this.links.length;
    for (const [index, link] of this.links.entries())
      link.position = (3 - Math.floor((3 * index) / count)) as LinkGrade;
  }
}

/**
 * Whether a list of words contains `token`. The words are in lower case, separated
 * by white space or, on some pages, by commas.
 */
export function hasToken(list: string, token: string): boolean {
  for (let at = list.indexOf(token); at >= 0; at = list.indexOf(token, at + 1)) {
    if (isEdge(list, at - 1) && isEdge(list, at + token.length)) return true;
  }
  return false;
}

function isEdge(list: string, at: number): boolean {
  if (at < 0 || at >= list.length) return true;
  const code = list.charCodeAt(at);
  return code <= 32 || code === 44;
}

/**
 * Grades how prominent a link is on its page (E6). It uses values that the scan
 * counts anyway, so it costs nearly nothing.
 */
const BOLD = TAGS.id('b');
const STRONG = TAGS.id('strong');
const ITALIC = TAGS.id('i');
const EM = TAGS.id('em');

/**
 * 1 is plain, 2 is bold or italic, 3 is both. `openTags` counts the start tags of each name that have no end tag yet.
 */
export function gradeVisibility(openTags: readonly number[]): LinkGrade {
  const bold = (openTags[BOLD] as number) + (openTags[STRONG] as number) > 0;
  const italic = (openTags[ITALIC] as number) + (openTags[EM] as number) > 0;
  return bold && italic ? 3 : bold || italic ? 2 : 1;
}

/** 3 in the first third of a document, 2 in the second, 1 in the last. */
function gradePosition(at: number, length: number): LinkGrade {
  return 3 * at < length ? 3 : 3 * at < 2 * length ? 2 : 1;
}

/** The length of a document without trailing white space and zeros, which some documents have as padding. */
export function writtenLength(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0 && (bytes[length - 1] as number) <= 32) length--;
  return length;
}

/**
 * Parses the times in sitemaps and feeds: W3C date and time (also a date alone), and the RFC 822 dates of RSS. Any
 * other text is 0. A time before 1990 or from 2200 on is also 0.
 */
const W3C = /^\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;
const RFC_822 =
  /^(?:[A-Za-z]{3,9},?\s+)?\d{1,2}\s+[A-Za-z]{3,9}\s+\d{2,4}\s+\d{2}:\d{2}(?::\d{2})?(?:\s+(?:[A-Z]{1,4}|[+-]\d{4}))?$/;
const MAX_CHARS = 40;
const EARLIEST_MS = Date.UTC(1990, 0);
const LATEST_MS = Date.UTC(2200, 0);

export function entryTimeMs(text: string): number {
  const written = text.trim();
  if (written.length > MAX_CHARS || !(W3C.test(written) || RFC_822.test(written))) return 0;
  // A time without a zone is read as UTC, so that the result is the same on every machine.
  const ms = Date.parse(hasZone(written) ? written : `${written.replace(' ', 'T')}Z`);
  return ms >= EARLIEST_MS && ms < LATEST_MS ? ms : 0;
}

/** True for a date alone, because JavaScript reads it as UTC. RSS dates nearly always have a zone. */
function hasZone(written: string): boolean {
  return !/^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/.test(written);
}
