/**
 * Decodes the encodings other than UTF-8, and encodes the queries of links in them. Node's decoder gets thousands of
 * codes of the East Asian encodings wrong, and Node has no encoder. The tables of the encoding standard are therefore
 * those of `@exodus/bytes` (docs/dependencies.md), loaded by the first page that needs them.
 */
import { createRequire } from 'node:module';

/** Node 24 decodes all other encodings as the standard does. Proof: test/page/encoding/every-code.test.ts. */
const DECODED_BY_TABLES = new Set(['big5', 'euc-jp', 'euc-kr', 'iso-2022-jp', 'shift_jis']);
/** An encoding that browsers do not have, but old Russian pages: the characters of the bytes from 80 on. */
const IBM855 =
  'ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐' +
  '└┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u00adыЫзЗшШэЭщЩчЧ§■\u00a0';
/** The URL standard encodes these characters in the query of an http URL, besides controls and non-ASCII. */
const QUERY_SET = ' "#\'<>';
const NOT_ASCII = /[^\0-\x7f]/;

interface MultiByte {
  createMultibyteDecoder(encoding: string, loose: boolean): (bytes: Uint8Array) => string;
}

interface PercentEncoder {
  percentEncodeAfterEncoding(encoding: string, text: string, percentEncodeSet: string): string;
}

const loaded = new Map<string, unknown>();

/** Null in the single file of the watcher, which has no packages beside it. */
function load<T>(module: string): T | null {
  if (!loaded.has(module)) {
    try {
      loaded.set(module, createRequire(import.meta.url)(`@exodus/bytes/${module}.js`));
    } catch {
      loaded.set(module, null);
    }
  }
  return loaded.get(module) as T | null;
}

export function decodeLegacy(bytes: Buffer, encoding: string): string {
  // The standard allows no other result for encodings that browsers gave up for security reasons.
  if (encoding === 'replacement') return bytes.length === 0 ? '' : '\ufffd';
  if (encoding === 'ibm855')
    return bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => IBM855[byte.charCodeAt(0) - 128] as string);
  if (encoding.startsWith('utf-32')) return decodeUtf32(bytes, encoding === 'utf-32le');
  const tables = DECODED_BY_TABLES.has(encoding) ? load<MultiByte>('multi-byte') : null;
  if (tables !== null) return tables.createMultibyteDecoder(encoding, true)(bytes);
  return new TextDecoder(encoding).decode(bytes);
}

/** Browsers do not decode UTF-32 any more. A page in it would be read as UTF-16 with zeros between its letters. */
function decodeUtf32(bytes: Buffer, isLittleEndian: boolean): string {
  const units = Buffer.alloc(bytes.length);
  let size = 0;
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = isLittleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    size += units.write(String.fromCodePoint(isCharacter ? code : 0xfffd), size, 'utf16le');
  }
  return units.toString('utf16le', 0, size);
}

/** Whether the queries of a page's links are encoded in the encoding of the page (encoding standard 4.3). */
export function encodesQueries(encoding: string): boolean {
  return encoding !== '' && encoding !== 'replacement' && encoding !== 'ibm855' && !encoding.startsWith('utf-');
}

/**
 * An http link with its query in the encoding of its page (URL standard 4.4, query state). Characters that the encoding
 * does not have become `%26%23…%3B`.
 */
export function encodeQuery(href: string, encoding: string): string {
  if (!NOT_ASCII.test(href)) return href;
  const hash = href.indexOf('#');
  const end = hash < 0 ? href.length : hash;
  const start = href.indexOf('?') + 1;
  if (start === 0 || start > end) return href;
  const query = href.slice(start, end).replace(/[\t\n\r]/g, '');
  // `encoding` brings the East Asian tables to `whatwg`.
  const tables = load('encoding') === null ? null : load<PercentEncoder>('whatwg');
  if (tables === null) return href;
  return href.slice(0, start) + tables.percentEncodeAfterEncoding(encoding, query, QUERY_SET) + href.slice(end);
}
