/**
 * The scanner's XML mode, for sitemaps and feeds: elements by local name, text with CDATA and references resolved. As
 * lenient as the HTML scan (an unclosed document gives what came before); no entity is ever expanded from a document's
 * own DTD, so there is nothing to blow up.
 */
import type { DocumentBytes } from './document-bytes.ts';
import { FoldedText } from './fold-text.ts';
import { decodeXmlText } from './references.ts';
import { endsTagName, TagScanner } from './scan-tag.ts';

export interface XmlHandler {
  /** `name` is local and in lower case; `parent` is that of the element around it, '' at the root. */
  open(name: string, parent: string, tag: TagScanner): void;
  /** `text` is what stood between its tags, elements inside it left out, white space folded. */
  close(name: string, parent: string, text: string): void;
  /** Whether enough is known: the scan stops. */
  done: boolean;
}

/** Deeper elements are passed over: the formats we read are six levels deep. */
const MAX_DEPTH = 100;
const MAX_NAME_CHARS = 100;
const MAX_TEXT_CHARS = 4_000;

/** The local name of the root element, in lower case; '' if there is none. */
export function rootElement(document: DocumentBytes): string {
  let root = '';
  const handler: XmlHandler = {
    done: false,
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
      else if (path.includes(name)) {
        // An element left open ends with the one around it.
        while (path.at(-1) !== name) close(path.pop() as string);
        close(path.pop() as string);
      }
    } else {
      const end = nameEnd(xml, less + 1);
      const after = end === less + 1 ? -1 : tag.scan(end, true);
      if (after < 0) {
        at = end === less + 1 ? less + 1 : length;
        continue;
      }
      at = after;
      if (tooDeep > 0 || path.length >= MAX_DEPTH) {
        if (!tag.selfClosing) tooDeep++;
        continue;
      }
      const name = localName(xml, less + 1, end);
      text.take();
      handler.open(name, path.at(-1) ?? '', tag);
      if (tag.selfClosing) close(name);
      else path.push(name);
    }
  }
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
  // A doctype; what stands in its brackets is skipped with it.
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

/** Without the prefix of its namespace; prefixes are free to choose, and documents get the namespaces wrong. */
function localName(xml: string, from: number, to: number): string {
  const name = xml.slice(from, Math.min(to, from + MAX_NAME_CHARS));
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
