import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { CHUNKED, each, type RawReplies, reply } from './reply.ts';

/** Long enough that a truncated stream still has decodable bytes, and compressible. */
const PAGE = Array.from({ length: 400 }, (_, i) => `<p>${(i * 7919) % 10_007} paragraph ${i}</p>\n`).join('');

const latin1 = (bytes: Buffer): string => bytes.toString('latin1');
const gzip = latin1(gzipSync(PAGE, { level: 6 }));
const zlib = latin1(deflateSync(PAGE, { level: 6 }));
const raw = latin1(deflateRawSync(PAGE, { level: 6 }));
const br = latin1(brotliCompressSync(PAGE));
const zstd = latin1(zstdCompressSync(PAGE));
const again = (coded: string): string => latin1(gzipSync(Buffer.from(coded, 'latin1')));
const half = (coded: string): string => coded.slice(0, coded.length / 2);

/** The gzip member with the optional parts of its header: extra field, name, comment and checksum of the header. */
function gzipWith(flags: number, parts: string): string {
  return gzip.slice(0, 3) + String.fromCharCode(flags) + gzip.slice(4, 10) + parts + gzip.slice(10);
}

function coded(coding: string, body: string): string {
  return reply(`Content-Type: text/html\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n`, body);
}

function codedLines(lines: readonly string[], body: string): string {
  return reply(`${lines.map((line) => `${line}\r\n`).join('')}Content-Length: ${body.length}\r\n`, body);
}

function inChunks(body: string, size: number): string {
  let chunks = '';
  for (let at = 0; at < body.length; at += size) {
    const piece = body.slice(at, at + size);
    chunks += `${piece.length.toString(16)}\r\n${piece}\r\n`;
  }
  return `${chunks}0\r\n\r\n`;
}

const SOUND = { gzip, 'x-gzip': gzip, GZIP: gzip, deflate: zlib, br, zstd } as const;

const CONTENT: RawReplies = {
  ...Object.fromEntries(Object.entries(SOUND).map(([coding, body]) => [`coding ${coding}`, coded(coding, body)])),
  ...Object.fromEntries(
    Object.entries(SOUND).map(([coding, body]) => [`${coding} cut in half`, coded(coding, half(body))]),
  ),
  ...Object.fromEntries(
    Object.entries(SOUND).map(([coding, body]) => [
      `${coding} in chunks`,
      reply(`Content-Encoding: ${coding}\r\n${CHUNKED}`, inChunks(body, 700)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(SOUND).map(([coding, body]) => [
      `${coding} until close`,
      reply(`Content-Encoding: ${coding}\r\n`, body),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(SOUND).map(([coding, body]) => [`${coding} with garbage after it`, coded(coding, `${body}garbage`)]),
  ),
  ...Object.fromEntries(
    Object.entries(SOUND).map(([coding, body]) => [`${coding} twice in a row`, coded(coding, body + body)]),
  ),
  ...each(
    'a plain body with the coding',
    ['gzip', 'deflate', 'br', 'zstd', 'identity', 'none', 'utf-8', 'unknown', 'compress', ''],
    (coding) => coded(coding, 'hello, world'),
  ),
  ...each('an empty body with the coding', ['gzip', 'deflate', 'br', 'zstd', 'unknown'], (coding) => coded(coding, '')),
  'raw deflate': coded('deflate', raw),
  'raw deflate cut in half': coded('deflate', half(raw)),
  'raw deflate with four bytes after it': coded('deflate', `${raw}abcd`),
  'zlib as gzip': coded('gzip', zlib),
  'gzip as deflate': coded('deflate', gzip),
  'raw deflate as gzip': coded('gzip', raw),
  'gzip as br': coded('br', gzip),
  'gzip with a name': coded('gzip', gzipWith(8, 'page.html\0')),
  'gzip with a comment': coded('gzip', gzipWith(16, 'comment\0')),
  'gzip with an extra field': coded('gzip', gzipWith(4, '\x03\0abc')),
  'gzip without its checksum': coded('gzip', gzip.slice(0, -8)),
  'gzip with half its checksum': coded('gzip', gzip.slice(0, -4)),
  'gzip with a wrong checksum': coded('gzip', `${gzip.slice(0, -8)}\0\0\0\0${gzip.slice(-4)}`),
  'gzip with a wrong length': coded('gzip', `${gzip.slice(0, -4)}\x01\x02\x03\x04`),
  'zlib without its checksum': coded('deflate', zlib.slice(0, -4)),
  'zlib with a wrong checksum': coded('deflate', `${zlib.slice(0, -4)}\0\0\0\0`),
  'one byte of gzip': coded('gzip', gzip.slice(0, 1)),
  'the header of gzip alone': coded('gzip', gzip.slice(0, 10)),
  'twelve bytes of gzip': coded('gzip', gzip.slice(0, 12)),
  'gzip of nothing': coded('gzip', latin1(gzipSync(''))),
  'deflate of nothing': coded('deflate', latin1(deflateSync(''))),
  'br of nothing': coded('br', latin1(brotliCompressSync(''))),
  'zstd of nothing': coded('zstd', latin1(zstdCompressSync(''))),
  'br without its last byte': coded('br', br.slice(0, -1)),
  'zstd without its last byte': coded('zstd', zstd.slice(0, -1)),
  'gzip, then gzip': coded('gzip, gzip', again(gzip)),
  'br, then gzip': coded('br, gzip', again(br)),
  'deflate, then gzip, in two headers': codedLines(
    ['Content-Encoding: deflate', 'Content-Encoding: gzip'],
    again(zlib),
  ),
  'gzip five times': coded('gzip, gzip, gzip, gzip, gzip', again(again(again(again(gzip))))),
  'gzip six times': coded('gzip, gzip, gzip, gzip, gzip, gzip', again(again(again(again(again(gzip)))))),
  'gzip and identity': coded('gzip, identity', gzip),
  'identity in another header': codedLines(['Content-Encoding: gzip', 'Content-Encoding: identity'], gzip),
  'gzip with empty list items': coded(' , gzip , ', gzip),
  'gzip with a space before the colon': codedLines(['Content-Encoding : gzip'], gzip),
  'gzip with a parameter': coded('gzip;q=1', gzip),
  'gzip in quotes': coded('"gzip"', gzip),
  'gzip with an empty header before it': codedLines(['Content-Encoding:', 'Content-Encoding: gzip'], gzip),
  'gzip with a flawed header': codedLines(['X Y: z', 'Content-Encoding: gzip'], gzip),
  'gzip with a length that is too small': reply(`Content-Encoding: gzip\r\nContent-Length: 100\r\n`, gzip),
};

/** Codings of the transfer, which the client must remove in every case. */
const TRANSFER: RawReplies = {
  'transfer gzip, chunked': reply('Transfer-Encoding: gzip, chunked\r\n', inChunks(gzip, 500)),
  'transfer deflate, chunked': reply('Transfer-Encoding: deflate, chunked\r\n', inChunks(zlib, 500)),
  'transfer chunked, gzip': reply('Transfer-Encoding: chunked, gzip\r\n', inChunks(gzip, 500)),
  'transfer gzip': reply('Transfer-Encoding: gzip\r\n', gzip),
  'transfer gzip and a length': reply(`Transfer-Encoding: gzip\r\nContent-Length: 5\r\n`, gzip),
  'transfer x-gzip, chunked in two headers': reply(`Transfer-Encoding: x-gzip\r\n${CHUNKED}`, inChunks(gzip, 500)),
  'transfer gzip of a coded body': reply(
    'Content-Encoding: br\r\nTransfer-Encoding: gzip, chunked\r\n',
    inChunks(again(br), 500),
  ),
  'transfer gzip of a plain body': reply('Transfer-Encoding: gzip, chunked\r\n', inChunks('hello, world', 5)),
};

export const CODINGS: RawReplies = { ...CONTENT, ...TRANSFER };
