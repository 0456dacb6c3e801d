/**
 * Collects the references of a document: only the wanted classes, documents and assets in the order of the page,
 * guesses after them. So a URL that is a link and a guess counts as a link.
 */
import type { LinkList } from '../link-list.ts';
import { CLASS_OF_KIND, type LinkKind, type ReferenceClasses } from '../reference-kinds.ts';
import { type CssUse, scanCss } from './css.ts';
import { guessAbsolute, guessUrls } from './guess-strings.ts';
import { scanScript } from './script.ts';

const KIND_OF_USE: Readonly<Record<CssUse, LinkKind>> = { import: 'stylesheet', font: 'font', image: 'css-image' };

export class ReferenceSink {
  readonly links: LinkList;
  readonly wantsAssets: boolean;
  readonly wantsGuesses: boolean;
  readonly #guesses: [href: string, kind: LinkKind][] = [];
  readonly #maxGuesses: number;
  /** Set while markup in a comment is read: each reference in it is a guess. */
  inComment = false;
  /** The number of forms that were read. */
  forms = 0;

  constructor(links: LinkList, classes: ReferenceClasses, maxGuesses: number) {
    this.links = links;
    this.wantsAssets = classes.has('asset');
    this.wantsGuesses = classes.has('guess');
    this.#maxGuesses = maxGuesses;
  }

  add(href: string, kind: LinkKind, text = '', rel = ''): void {
    // A fragment leads to the page itself, and data has no address.
    if (href === '' || href.charCodeAt(0) === NUMBER_SIGN || /^data:/i.test(href)) return;
    const written = this.inComment ? 'comment' : kind;
    const wanted = CLASS_OF_KIND[written];
    if (wanted === 'guess') this.guess(href, written);
    else if (wanted === 'document' || this.wantsAssets) this.links.add(href, written, text, rel);
  }

  guess(href: string, kind: LinkKind): void {
    if (!this.wantsGuesses || this.#guesses.length >= this.#maxGuesses) return;
    this.#guesses.push([href, this.inComment ? 'comment' : kind]);
  }

  css(css: string): void {
    if (this.wantsAssets || this.inComment) scanCss(css, (url, use) => this.add(url.trim(), KIND_OF_USE[use]));
  }

  script(script: string): void {
    if (this.wantsAssets) scanScript(script, (url) => this.add(url, 'script'));
    if (this.wantsGuesses) guessUrls(script, (url) => this.guess(url, 'string'));
  }

  text(text: string, kind: LinkKind = 'text'): void {
    if (this.wantsGuesses) guessAbsolute(text, (url) => this.guess(url, kind));
  }

  quoted(text: string, kind: LinkKind): void {
    if (this.wantsGuesses) guessUrls(text, (url) => this.guess(url, kind));
  }

  /** Call this after the whole document was read. */
  finish(): void {
    for (const [href, kind] of this.#guesses) this.links.add(href, kind, '', '');
    this.#guesses.length = 0;
  }
}

const NUMBER_SIGN = 35;

/** What a scan needs to know about the document. */
export interface ReferenceScope {
  readonly sink: ReferenceSink;
  /** The base of the URLs of the document. */
  readonly base: string;
  /** The URL of the document: the target of a form without an action. */
  readonly pageUrl: string;
  /** XML: no element has raw text, and `<![CDATA[` opens real CDATA. */
  readonly isXml?: boolean;
  /** The vocabulary of an XML document, by its root element in lower case. */
  readonly root?: string;
}
