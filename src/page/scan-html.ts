/**
 * One pass over an HTML document: links, facts, headings and text, without a tree.
 *
 * Written by hand because htmlparser2 reads 2,900 pages/s of 36 KB where this pass, which jumps from `<` to `<` and reads
 * attributes only where they matter, reads several times that (docs/page.md has the figures, bench/parts/page.ts the
 * measurement). It follows the tokenizer of the HTML standard (13.2.5) where that decides what is a link, and the tree
 * builder only where it feeds back into the tokenizer (raw text, foreign content).
 *
 * Always: linear time, no recursion, no throw; every link of a browser's tree is found, and sometimes one more.
 */
import { foldText } from './fold-text.ts';
import { ForeignContent } from './foreign-content.ts';
import * as names from './html-names.ts';
import { LinkList } from './link-list.ts';
import { TextListener } from './listen-text.ts';
import { MAX_TITLE_CHARS, type ParsedPage, type ParseOptions } from './parsed-page.ts';
import { ElementReader } from './read-element.ts';
import { decodeText } from './references.ts';
import { endsTagName, TagScanner, zeros } from './scan-tag.ts';
import { MarkupSkipper } from './skip-markup.ts';

const { TAGS, TAG_BITS, ATTRIBUTES } = names;
const A = TAGS.id('a');
const IMG = TAGS.id('img');
const H1 = TAGS.id('h1');
const H6 = TAGS.id('h6');
const SCRIPT = TAGS.id('script');
const STYLE = TAGS.id('style');
const TITLE = TAGS.id('title');
const XMP = TAGS.id('xmp');
const PLAINTEXT = TAGS.id('plaintext');
const HIDDEN = ATTRIBUTES.id('hidden');
const ENCODING = ATTRIBUTES.id('encoding');
const FONT_STYLES = ['color', 'face', 'size'].map((name) => ATTRIBUTES.id(name));

const BANG = 33;
const SLASH = 47;
const LESS = 60;
const GREATER = 62;
const QUESTION = 63;

/** Fills `page` from a decoded document. */
export function scanHtml(html: string, page: ParsedPage, options: ParseOptions): void {
  new HtmlScan(html, page, options).run();
}

class HtmlScan {
  readonly #html: string;
  readonly #page: ParsedPage;
  readonly #wantText: boolean;
  readonly #tag: TagScanner;
  readonly #skip: MarkupSkipper;
  readonly #links: LinkList;
  readonly #reader: ElementReader;
  readonly #text: TextListener;
  readonly #foreign = new ForeignContent();
  /** How many start tags of each name have had no end tag yet. */
  readonly #openTags = zeros(TAGS.names.length);
  #titleSeen = false;

  constructor(html: string, page: ParsedPage, options: ParseOptions) {
    this.#html = html;
    this.#page = page;
    this.#wantText = options.wantText;
    this.#tag = new TagScanner(html);
    this.#skip = new MarkupSkipper(html);
    this.#links = new LinkList(options.maxLinks);
    this.#reader = new ElementReader(this.#tag, this.#links, page);
    this.#text = new TextListener(html, page, options.wantText);
  }

  run(): void {
    const html = this.#html;
    const length = html.length;
    const text = this.#text;
    let textStart = 0;
    let less = html.indexOf('<');
    while (less >= 0) {
      const code = less + 1 < length ? html.charCodeAt(less + 1) : 0;
      const name = code === SLASH && less + 2 < length ? html.charCodeAt(less + 2) : 0;
      if (!isLetter(code) && code !== BANG && code !== QUESTION && name === 0) {
        // A `<` that opens nothing is text like any other.
        less = html.indexOf('<', less + 1);
        continue;
      }
      if (text.listening && textStart < less) text.add(textStart, less);
      if (name === 0) textStart = isLetter(code) ? this.#startTag(less) : this.#declaration(less);
      else textStart = isLetter(name) ? this.#endTag(less) : this.#skip.afterGreater(less + 2);
      // Tags often follow each other at once: a look saves a search.
      less = textStart < length && html.charCodeAt(textStart) === LESS ? textStart : html.indexOf('<', textStart);
    }
    if (text.listening && textStart < length) text.add(textStart, length);
    text.finish();
    this.#reader.finish();
    this.#page.links = this.#links.links;
    this.#page.linksTruncated = this.#links.truncated;
  }

  /** Reads the start tag at `less` and, where its content is raw text, that too; returns the place after. */
  #startTag(less: number): number {
    const html = this.#html;
    const length = html.length;
    let at = less + 1;
    let hash = 0;
    let code = html.charCodeAt(at);
    do {
      hash = names.hashStep(hash, code);
      if (++at >= length) return length;
      code = html.charCodeAt(at);
    } while (code > GREATER || !endsTagName(code));
    const id = TAGS.find(html, less + 1, at, hash);
    const bits = TAG_BITS[id] as number;
    const keep = (bits & names.READS_ATTRIBUTES) !== 0 || (this.#wantText && (bits & names.HIDEABLE) !== 0);
    let after = at + 1;
    let selfClosing = false;
    if (keep || code !== GREATER) {
      after = this.#tag.scan(at, keep);
      if (after < 0) return length;
      selfClosing = this.#tag.selfClosing;
    }

    const foreign = this.#foreign;
    const inForeign = foreign.inside;
    if (inForeign || bits & names.FOREIGN) this.#enterForeign(id, bits, selfClosing);
    if (id === 0) return after;
    this.#openTags[id] = (this.#openTags[id] as number) + 1;
    if (this.#wantText) this.#text.startTag(id, bits, this.#hidesText(id, bits, inForeign), selfClosing && inForeign);
    if (id === A) {
      // An <a> cannot hold another: the second ends the first (13.2.6.4.7).
      this.#text.endAnchor();
      this.#text.startAnchor(this.#reader.anchor());
    } else if (bits & names.READS_ATTRIBUTES) {
      this.#reader.element(id);
      if (id === IMG && this.#text.inAnchor) this.#text.addAlt(this.#reader.alt());
    } else if (id >= H1 && id <= H6) this.#text.startHeading(id - H1 + 1);
    // Inside svg and math, raw text elements hold markup.
    return bits & names.RAW_TEXT && !inForeign ? this.#rawText(id, after) : after;
  }

  #rawText(id: number, from: number): number {
    const end = id === SCRIPT ? this.#skip.scriptEnd(from) : this.#skip.rawTextEnd(from, TAGS.names[id] as string);
    if (id === TITLE) {
      if (!this.#titleSeen) this.#page.title = foldText(decodeText(this.#html.slice(from, end)), MAX_TITLE_CHARS);
      this.#titleSeen = true;
    } else if (id === XMP || id === PLAINTEXT) {
      if (this.#text.listening) this.#text.addRaw(from, end);
    }
    return end;
  }

  #endTag(less: number): number {
    const html = this.#html;
    const length = html.length;
    let at = less + 2;
    let hash = 0;
    let code = html.charCodeAt(at);
    do {
      hash = names.hashStep(hash, code);
      if (++at >= length) return length;
      code = html.charCodeAt(at);
    } while (code > GREATER || !endsTagName(code));
    const after = code === GREATER ? at + 1 : this.#tag.scan(at, false);
    if (after < 0) return length;
    const id = TAGS.find(html, less + 2, at, hash);
    if (id === 0) return after;
    const bits = TAG_BITS[id] as number;
    const open = this.#openTags[id] as number;
    if (this.#foreign.open) this.#foreign.endTag(id, bits, open > 0);
    if (open > 0) this.#openTags[id] = open - 1;
    if (this.#wantText) this.#text.endTag(id, bits);
    if (id === A) this.#text.endAnchor();
    else if (id >= H1 && id <= H6) this.#text.endHeading();
    return after;
  }

  /** Comments, doctypes, CDATA, and all the bogus comments that begin with `<!` or `<?`. */
  #declaration(less: number): number {
    const html = this.#html;
    if (html.startsWith('<!--', less)) return this.#skip.afterComment(less);
    if (this.#foreign.inside && html.startsWith('<![CDATA[', less)) {
      const after = this.#skip.afterCdata(less);
      if (this.#text.listening) this.#text.addRaw(less + 9, after - 3);
      return after;
    }
    return this.#skip.afterGreater(less + 2);
  }

  #enterForeign(id: number, bits: number, selfClosing: boolean): void {
    const readable = (bits & names.READS_ATTRIBUTES) !== 0;
    const encoding = readable ? (this.#tag.value(ENCODING) ?? '').toLowerCase() : '';
    this.#foreign.startTag(id, bits, {
      selfClosing,
      holdsHtml: encoding === 'text/html' || encoding === 'application/xhtml+xml',
      styledFont: readable && FONT_STYLES.some((attribute) => this.#tag.has(attribute)),
    });
  }

  /** Whether what follows this start tag is not to be seen, up to its end tag. */
  #hidesText(id: number, bits: number, inForeign: boolean): boolean {
    // Raw text is skipped as a whole, except in svg, where a style sheet looks like text.
    if (bits & names.RAW_TEXT) return inForeign && (id === STYLE || id === SCRIPT);
    return (bits & names.INVISIBLE) !== 0 || ((bits & names.HIDEABLE) !== 0 && this.#tag.has(HIDDEN));
  }
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 97 && lower <= 122;
}
