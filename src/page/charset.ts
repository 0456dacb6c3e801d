/**
 * Bytes in, text and the name of its encoding out; never throws. In this order: byte order mark, HTTP header, `<meta>` in the
 * first 1024 bytes (or the XML declaration), detection. A label the encoding standard does not know counts as none.
 */
import { isAscii } from 'node:buffer';
import { detectEncoding } from './detect-encoding.ts';
import { charsetOfContentType, prescanMeta, prescanXmlDeclaration } from './prescan.ts';

export interface DecodedBody {
  text: string;
  charset: string;
}

/** A string in V8 holds no more than half a gigabyte; what a crawl keeps is far below. */
const MAX_DECODE_BYTES = 128 * 1024 * 1024;
const MAX_LABEL_CHARS = 40;
const MAX_CACHED_LABELS = 1_000;

export function decodeBody(body: Buffer, contentType: string, syntax: 'html' | 'xml' | 'text'): DecodedBody {
  const bytes = body.length > MAX_DECODE_BYTES ? body.subarray(0, MAX_DECODE_BYTES) : body;
  const mark = byteOrderMark(bytes);
  if (mark !== null) return { text: decodeAs(bytes.subarray(mark.bytes), mark.charset), charset: mark.charset };
  const charset =
    encodingOfLabel(charsetOfContentType(contentType)) ?? declaredInside(bytes, syntax) ?? detectEncoding(bytes);
  return { text: decodeAs(bytes, charset), charset };
}

/** The encoding standard's name for a label, or null for nonsense. */
export function encodingOfLabel(label: string | null): string | null {
  if (label === null || label === '' || label.length > MAX_LABEL_CHARS) return null;
  const key = label.trim().toLowerCase();
  let encoding = ENCODINGS.get(key);
  if (encoding === undefined) {
    encoding = lookUpEncoding(key);
    if (ENCODINGS.size < MAX_CACHED_LABELS) ENCODINGS.set(key, encoding);
  }
  return encoding;
}

const ENCODINGS = new Map<string, string | null>();

function lookUpEncoding(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

function declaredInside(bytes: Buffer, syntax: 'html' | 'xml' | 'text'): string | null {
  if (syntax === 'text') return null;
  // XHTML served as HTML often has an XML declaration and nothing else; browsers read it there too.
  const labels = syntax === 'xml' ? [prescanXmlDeclaration(bytes)] : [prescanMeta(bytes), prescanXmlDeclaration(bytes)];
  for (const label of labels) {
    const encoding = encodingOfLabel(label);
    if (encoding === null) continue;
    // Bytes in which the declaration could be read are not UTF-16 (HTML standard 13.2.3.2).
    if (encoding.startsWith('utf-16')) return bytes[1] === 0 ? 'utf-16le' : bytes[0] === 0 ? 'utf-16be' : 'utf-8';
    return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
  }
  return null;
}

function byteOrderMark(bytes: Buffer): { charset: string; bytes: number } | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { charset: 'utf-8', bytes: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { charset: 'utf-16le', bytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { charset: 'utf-16be', bytes: 2 };
  return null;
}

/** ASCII is read as latin1: that makes one-byte strings, which are the fastest to scan, and is the same text. */
function decodeAs(bytes: Buffer, charset: string): string {
  if (charset === 'utf-8') return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
  if (charset === 'windows-1252' && isAscii(bytes)) return bytes.toString('latin1');
  return new TextDecoder(charset).decode(bytes);
}
