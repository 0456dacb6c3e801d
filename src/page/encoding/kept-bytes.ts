/**
 * Prepares a document for comparison so that no difference is lost. Decoding replaces every byte that is not
 * UTF-8 with U+FFFD. A page with the wrong charset would then read the same whatever its letters are. So each
 * such byte becomes its own private-use character. Line ends are normalized as in a browser (HTML standard
 * 13.2.3.5), because no reader can tell `\r\n` from `\n`.
 */
import { isUtf8 } from 'node:buffer';
import { DocumentBytes } from './document-bytes.ts';

const RETURN = 13;
const NEWLINE = 10;
/** A broken byte becomes the character U+F700 plus the byte. No font has these characters. */
const PRIVATE_BASE = 0xf700;

/**
 * The document with normalized line ends and with private-use characters for broken bytes.
 * If neither occurs, the same object is returned.
 */
export function keepBytes(document: DocumentBytes): DocumentBytes {
  let { bytes } = document;
  if (!isUtf8(bytes)) bytes = markBroken(bytes);
  if (bytes.includes(RETURN)) bytes = joinLineEnds(bytes);
  return bytes === document.bytes ? document : new DocumentBytes(bytes);
}

function joinLineEnds(bytes: Buffer): Buffer {
  const joined = Buffer.allocUnsafe(bytes.length);
  let size = 0;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code === RETURN) {
      if (bytes[at + 1] === NEWLINE) continue;
      joined[size++] = NEWLINE;
    } else joined[size++] = code;
  }
  return joined.subarray(0, size);
}

function markBroken(bytes: Buffer): Buffer {
  // A broken byte becomes three bytes.
  const marked = Buffer.allocUnsafe(bytes.length * 3);
  let size = 0;
  let at = 0;
  while (at < bytes.length) {
    const width = sequenceBytes(bytes, at);
    if (width > 0) {
      for (let end = at + width; at < end; at++) marked[size++] = bytes[at] as number;
      continue;
    }
    const code = PRIVATE_BASE + (bytes[at++] as number);
    marked[size++] = 0xe0 | (code >> 12);
    marked[size++] = 0x80 | ((code >> 6) & 0x3f);
    marked[size++] = 0x80 | (code & 0x3f);
  }
  return marked.subarray(0, size);
}

/**
 * The number of bytes of the character at `at`, or 0 if no character begins
 * there. See table 3-7 of the Unicode standard.
 */
function sequenceBytes(bytes: Buffer, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  const width = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (width === 0 || at + width > bytes.length) return 0;
  const second = bytes[at + 1] as number;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let next = 2; next < width; next++) if (((bytes[at + next] as number) & 0xc0) !== 0x80) return 0;
  return width;
}
