/**
 * Makes the outline of a document. Versions of a document are compared by their outlines.
 *
 * In: the bytes of one body and its Content-Type. Out: its elements, texts and comments in the written order, each with
 * its level and its parent (core/page/page-outline.ts), or null if the body is not HTML.
 *
 * What always holds: one pass, linear time, no recursion, no exception. Two documents with the same outline are the
 * same to every reader: the parts that are not kept as nodes (beyond the limits, or in a tag that the end of the
 * document cuts off) are present as a hash. Level 0 has the nodes that belong to no tree: the doctype, the hashes, and
 * the places where formatting elements are closed in the wrong order, which a browser repairs.
 */
import type { PageOutline } from '../../core/page/page-outline.ts';
import { decideReadAs, essenceOf } from '../content-kind.ts';
import { openBody } from '../encoding/charset.ts';
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { keepBytes } from '../encoding/kept-bytes.ts';
import { rootElement } from '../feeds/scan-xml.ts';
import { ForeignContent } from '../html/foreign-content.ts';
import { hashStep } from '../html/html-names.ts';
import { AttributeReader, lowerAscii } from '../html/read-attributes.ts';
import { endsTagName, isLetter } from '../html/scan-tag.ts';
import { MarkupSkipper } from '../html/skip-markup.ts';
import { OpenElements } from './open-elements.ts';
import * as bit from './outline-elements.ts';
import { NO_ATTRIBUTES, OutlineNodes } from './outline-nodes.ts';

const MAX_OUTLINE_ATTRIBUTES = 400_000;
/** Longer documents are outlined only up to this size. */
const MAX_OUTLINE_BYTES = 32 * 1024 * 1024;
/** Elements without a rule get numbers from here on, separately in each document. */
const FIRST_OTHER_ID = 1_000;

/**
 * Most tags begin within this many bytes after the previous tag. Checking each
 * byte is then faster than calling indexOf.
 */
const NEAR_BYTES = 16;

const SLASH = 47;
const LESS = 60;
const GREATER = 62;
const BANG = 33;
const QUESTION = 63;
const DIGIT_ZERO = 48;
const REPLACEMENT = Buffer.from('\ufffd');
const XML_TYPES = ['application/xhtml+xml', 'application/xml', 'text/xml'];

const { ELEMENTS, ELEMENT_BITS } = bit;
const P = ELEMENTS.id('p');
const BR = ELEMENTS.id('br');
const HTML = ELEMENTS.id('html');
const BODY = ELEMENTS.id('body');
const SCRIPT = ELEMENTS.id('script');
const SVG = ELEMENTS.id('svg');
const MATH = ELEMENTS.id('math');

export function outlinePage(body: Buffer, contentType: string): PageOutline | null {
  const readAs = decideReadAs(body, contentType, '');
  if (readAs !== 'html' && readAs !== 'xml') return null;
  const kept = body.length > MAX_OUTLINE_BYTES ? body.subarray(0, MAX_OUTLINE_BYTES) : body;
  const opened = openBody(kept, contentType, readAs);
  if (readAs === 'xml' && rootElement(opened.document) !== 'html') return null;
  const document = keepBytes(opened.document);
  const outline = new OutlineNodes();
  new OutlineScan(document, XML_TYPES.includes(essenceOf(contentType)), outline).run();
  if (kept !== body) outline.addRest(body.subarray(kept.length));
  // Bytes that are invalid in another charset were replaced by U+FFFD, so their
  // difference is lost. The hash of the body keeps it.
  if (opened.charset !== 'utf-8' && document.bytes.includes(REPLACEMENT)) outline.addRest(body);
  return outline;
}

class OutlineScan {
  readonly #document: DocumentBytes;
  readonly #isXml: boolean;
  readonly #attributes: AttributeReader;
  readonly #skip: MarkupSkipper;
  readonly #foreign = new ForeignContent();
  readonly #open = new OpenElements();
  readonly #nodes: OutlineNodes;
  readonly #otherIds = new Map<string, number>();
  #attributesLeft = MAX_OUTLINE_ATTRIBUTES;

  constructor(document: DocumentBytes, isXml: boolean, nodes: OutlineNodes) {
    this.#document = document;
    this.#nodes = nodes;
    this.#isXml = isXml;
    this.#attributes = new AttributeReader(document);
    this.#skip = new MarkupSkipper(document.chars);
  }

  run(): void {
    const restStart = this.#read();
    if (restStart >= 0) this.#nodes.addRest(this.#document.bytes.subarray(restStart));
  }

  /** Returns the position where it stopped before the end, or -1 if it reached the end. */
  #read(): number {
    const { bytes, chars } = this.#document;
    const length = bytes.length;
    let textStart = 0;
    let at = 0;
    for (;;) {
      const near = Math.min(length, at + NEAR_BYTES);
      while (at < near && bytes[at] !== LESS) at++;
      if (at >= near) at = chars.indexOf('<', near);
      if (at < 0) break;
      const isEnd = bytes[at + 1] === SLASH;
      const nameStart = isEnd ? at + 2 : at + 1;
      const code = nameStart < length ? (bytes[nameStart] as number) : -1;
      const isTag = isLetter(code);
      // A `<` that opens no tag is text.
      if (!isTag && (isEnd ? code < 0 : code !== BANG && code !== QUESTION)) {
        at++;
        continue;
      }
      if (this.#nodes.isFull) return textStart;
      if (textStart < at) this.#nodes.addText(this.#open, this.#document.text(textStart, at));
      textStart = isTag ? this.#tag(nameStart, isEnd) : this.#nameless(at, isEnd);
      if (textStart < 0) return at;
      at = textStart;
    }
    if (textStart < length) this.#nodes.addText(this.#open, this.#document.text(textStart, length));
    return -1;
  }

  /**
   * Reads a start or end tag and returns the position where the scan continues. Returns -1
   * if the tag has no end or too many attributes.
   */
  #tag(nameStart: number, isEnd: boolean): number {
    const { bytes } = this.#document;
    const length = bytes.length;
    let at = nameStart;
    let nameHash = 0;
    while (at < length && !endsTagName(bytes[at] as number)) nameHash = hashStep(nameHash, bytes[at++] as number);
    if (at >= length) return -1;
    let id = ELEMENTS.find(bytes, nameStart, at, nameHash);
    let bits = ELEMENT_BITS[id] as number;
    // In the name table, a control code may look like the digit of a heading.
    if (bits & bit.HEADING && (bytes[at - 1] as number) < DIGIT_ZERO) id = 0;
    let name = ELEMENTS.names[id] as string;
    if (id === 0) {
      name = lowerAscii(this.#document.raw(nameStart, at));
      id = this.#otherId(name);
      bits = 0;
    }
    let after = at + 1;
    if (bytes[at] === GREATER) {
      this.#attributes.attributes = NO_ATTRIBUTES;
      this.#attributes.selfClosing = false;
    } else after = this.#attributes.read(at, this.#attributesLeft);
    if (after < 0) return -1;
    if (isEnd) {
      this.#endTag(id, bits, name);
      return after;
    }
    this.#attributesLeft -= this.#attributes.attributes.length / 2;
    return this.#startTag(id, bits, name, after);
  }

  #startTag(id: number, bits: number, name: string, after: number): number {
    const { attributes, selfClosing } = this.#attributes;
    const wasForeign = this.#foreign.inside;
    if (wasForeign || id === SVG || id === MATH) bit.enterForeign(this.#foreign, name, this.#attributes);
    if (wasForeign && !this.#foreign.inside && !bit.isIntegrationPoint(name)) this.#open.leaveForeign();
    const isPoint = wasForeign && bit.isIntegrationPoint(name);
    const isForeign = this.#foreign.inside || isPoint || id === SVG || id === MATH;
    if (!isForeign) this.#open.makeRoom(id, bits);
    this.#noteDropped();
    const node = this.#nodes.nodes.length;
    this.#nodes.addElement(this.#open, name, attributes);
    const isEmpty = bits & bit.VOID && !isForeign ? true : selfClosing && (isForeign || this.#isXml);
    // A second `<html>` or `<body>` only adds attributes to the first one. It has no content.
    if (isEmpty || ((id === HTML || id === BODY) && this.#open.contains(id))) return after;
    this.#open.push(id, isPoint ? bit.SPECIAL | bit.SCOPE : isForeign ? 0 : bits, node, isForeign);
    if (isForeign || (bits & (bit.RAW_TEXT | bit.ESCAPABLE_TEXT)) === 0) return after;
    return this.#rawText(id, bits, name, after);
  }

  #rawText(id: number, bits: number, name: string, from: number): number {
    const end = id === SCRIPT ? this.#skip.scriptEnd(from) : this.#skip.rawTextEnd(from, name);
    const isPlain = (bits & bit.RAW_TEXT) !== 0;
    if (from < end)
      this.#nodes.addText(this.#open, isPlain ? this.#document.raw(from, end) : this.#document.text(from, end));
    return end;
  }

  #endTag(id: number, bits: number, name: string): void {
    if (this.#foreign.open) {
      const wasInside = this.#foreign.inside;
      bit.leaveForeign(this.#foreign, name, this.#open.contains(id));
      if (wasInside && !this.#foreign.inside && !this.#open.contains(id)) this.#open.leaveForeign();
    }
    const isTooDeep = this.#open.isTooDeep;
    const hasEnded = this.#open.end(id, bits);
    this.#noteDropped();
    if (hasEnded) return;
    // A browser creates an element for these end tags.
    if (!isTooDeep && (id === P || id === BR)) {
      this.#open.makeRoom(id, bits);
      this.#nodes.addElement(this.#open, name, NO_ATTRIBUTES);
    } else if (isTooDeep || bits & bit.FORMATTING) this.#nodes.addStrayEnd(name);
  }

  #noteDropped(): void {
    for (let left = this.#open.takeDropped(); left > 0; left--) this.#nodes.addStrayEnd('');
  }

  /** Reads a comment, a doctype, CDATA, or a bogus comment (`<!`, `<?`, `</1`), and returns the position after it. */
  #nameless(less: number, isEnd: boolean): number {
    const { chars } = this.#document;
    if (chars.startsWith('<!--', less)) {
      const after = this.#skip.afterComment(less);
      this.#nodes.addComment(this.#open, this.#document.raw(less + 4, commentEnd(chars, less + 4, after)));
      return after;
    }
    if (chars.startsWith('<![CDATA[', less) && (this.#foreign.inside || this.#isXml)) {
      const after = this.#skip.afterCdata(less);
      const end = chars.startsWith(']]>', after - 3) ? after - 3 : after;
      if (less + 9 < end) this.#nodes.addText(this.#open, this.#document.raw(less + 9, end));
      return after;
    }
    const after = this.#skip.afterGreater(less + 2);
    const end = chars[after - 1] === '>' ? after - 1 : after;
    if (chars.slice(less + 2, less + 9).toLowerCase() === 'doctype')
      this.#nodes.addDoctype(this.#document.raw(less + 2, end));
    // `</>` is ignored.
    else if (!isEnd || end > less + 2)
      this.#nodes.addComment(this.#open, this.#document.raw(chars[less + 1] === '?' ? less + 1 : less + 2, end));
    return after;
  }

  #otherId(name: string): number {
    let id = this.#otherIds.get(name);
    if (id === undefined) {
      id = FIRST_OTHER_ID + this.#otherIds.size;
      this.#otherIds.set(name, id);
    }
    return id;
  }
}

function commentEnd(chars: string, from: number, after: number): number {
  if (after - 4 >= from && chars.startsWith('--!>', after - 4)) return after - 4;
  // `<!-->` and `<!--->` are complete comments.
  return chars.startsWith('-->', after - 3) ? Math.max(from, after - 3) : after;
}
