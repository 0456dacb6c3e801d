/**
 * A document as the scanners read it: its UTF-8 bytes, and the same bytes as a string with one character per
 * byte. Markup is ASCII, and no byte of a longer UTF-8 sequence is ASCII, so the scanners never need the
 * decoded text. They look at single bytes, which costs a third of charCodeAt, because charCodeAt asks the
 * string each time how it is stored. They jump with the string's indexOf, and decode only the slices that they
 * keep. A page of 36 KB is kept in slices of about 4 KB.
 *
 * What always holds: a slice begins and ends next to an ASCII byte. It therefore decodes as it would inside the whole
 * document, broken sequences included.
 */
import { decodeAttribute, decodeText } from './references.ts';

// Marks are bits that say how a slice must be processed to become text. The marks of its bytes are combined with OR. 0
// means that the slice is text already.
const NOT_ASCII = 1;
const AMPERSAND = 2;
const NUL = 4;
const GAP = 8;
/** White space that folding changes: any white space except a space, or byte C2, which may begin a no-break space. */
const ODD_GAP = 16;
/** Two white space bytes in a row. The value is GAP, shifted by two bits. */
const DOUBLE_GAP = 32;

export const MARKS = new Uint8Array(256).fill(NOT_ASCII, 128).fill(GAP | ODD_GAP, 0, 32);
MARKS[0] = NUL | GAP | ODD_GAP;
MARKS[0x20] = GAP;
MARKS[0x26] = AMPERSAND;
MARKS[0xc2] = NOT_ASCII | ODD_GAP;
const DECODED = NOT_ASCII | AMPERSAND | NUL;

/** Whether folding leaves a slice unchanged. The slice has these marks and no white space at its ends. */
export function isTidy(marks: number): boolean {
  return (marks & (AMPERSAND | ODD_GAP | DOUBLE_GAP)) === 0;
}

/** Whether an attribute value with these marks needs no decoding. */
export function isVerbatim(marks: number): boolean {
  return (marks & DECODED) === 0;
}

export class DocumentBytes {
  readonly bytes: Buffer;
  /** Each byte as one character. A slice of this string is text only if the slice is ASCII. */
  readonly chars: string;

  constructor(utf8: Buffer) {
    this.bytes = utf8;
    this.chars = utf8.toString('latin1');
  }

  /**
   * The loop has no branch that depends on the text. A branch misprediction at
   * each space would cost more than the rest.
   */
  marksOf(from: number, to: number): number {
    const bytes = this.bytes;
    const markOf = MARKS;
    let marks = 0;
    let before = 0;
    for (let at = from; at < to; at++) {
      const mark = markOf[bytes[at] as number] as number;
      marks |= mark | ((mark & before & GAP) << 2);
      before = mark;
    }
    return marks;
  }

  /** The source text at `from`–`to`, without decoding references. */
  raw(from: number, to: number, marks = this.marksOf(from, to)): string {
    return marks & NOT_ASCII ? this.bytes.toString('utf8', from, to) : this.chars.slice(from, to);
  }

  /** The text at `from`–`to`, with character references decoded as in text. */
  text(from: number, to: number, marks = this.marksOf(from, to)): string {
    const raw = this.raw(from, to, marks);
    return marks & AMPERSAND ? decodeText(raw) : raw;
  }

  /** The attribute value at `from`–`to`, with character references decoded and zeros replaced by U+FFFD. */
  attribute(from: number, to: number, marks: number): string {
    if (isVerbatim(marks)) return this.chars.slice(from, to);
    const raw = this.raw(from, to, marks);
    const value = marks & AMPERSAND ? decodeAttribute(raw) : raw;
    return marks & NUL ? value.replaceAll('\0', '\ufffd') : value;
  }
}
