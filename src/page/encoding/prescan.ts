/**
 * Reads the encoding that a document declares: the `<meta>` of HTML by the algorithm of the HTML standard ("prescan a
 * byte stream to determine its encoding"), and the XML declaration. Unknown labels count as no declaration.
 *
 * What always holds: linear time. Each search goes on where the search before it ended, and ends with the prescan.
 */
import { charsetOfMetaContent, encodingOfLabel } from './labels.ts';

/** Browsers wait for so many bytes before they decode the first one. */
export const PRESCAN_BYTES = 1024;
const SLASH = 47;
const GREATER = 62;
/** Between these tags, a `<meta>` is text. The algorithm of the standard overlooks this in the first 1,024 bytes. */
const RAW_TEXT = /^(?:script|style|title|textarea|xmp|iframe|noembed|noframes)$/;

/**
 * The encoding of `<meta charset>` or `<meta http-equiv=content-type>` in the first `limit` bytes. A browser that finds
 * a `<meta>` behind them starts again, and so reads the whole document.
 */
export function prescanMeta(bytes: Buffer, limit = PRESCAN_BYTES): string | null {
  const html = bytes.toString('latin1', 0, Math.min(bytes.length, limit));
  const prescan = new Prescan(html);
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const next = html.charCodeAt(at + 1);
    if (html.startsWith('<!--', at)) at = after(html, '-->', at + 2);
    else if (isLetter(next) || (next === SLASH && isLetter(html.charCodeAt(at + 2)))) {
      const name = prescan.tagName(next === SLASH ? at + 2 : at + 1);
      if (name === 'meta' && next !== SLASH) {
        const encoding = prescan.meta();
        if (encoding !== null) return encoding;
      } else while (prescan.attribute());
      at = prescan.at;
      if (limit > PRESCAN_BYTES && next !== SLASH && RAW_TEXT.test(name)) at = endOfRawText(html, at, name);
    } else if (next === 33 || next === SLASH || next === 63) at = after(html, '>', at);
    else at++;
  }
  return null;
}

function after(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at < 0 ? html.length : at + text.length;
}

function endOfRawText(html: string, from: number, name: string): number {
  let at = html.indexOf('</', from);
  while (at >= 0 && html.slice(at + 2, at + 2 + name.length).toLowerCase() !== name) at = html.indexOf('</', at + 2);
  return at < 0 ? html.length : at;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 97 && lower <= 122;
}

function isWhite(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}

class Prescan {
  readonly #html: string;
  at = 0;
  #name = '';
  #value = '';

  constructor(html: string) {
    this.#html = html;
  }

  /** Reads the name of the tag at `from`, in lower case. Like the standard, takes `<b/>` for a name with a slash. */
  tagName(from: number): string {
    const html = this.#html;
    let end = from;
    while (end < html.length && html.charCodeAt(end) !== GREATER && !isWhite(html.charCodeAt(end))) end++;
    // Only `<meta` may also end with a slash.
    if (html.slice(from, from + 5).toLowerCase() === 'meta/') end = from + 4;
    this.at = end;
    return html.slice(from, Math.min(end, from + 9)).toLowerCase();
  }

  /** Reads the attributes of a `<meta>`. Returns the encoding that it declares, or null. */
  meta(): string | null {
    const seen = new Set<string>();
    let isPragma = false;
    let needsPragma = false;
    let encoding: string | null = null;
    while (this.attribute()) {
      const name = this.#name;
      if (seen.has(name)) continue;
      seen.add(name);
      if (name === 'http-equiv') isPragma = this.#value === 'content-type';
      else if (name === 'content') {
        const found = encodingOfLabel(charsetOfMetaContent(this.#value));
        if (found === null || encoding !== null) continue;
        encoding = found;
        needsPragma = true;
      } else if (name === 'charset') {
        encoding = encodingOfLabel(this.#value);
        needsPragma = false;
      }
    }
    // A tag that is cut off is no tag.
    if (this.at >= this.#html.length && this.#html.charCodeAt(this.at - 1) !== GREATER) return null;
    return needsPragma && !isPragma ? null : encoding;
  }

  /** Reads the next attribute. Returns false and goes behind the `>` if there is none. */
  attribute(): boolean {
    const html = this.#html;
    const { length } = html;
    let at = this.at;
    while (at < length && (html.charCodeAt(at) === SLASH || isWhite(html.charCodeAt(at)))) at++;
    if (at >= length || html.charCodeAt(at) === GREATER) {
      this.at = at + 1;
      return false;
    }
    const nameStart = at++;
    while (at < length && !'\t\n\f\r />='.includes(html[at] as string)) at++;
    this.#name = html.slice(nameStart, at).toLowerCase();
    this.#value = '';
    const nameEnd = at;
    while (at < length && isWhite(html.charCodeAt(at))) at++;
    if (html[at] !== '=') {
      this.at = nameEnd;
      return true;
    }
    do at++;
    while (at < length && isWhite(html.charCodeAt(at)));
    const quote = html[at];
    if (quote === '"' || quote === "'") {
      const end = html.indexOf(quote, at + 1);
      this.#value = html.slice(at + 1, end < 0 ? length : end).toLowerCase();
      this.at = end < 0 ? length + 1 : end + 1;
      return end >= 0;
    }
    const valueStart = at;
    while (at < length && html.charCodeAt(at) !== GREATER && !isWhite(html.charCodeAt(at))) at++;
    this.#value = html.slice(valueStart, at).toLowerCase();
    this.at = at;
    return true;
  }
}

/** Reads `<?xml version="1.0" encoding="…"?>`. In UTF-16, each letter has a zero byte before or after it. */
export function prescanXmlDeclaration(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, Math.min(bytes.length, PRESCAN_BYTES));
  if (head.startsWith('<\0?\0')) return 'utf-16le';
  if (head.startsWith('\0<\0?')) return 'utf-16be';
  if (!head.startsWith('<?xml')) return null;
  const end = head.indexOf('>');
  const match = /encoding[\0-\x20]*=[\0-\x20]*(?:"([^"]*)"|'([^']*)')/.exec(end < 0 ? head : head.slice(0, end));
  return encodingOfLabel(match?.[1] ?? match?.[2] ?? null);
}
