/**
 * Reads links, facts, headings and text of an HTML document in one pass, without a tree.
 *
 * Written by hand because htmlparser2 reads 2,900 pages/s of 36 KB. This pass jumps from `<` to `<`, reads attributes
 * only where they matter, and is several times as fast (docs/page.md has the figures, bench/parts/page.ts the
 * measurement). It follows the tokenizer of the HTML standard (13.2.5) where the tokenizer decides what is a link. It
 * follows the tree builder only where the tree builder changes the state of the tokenizer (raw text, foreign content).
 *
 * What always holds: linear time, no recursion, no exception. Every link of a
 * browser's tree is found, and sometimes one more.
 */
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { gradeVisibility, type LinkList } from '../link-list.ts';
import { MAX_TITLE_CHARS, type PageLink, type ParsedPage, type ParseOptions } from '../parsed-page.ts';
import { ForeignContent } from './foreign-content.ts';
import * as names from './html-names.ts';
import { ElementReader } from './read-element.ts';
import { endsTagName, isLetter, TagScanner } from './scan-tag.ts';
import { MarkupSkipper } from './skip-markup.ts';
import { foldText } from './text/fold-text.ts';
import { BEFORE_TEXT, ContentListener } from './text/listen-content.ts';
import { TextListener } from './text/listen-text.ts';

const { TAGS, ATTRIBUTES } = names;
const A = TAGS.id('a');
const IMG = TAGS.id('img');
const H1 = TAGS.id('h1');
const SCRIPT = TAGS.id('script');
const STYLE = TAGS.id('style');
const TITLE = TAGS.id('title');
const XMP = TAGS.id('xmp');
const PLAINTEXT = TAGS.id('plaintext');
const FORM = TAGS.id('form');
const IFRAME = TAGS.id('iframe');
const FRAMESET = TAGS.id('frameset');
const NOFRAMES = TAGS.id('noframes');
const NOEMBED = TAGS.id('noembed');
const HREF = ATTRIBUTES.id('href');
const TYPE = ATTRIBUTES.id('type');
const HIDDEN = ATTRIBUTES.id('hidden');
const ENCODING = ATTRIBUTES.id('encoding');
const FONT_STYLES = ['color', 'face', 'size'].map((name) => ATTRIBUTES.id(name));

const BANG = 33;
const SLASH = 47;
const LESS = 60;
const GREATER = 62;
const QUESTION = 63;
const BRACKET = 91;

/** Parts of a page that may have more links to documents. The scan only notes where they are. */
export interface UnreadParts {
  /** Where forms begin. */
  readonly forms: readonly number[];
  /** From, to, from, to … Markup in conditional comments, `<noframes>` and `<noembed>`. */
  readonly ranges: readonly number[];
  /** From, to, from, to … The content of scripts with speculation rules. */
  readonly speculations: readonly number[];
  /** The documents in `srcdoc` attributes. */
  readonly inner: readonly string[];
}

/**
 * Adds the links to `links`, and everything else to `page`. `isXml`: in XHTML that is served as XML, `<script/>` is an
 * empty element.
 */
export function scanHtml(
  document: DocumentBytes,
  page: ParsedPage,
  links: LinkList,
  options: ParseOptions,
  isXml: boolean,
): UnreadParts {
  return new HtmlScan(document, page, links, options, isXml).run();
}

/**
 * Most tags begin within this many bytes after the previous tag. Checking each
 * byte is then faster than calling indexOf.
 */
const NEAR_BYTES = 4;

/** Further forms of a page are not read. */
const MAX_FORMS = 1_000;

const NO_OPEN_TAGS = TAGS.names.map(() => 0);

class HtmlScan {
  readonly #isXml: boolean;
  readonly #document: DocumentBytes;
  readonly #page: ParsedPage;
  readonly #wantText: boolean;
  readonly #gathered: number;
  readonly #placing: number;
  readonly #tagBits: Uint16Array;
  readonly #forms: number[] = [];
  readonly #ranges: number[] = [];
  readonly #speculations: number[] = [];
  readonly #tag: TagScanner;
  readonly #skip: MarkupSkipper;
  readonly #links: LinkList;
  readonly #reader: ElementReader;
  readonly #text: TextListener;
  /** Null unless the caller wants the content or the text around links. */
  readonly #content: ContentListener | null;
  readonly #foreign = new ForeignContent();
  /** How many start tags of each name have no end tag yet. */
  readonly #openTags = NO_OPEN_TAGS.slice();
  #titleSeen = false;
  /** The link of the last `<a>`. */
  #anchor: PageLink | null = null;

  constructor(document: DocumentBytes, page: ParsedPage, links: LinkList, options: ParseOptions, isXml: boolean) {
    this.#isXml = isXml;
    this.#document = document;
    this.#page = page;
    this.#wantText = options.wantText;
    const wantAround = options.wantAround === true;
    const isGathering = options.wantAnchors !== false || wantAround;
    this.#gathered = isGathering || options.words?.wantsHeadings === true ? names.GATHERED : 0;
    this.#placing = options.words !== undefined || wantAround ? names.BESIDE | names.INVISIBLE | names.TIMED : 0;
    const isForDocuments = options.classes !== undefined && !isGathering && !options.wantText;
    this.#tagBits = isForDocuments ? names.DOCUMENT_TAG_BITS : names.TAG_BITS;
    this.#tag = new TagScanner(document);
    this.#skip = new MarkupSkipper(document.chars);
    this.#links = links;
    this.#reader = new ElementReader(this.#tag, this.#links, page, options);
    this.#text = new TextListener(document, page, options);
    this.#content = this.#placing === 0 ? null : new ContentListener(document, options);
  }

  /**
   * This loop is the main cost of a scan. Most tags of a page mean nothing to us, and for such a tag the loop only
   * finds its end. For this reason the loop is long and keeps everything in local variables.
   */
  run(): UnreadParts {
    const { bytes, chars } = this.#document;
    const length = bytes.length;
    const text = this.#text;
    const tag = this.#tag;
    const foreign = this.#foreign;
    const openTags = this.#openTags;
    const wantText = this.#wantText;
    const content = this.#content;
    const tagBits = this.#tagBits;
    const outsideAds = names.OUTSIDE_ADS;
    const endBits = this.#gathered | this.#placing | names.EMPHASIS | (content === null ? 0 : names.LINK);
    const keptBits = names.READS_ATTRIBUTES | (wantText ? names.HIDEABLE : 0);
    const startBits = names.READS_ATTRIBUTES | names.RAW_TEXT | names.FOREIGN | names.SCRIPTLESS | endBits;
    // The end of the open noscript, or of the document.
    let end = length;
    let textStart = 0;
    let less = chars.indexOf('<');
    while (less >= 0) {
      const isEnd = less + 1 < length && bytes[less + 1] === SLASH;
      const nameStart = isEnd ? less + 2 : less + 1;
      let code = nameStart < length ? (bytes[nameStart] as number) : -1;
      if (!isLetter(code)) {
        const after = this.#afterNameless(less, isEnd, code);
        if (after < 0) {
          // A `<` that opens no tag is text.
          less = chars.indexOf('<', less + 1);
          continue;
        }
        if (textStart < less) {
          if (text.listening) text.add(textStart, less);
          if (content?.listening && !foreign.inside) content.add(textStart, less);
        }
        if (text.listening && foreign.inside) this.#addCdata(less, after);
        if (content !== null) content.before = BEFORE_TEXT.removable;
        textStart = after;
      } else {
        if (textStart < less) {
          if (text.listening) text.add(textStart, less);
          if (content?.listening && !foreign.inside) content.add(textStart, less);
        }
        textStart = length;
        let at = nameStart;
        let hash = 0;
        do {
          hash = names.hashStep(hash, code);
          code = ++at < length ? (bytes[at] as number) : GREATER;
        } while (!endsTagName(code));
        // A tag that is cut off by the end of the document is not a tag.
        if (at >= length) break;
        const id = TAGS.find(bytes, nameStart, at, hash);
        const bits = tagBits[id] as number;
        const keep = !isEnd && (bits & keptBits) !== 0;
        const after = keep || code !== GREATER ? tag.scan(at, keep) : at + 1;
        // One comparison for both: -1 becomes a large number.
        if ((after - 1) >>> 0 >= end) {
          if (less >= end) end = length;
          // A tag that a noscript cuts off is not a tag either, but the document goes on.
          else if (end < length) {
            less = end;
            textStart = end;
            continue;
          }
          if (after < 0) break;
        }
        textStart = after;
        if (text.listening && !wantText) text.separate(bits);
        if (content !== null) {
          if (content.hasAds && outsideAds[id] === 1) content.endAds(less);
          if (bits & names.BLOCK) content.endBlock();
          content.before = isEnd ? BEFORE_TEXT.inlineEnd : BEFORE_TEXT.inlineStart;
          if (bits & (names.BLOCK | names.SPACED)) content.endLine(bits, isEnd);
        }
        const all = id !== 0 && (wantText || foreign.open);
        const open = openTags[id] as number;
        if (isEnd) {
          if (open > 0) openTags[id] = open - 1;
          if (all || bits & endBits) this.#endTag(id, bits, open > 0);
        } else {
          openTags[id] = open + 1;
          if (all || bits & startBits) {
            textStart = this.#startTag(id, bits, less, after, code !== GREATER && tag.selfClosing);
            if (bits & names.SCRIPTLESS && !foreign.inside) end = this.#skip.enterNoscript(after);
          }
        }
      }
      const near = Math.min(length, textStart + NEAR_BYTES);
      less = textStart;
      while (less < near && bytes[less] !== LESS) less++;
      if (less >= near) less = chars.indexOf('<', near);
    }
    if (text.listening && textStart < length) text.add(textStart, length);
    if (content?.listening && textStart < length && !foreign.inside) content.add(textStart, length);
    text.finish();
    content?.finish();
    this.#reader.finish();
    return { forms: this.#forms, ranges: this.#ranges, speculations: this.#speculations, inner: this.#reader.inner };
  }

  /**
   * Handles a start tag. If its content is raw text, reads the content too.
   * Returns the position where the scan continues.
   */
  #startTag(id: number, bits: number, less: number, after: number, selfClosing: boolean): number {
    const inForeign = this.#foreign.inside;
    if (inForeign || bits & names.FOREIGN) this.#enterForeign(id, bits, selfClosing);
    if (this.#wantText) this.#text.startTag(id, bits, this.#hidesText(id, bits, inForeign), selfClosing && inForeign);
    if (bits & this.#placing && (bits & names.RAW_TEXT) === 0) this.#content?.startTag(id, bits);
    if (bits & names.READS_ATTRIBUTES) {
      this.#links.at = less;
      if (id === A) this.#startAnchor();
      else if (id === FORM) {
        if (this.#forms.length < MAX_FORMS) this.#forms.push(less);
      } else this.#reader.element(id);
      if (id === IMG && this.#text.inAnchor) this.#text.addAlt(this.#reader.alt());
      if (this.#content !== null && (id === IMG || id === IFRAME || id === SCRIPT)) {
        this.#content.before = BEFORE_TEXT.removable;
      }
    } else if (bits & names.GATHERED) {
      this.#text.startHeading(id - H1 + 1);
      this.#content?.startHeading();
    } else if (bits & names.EMPHASIS) this.#emphasise();
    // Inside svg and math, raw text elements contain markup.
    if ((bits & names.RAW_TEXT) === 0 || inForeign || (selfClosing && this.#isXml)) return after;
    const end = this.#rawText(id, after);
    if (id === SCRIPT && !this.#isData()) this.#content?.leaveOut(less, end);
    return end;
  }

  /** Whether a script may be structured data, which counts as content. */
  #isData(): boolean {
    return this.#tag.has(TYPE) && (this.#tag.value(TYPE) as string).toLowerCase().includes('json');
  }

  #startAnchor(): void {
    // An <a> cannot contain another <a>: the second one ends the first (13.2.6.4.7).
    this.#openTags[A] = 1;
    this.#text.endAnchor();
    this.#anchor = this.#reader.anchor();
    this.#text.startAnchor(this.#anchor);
    this.#content?.startLink(this.#anchor);
    if (this.#tag.has(HREF)) this.#content?.addTarget(this.#tag.startOf(HREF), this.#tag.endOf(HREF));
  }

  /** Emphasis that begins inside a link counts for the link, even if it covers only a part of the link text. */
  #emphasise(): void {
    const visibility = gradeVisibility(this.#openTags);
    this.#links.visibility = visibility;
    if (this.#anchor === null || this.#openTags[A] === 0) return;
    if (visibility > this.#anchor.visibility) this.#anchor.visibility = visibility;
  }

  /** `isOpen`: whether an element of this name is open, according to the count of tags. */
  #endTag(id: number, bits: number, isOpen: boolean): void {
    if (this.#foreign.open) this.#foreign.endTag(id, bits, isOpen);
    if (this.#wantText) this.#text.endTag(id, bits);
    if (bits & this.#placing) this.#content?.endTag(id);
    if (id === A) {
      this.#text.endAnchor();
      this.#content?.endLink();
    } else if (bits & names.GATHERED) {
      this.#text.endHeading();
      this.#content?.endHeading();
    } else if (bits & names.EMPHASIS) this.#links.visibility = gradeVisibility(this.#openTags);
  }

  #rawText(id: number, from: number): number {
    const end = id === SCRIPT ? this.#skip.scriptEnd(from) : this.#skip.rawTextEnd(from, TAGS.names[id] as string);
    // A frameset ignores all elements but frames and noframes (13.2.6.4.20), so this one has no content.
    if (end === this.#document.bytes.length && (this.#openTags[FRAMESET] as number) > 0 && id !== NOFRAMES) return from;
    if (id === TITLE) {
      if (!this.#titleSeen) {
        this.#page.title = foldText(this.#document.text(from, end), MAX_TITLE_CHARS);
        this.#content?.addTitle(from, end);
      }
      this.#titleSeen = true;
    } else if (id === XMP || id === PLAINTEXT) {
      if (this.#text.listening) this.#text.addRaw(from, end);
    } else if (id === SCRIPT) {
      if (this.#tag.has(TYPE) && this.#tag.url(TYPE)?.toLowerCase() === 'speculationrules') {
        this.#speculations.push(from, end);
      }
    } else if (id === NOFRAMES || id === NOEMBED) this.#ranges.push(from, end);
    return end;
  }

  /**
   * The position after a comment, a doctype, CDATA, or a bogus comment (`<!`, `<?`, `</1`). -1 if it is none of these.
   */
  #afterNameless(less: number, isEnd: boolean, code: number): number {
    if (isEnd) return code < 0 ? -1 : this.#skip.afterGreater(less + 2);
    if (code !== BANG && code !== QUESTION) return -1;
    const { chars } = this.#document;
    if (chars.startsWith('<!--', less)) {
      const after = this.#skip.afterComment(less);
      this.#content?.leaveOut(less, after);
      if (this.#document.bytes[less + 4] === BRACKET) this.#ranges.push(less + 4, after);
      return after;
    }
    const isCdata = this.#foreign.inside && chars.startsWith('<![CDATA[', less);
    return isCdata ? this.#skip.afterCdata(less) : this.#skip.afterGreater(less + 2);
  }

  #addCdata(less: number, after: number): void {
    if (this.#document.chars.startsWith('<![CDATA[', less)) this.#text.addRaw(less + 9, after - 3);
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

  /** Whether the text from this start tag to its end tag is invisible. */
  #hidesText(id: number, bits: number, inForeign: boolean): boolean {
    // Raw text is skipped as a whole, except in svg, where a style sheet looks like text.
    if (bits & names.RAW_TEXT) return inForeign && (id === STYLE || id === SCRIPT);
    return (bits & names.INVISIBLE) !== 0 || ((bits & names.HIDEABLE) !== 0 && this.#tag.has(HIDDEN));
  }
}
