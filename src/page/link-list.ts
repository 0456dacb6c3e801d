/** The links of one page in the written order, up to a limit. */
import { entryTimeMs } from './feeds/entry-time.ts';
import { gradePosition } from './link-grade.ts';
import { type LinkGrade, type LinkKind, MAX_REL_CHARS, type PageLink } from './parsed-page.ts';

export class LinkList {
  readonly links: PageLink[] = [];
  readonly #maxLinks: number;
  readonly #length: number;
  truncated = false;
  /** The visibility of the next links, and the position of their tag. */
  visibility: LinkGrade = 1;
  at = 0;

  /** `length` is the length of the document, or 0 if the position of a link has no meaning. */
  constructor(maxLinks: number, length = 0) {
    this.#maxLinks = maxLinks;
    this.#length = length;
  }

  /**
   * Adds a link and returns it, so that its text can be set later. Returns null if the page has too many links already.
   */
  add(href: string, kind: LinkKind, text: string, rel: string): PageLink | null {
    if (this.links.length >= this.#maxLinks) {
      this.truncated = true;
      return null;
    }
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
