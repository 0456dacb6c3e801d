/**
 * The XML scanner for sitemaps and feeds. It reports elements by local name, and text with CDATA and references
 * resolved. It is as lenient as the HTML scanner: an unclosed document yields everything before the missing end. It
 * never expands entities from a document's own DTD, so an entity bomb has no effect.
 */
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { decodeXmlText } from '../encoding/references.ts';
import { endsTagName, TagScanner } from '../html/scan-tag.ts';
import { FoldedText } from '../html/text/fold-text.ts';

export interface XmlHandler {
  /** `name` is the local name in lower case. `parent` is the name of the enclosing element, or '' at the root. */
  open(name: string, parent: string, tag: TagScanner): void;
  /** `text` is the text after the start tag or after the last child element, with white space folded. */
  close(name: string, parent: string, text: string): void;
  /** The scan stops when this is true. */
  done: boolean;
  /** Elements that never contain themselves. If one begins inside itself, the end tag of the first one is missing. */
  readonly entries: readonly string[];
}

/** Deeper elements are ignored. The formats that we read are six levels deep. */
const MAX_DEPTH = 100;
const MAX_NAME_CHARS = 100;
const MAX_TEXT_CHARS = 4_000;

/** The local name of the root element in lower case, or '' if the document has no element. */
export function rootElement(document: DocumentBytes): string {
  let root = '';
  const handler: XmlHandler = {
    done: false,
    entries: [],
    open(name) {
      root = name;
      handler.done = true;
    },
    close() {},
  };
  scanXml(document, handler);
  return root;
}

export function scanXml(document: DocumentBytes, handler: XmlHandler): void {
  const xml = document.chars;
  const length = xml.length;
  const tag = new TagScanner(document);
  const text = new FoldedText(MAX_TEXT_CHARS);
  const path: string[] = [];
  let tooDeep = 0;
  let at = 0;

  const close = (name: string): void => {
    handler.close(name, path.at(-1) ?? '', text.take());
  };
  /** An unclosed element ends together with the element around it. */
  const closeTo = (name: string): void => {
    while (path.at(-1) !== name) close(path.pop() as string);
    close(path.pop() as string);
  };

  while (!handler.done) {
    const less = xml.indexOf('<', at);
    if (less < 0) break;
    if (less > at) text.append(decodeXmlText(document.raw(at, less)));
    const next = xml[less + 1];
    if (next === '!' || next === '?') {
      at = afterDeclaration(document, less, text);
    } else if (next === '/') {
      const end = nameEnd(xml, less + 2);
      const name = localName(xml, less + 2, end);
      const greater = xml.indexOf('>', end);
      at = greater < 0 ? length : greater + 1;
      if (tooDeep > 0) tooDeep--;
      else if (path.includes(name)) closeTo(name);
    } else {
      const end = nameEnd(xml, less + 1);
      const after = end === less + 1 ? -1 : tag.scan(end, true);
      if (after < 0) {
        at = end === less + 1 ? less + 1 : length;
        continue;
      }
      at = after;
      const name = localName(xml, less + 1, end);
      if (handler.entries.includes(name) && path.includes(name)) {
        closeTo(name);
        tooDeep = 0;
      }
      if (tooDeep > 0 || path.length >= MAX_DEPTH) {
        if (!tag.selfClosing) tooDeep++;
        continue;
      }
      text.take();
      handler.open(name, path.at(-1) ?? '', tag);
      if (tag.selfClosing) close(name);
      else path.push(name);
    }
  }
  // The document ends before its elements do. The text of the innermost element may be cut off, so it is dropped.
  text.take();
  while (!handler.done && path.length > 0) close(path.pop() as string);
}

function afterDeclaration(document: DocumentBytes, less: number, text: FoldedText): number {
  const xml = document.chars;
  if (xml.startsWith('<![CDATA[', less)) {
    const end = xml.indexOf(']]>', less + 9);
    text.append(document.raw(less + 9, end < 0 ? xml.length : end));
    return end < 0 ? xml.length : end + 3;
  }
  if (xml.startsWith('<!--', less)) return after(xml, '-->', less + 4);
  if (xml[less + 1] === '?') return after(xml, '?>', less + 2);
  // A doctype. The text in its brackets is skipped too.
  const greater = after(xml, '>', less);
  return xml.slice(less, greater).includes('[') ? after(xml, ']>', less) : greater;
}

function after(xml: string, needle: string, from: number): number {
  const at = xml.indexOf(needle, from);
  return at < 0 ? xml.length : at + needle.length;
}

function nameEnd(xml: string, from: number): number {
  let at = from;
  while (at < xml.length && !endsTagName(xml.charCodeAt(at))) at++;
  return at;
}

/**
 * The name without the namespace prefix. Prefixes are free to choose, and documents often declare the wrong namespace.
 */
function localName(xml: string, from: number, to: number): string {
  const name = xml.slice(from, Math.min(to, from + MAX_NAME_CHARS));
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
