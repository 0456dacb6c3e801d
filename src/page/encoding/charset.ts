/**
 * Finds the encoding of a body and decodes it.
 *
 * In: the bytes of a body and its Content-Type. Out: the text and the name of its encoding.
 *
 * What always holds: it never throws. The sources are asked in this order: byte order mark,
 * HTTP header, `<meta>` in the first 1024 bytes, XML declaration, `<meta>` behind the first 1024 bytes,
 * detection. A label that the encoding standard does not know is ignored.
 */
import { isAscii } from 'node:buffer';
import { detectEncoding } from './detect/detect-encoding.ts';
import { DocumentBytes } from './document-bytes.ts';
import { charsetOfContentType, encodingOfLabel } from './labels.ts';
import { decodeLegacy } from './legacy-codec.ts';
import { PRESCAN_BYTES, prescanMeta, prescanXmlDeclaration } from './prescan.ts';

export interface DecodedBody {
  text: string;
  charset: string;
}

/** A string in V8 holds at most half a gigabyte. The bodies that a crawl keeps are far smaller than this limit. */
const MAX_DECODE_BYTES = 128 * 1024 * 1024;
const MAX_CACHED_HEADERS = 1_000;
const MAX_CACHED_HEADER_CHARS = 100;

export function decodeBody(body: Buffer, contentType: string, syntax: 'html' | 'xml' | 'text'): DecodedBody {
  const { bytes, charset } = chooseEncoding(body, contentType, syntax);
  return { text: isPlain(bytes, charset) ? bytes.toString('latin1') : decodeAs(bytes, charset), charset };
}

export interface OpenedBody {
  document: DocumentBytes;
  charset: string;
}

/** Like decodeBody, but for the scanners. Most bodies are already UTF-8, so the whole body is not decoded. */
export function openBody(body: Buffer, contentType: string, syntax: 'html' | 'xml'): OpenedBody {
  const { bytes, charset } = chooseEncoding(body, contentType, syntax);
  const isUtf8 = charset === 'utf-8' || isPlain(bytes, charset);
  return { document: new DocumentBytes(isUtf8 ? bytes : Buffer.from(decodeAs(bytes, charset), 'utf8')), charset };
}

/** The returned `bytes` are the body without its byte order mark. */
function chooseEncoding(
  body: Buffer,
  contentType: string,
  syntax: 'html' | 'xml' | 'text',
): { bytes: Buffer; charset: string } {
  const bytes = body.length > MAX_DECODE_BYTES ? body.subarray(0, MAX_DECODE_BYTES) : body;
  const mark = byteOrderMark(bytes);
  if (mark !== null) return { bytes: bytes.subarray(mark.bytes), charset: mark.charset };
  return { bytes, charset: encodingOfHeader(contentType) ?? declaredInside(bytes, syntax) ?? detectEncoding(bytes) };
}

/** Cached, because servers send few different headers, each of them many times. */
function encodingOfHeader(contentType: string): string | null {
  let encoding = HEADER_ENCODINGS.get(contentType);
  if (encoding === undefined) {
    encoding = encodingOfLabel(charsetOfContentType(contentType));
    const keep = HEADER_ENCODINGS.size < MAX_CACHED_HEADERS && contentType.length <= MAX_CACHED_HEADER_CHARS;
    if (keep) HEADER_ENCODINGS.set(contentType, encoding);
  }
  return encoding;
}

const HEADER_ENCODINGS = new Map<string, string | null>();

function declaredInside(bytes: Buffer, syntax: 'html' | 'xml' | 'text'): string | null {
  if (syntax === 'text') return null;
  // XHTML that is served as HTML often has only an XML declaration. Browsers read the declaration in this case too.
  let encoding = syntax === 'xml' ? null : prescanMeta(bytes);
  encoding ??= prescanXmlDeclaration(bytes);
  if (encoding === null && syntax === 'html' && hasLateCharset(bytes)) encoding = prescanMeta(bytes, bytes.length);
  if (encoding === null) return null;
  // If the declaration can be read byte by byte, the document is not UTF-16 (HTML standard 13.2.3.2).
  if (encoding.startsWith('utf-16')) return bytes[1] === 0 ? 'utf-16le' : bytes[0] === 0 ? 'utf-16be' : 'utf-8';
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
}

/** Reading the whole document takes as long as the scan, so it must have a reason. */
function hasLateCharset(bytes: Buffer): boolean {
  return bytes.indexOf('harset', PRESCAN_BYTES) > 0 || bytes.indexOf('HARSET', PRESCAN_BYTES) > 0;
}

function byteOrderMark(bytes: Buffer): { charset: string; bytes: number } | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { charset: 'utf-8', bytes: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes[2] === 0 && bytes[3] === 0)
    return { charset: 'utf-32le', bytes: 4 };
  if (bytes[0] === 0 && bytes[1] === 0 && bytes[2] === 0xfe && bytes[3] === 0xff)
    return { charset: 'utf-32be', bytes: 4 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { charset: 'utf-16le', bytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { charset: 'utf-16be', bytes: 2 };
  return null;
}

/** Whether all bytes are ASCII and the charset is an extension of ASCII. Such text needs no decoding. */
function isPlain(bytes: Buffer, charset: string): boolean {
  return (charset === 'utf-8' || charset === 'windows-1252') && isAscii(bytes);
}

function decodeAs(bytes: Buffer, charset: string): string {
  return charset === 'utf-8' ? bytes.toString('utf8') : decodeLegacy(bytes, charset);
}
