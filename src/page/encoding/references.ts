/** Decodes character references (`&amp;`, `&#38;`). Most values contain no `&`, and these are returned unchanged. */
import { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from 'entities/decode';

/** In an attribute, `&copy=1` and `&copy2` are not decoded (HTML standard 13.2.5.73). Query strings depend on this. */
export function decodeAttribute(raw: string): string {
  return raw.includes('&') ? decodeHTMLAttribute(raw) : raw;
}

export function decodeText(raw: string): string {
  return raw.includes('&') ? decodeHTML(raw) : raw;
}

/** XML has no references without a semicolon. The names of HTML are decoded too, because feeds use them. */
export function decodeXmlText(raw: string): string {
  return raw.includes('&') ? decodeHTMLStrict(raw) : raw;
}

/**
 * The end of the reference whose `&` is at `at`. The result is the longest text that could be one reference, so it
 * decodes as it would inside the whole document.
 */
export function referenceEnd(bytes: Buffer, at: number, to: number): number {
  let end = at + 1;
  if (end < to && bytes[end] === NUMBER_SIGN) end++;
  while (end < to && isAlphanumeric(bytes[end] as number)) end++;
  return end < to && bytes[end] === SEMICOLON ? end + 1 : end;
}

/**
 * The UTF-8 bytes of a reference in text. Cached, because pages use few different references, each of them many times.
 */
export function decodeReference(raw: string): Buffer {
  let decoded = DECODED_REFERENCES.get(raw);
  if (decoded === undefined) {
    decoded = Buffer.from(decodeHTML(raw));
    const keep = DECODED_REFERENCES.size < MAX_CACHED_REFERENCES && raw.length <= MAX_CACHED_CHARS;
    // The key is copied, because a slice would keep the whole document in memory.
    if (keep) DECODED_REFERENCES.set(Buffer.from(raw, 'latin1').toString('latin1'), decoded);
  }
  return decoded;
}

const DECODED_REFERENCES = new Map<string, Buffer>();
const MAX_CACHED_REFERENCES = 1_000;
const MAX_CACHED_CHARS = 40;
const NUMBER_SIGN = 35;
const SEMICOLON = 59;

function isAlphanumeric(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57);
}
