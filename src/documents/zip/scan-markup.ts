/**
 * Scans the XML of office documents and the XHTML of books. In: a text. Out: calls for start tags, end tags and text,
 * in document order. It is lenient and keeps no tree, so depth costs nothing. Entities of a document's own DTD are not
 * expanded, so an entity bomb has no effect.
 */
import { decodeHTMLStrict } from 'entities/decode';

export interface MarkupHandler {
  /** `name` is the local name. `attribute` returns the value of an attribute by its local name. */
  open?(name: string, attribute: (name: string) => string | null): void;
  /** Called for end tags, and after `open` for empty elements. */
  close?(name: string): void;
  text?(text: string): void;
  /** The scan stops when this is true. */
  readonly done?: boolean;
}

const MAX_TAG_CHARS = 100_000;

export function scanMarkup(markup: string, handler: MarkupHandler): void {
  let at = 0;
  while (at < markup.length && handler.done !== true) {
    const less = markup.indexOf('<', at);
    const textEnd = less < 0 ? markup.length : less;
    if (textEnd > at) handler.text?.(decodeReferences(markup.slice(at, textEnd)));
    if (less < 0) return;
    const next = markup[less + 1];
    if (next === '!' || next === '?') at = skipDeclaration(markup, less, handler);
    else at = readTag(markup, less, next === '/', handler);
  }
}

function readTag(markup: string, less: number, isEnd: boolean, handler: MarkupHandler): number {
  const greater = tagEnd(markup, less + 1);
  if (greater < 0) return markup.length;
  const tag = markup.slice(isEnd ? less + 2 : less + 1, greater);
  const isEmpty = tag.endsWith('/');
  const nameEnd = tag.search(/[\s/]/);
  const name = localName(nameEnd < 0 ? tag : tag.slice(0, nameEnd));
  if (!isEnd) handler.open?.(name, (wanted) => attributeOf(tag, wanted));
  if (isEnd || isEmpty) handler.close?.(name);
  return greater + 1;
}

/** The position of the `>` that ends a tag, outside quotes. */
function tagEnd(markup: string, from: number): number {
  const last = Math.min(markup.length, from + MAX_TAG_CHARS);
  let quote = '';
  for (let at = from; at < last; at++) {
    const character = markup[at] as string;
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at;
    else if (character === '"' || character === "'") quote = character;
  }
  // A quote that never ends, or a tag that is longer than any real one.
  return markup.indexOf('>', from);
}

/** Walks from one quoted value to the next. The name is the word before the equals sign. */
function attributeOf(tag: string, wanted: string): string | null {
  let at = 0;
  while (true) {
    const equals = tag.indexOf('=', at);
    if (equals < 0) return null;
    let open = equals + 1;
    while (tag[open] === ' ' || tag[open] === '\n' || tag[open] === '\t' || tag[open] === '\r') open++;
    const quote = tag[open];
    if (quote !== '"' && quote !== "'") {
      at = open;
      continue;
    }
    const close = tag.indexOf(quote, open + 1);
    if (close < 0) return null;
    const before = tag.slice(at, equals).trimEnd();
    const name = before.slice(Math.max(...[' ', '\n', '\t', '\r'].map((space) => before.lastIndexOf(space))) + 1);
    if (localName(name) === wanted) return decodeReferences(tag.slice(open + 1, close));
    at = close + 1;
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function decodeReferences(text: string): string {
  return text.includes('&') ? decodeHTMLStrict(text) : text;
}

function skipDeclaration(markup: string, less: number, handler: MarkupHandler): number {
  if (markup.startsWith('<![CDATA[', less)) {
    const end = markup.indexOf(']]>', less + 9);
    handler.text?.(markup.slice(less + 9, end < 0 ? markup.length : end));
    return end < 0 ? markup.length : end + 3;
  }
  if (markup.startsWith('<!--', less)) return after(markup, '-->', less + 4);
  if (markup[less + 1] === '?') return after(markup, '?>', less + 2);
  const greater = after(markup, '>', less);
  return markup.slice(less, greater).includes('[') ? after(markup, ']>', less) : greater;
}

function after(markup: string, needle: string, from: number): number {
  const at = markup.indexOf(needle, from);
  return at < 0 ? markup.length : at + needle.length;
}
