/**
 * Collects the content of a document while a reader works. In: pieces of text, fields and links. Out: a
 * `DocumentContent` that keeps the limits. A reader stops when `isFull` is true.
 */
import { type DocumentContent, LIMITS } from './document-content.ts';

const SPACES = /[\s\u0000-\u001f]+/g;

export class DocumentDraft {
  readonly #url: string;
  /** The text is not wanted. A reader may still add it. */
  readonly linksOnly: boolean;
  readonly #parts: string[] = [];
  #chars = 0;
  #line = '';
  readonly #links = new Set<string>();
  title: string | null = null;
  author: string | null = null;
  language: string | null = null;
  pages: number | null = null;
  isPartial = false;

  constructor(url: string, linksOnly: boolean) {
    this.#url = url;
    this.linksOnly = linksOnly;
  }

  get isFull(): boolean {
    return this.#chars >= LIMITS.textChars;
  }

  /** Adds text that continues the current paragraph. White space is folded when the paragraph ends. */
  append(text: string): void {
    if (this.isFull) {
      this.isPartial = true;
      return;
    }
    this.#chars += text.length;
    this.#line += text;
  }

  endParagraph(): void {
    const text = this.#line.replace(SPACES, ' ').trim();
    this.#line = '';
    if (text !== '') this.#parts.push(text);
  }

  /** Adds text whose line breaks stay as they are. */
  appendLines(text: string): void {
    this.endParagraph();
    if (this.isFull) {
      this.isPartial = true;
      return;
    }
    const room = LIMITS.textChars - this.#chars;
    if (text.length > room) this.isPartial = true;
    this.#chars += text.length;
    this.#parts.push(text.slice(0, room).toWellFormed());
  }

  /** Sets a field once: the first source that has a value is the best one. */
  describe(field: 'title' | 'author' | 'language', value: unknown): void {
    if (this[field] !== null || typeof value !== 'string') return;
    const text = value
      .slice(0, 4 * LIMITS.fieldChars)
      .replace(SPACES, ' ')
      .trim();
    if (text !== '') this[field] = text.slice(0, LIMITS.fieldChars).toWellFormed();
  }

  link(reference: string | null | undefined): void {
    if (reference === null || reference === undefined) return;
    const link = URL.parse(reference.trim(), this.#url);
    if (link === null || (link.protocol !== 'http:' && link.protocol !== 'https:')) return;
    if (this.#links.size < LIMITS.links) this.#links.add(link.href);
    else if (!this.#links.has(link.href)) this.isPartial = true;
  }

  content(separator = '\n'): DocumentContent {
    this.endParagraph();
    const { title, author, language, pages, isPartial } = this;
    const text = this.#parts.join(separator).toWellFormed();
    return { text, title, author, language, links: [...this.#links], pages, isPartial };
  }
}
