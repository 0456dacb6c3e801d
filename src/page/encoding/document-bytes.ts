/**
 * A document as the scans read it: its UTF-8 bytes, and the same bytes as a string of one character each. Markup is ASCII
 * and no byte of a longer UTF-8 sequence is, so the scans never need the decoded text: they look at single bytes (a
 * third of the cost of charCodeAt, which asks a string each time how it is stored), jump with the string's indexOf, and
 * decode only what they keep. A page of 36 KB is kept in slices of some 4 KB.
 *
 * Always: a slice begins and ends beside ASCII, and so decodes as it would have in the whole, broken sequences included.
 */
import { decodeAttribute, decodeText } from './references.ts';

// What must be done to a slice before it is text: bits, or-ed over its bytes. 0: it is text as it stands.
const NOT_ASCII = 1;
const AMPERSAND = 2;
const NUL = 4;
const GAP = 8;
/** White space that folding changes: not a space, or perhaps a no-break space, which begins with C2. */
const ODD_GAP = 16;
/** Two bytes of white space beside each other: GAP, moved two places. */
const DOUBLE_GAP = 32;

export const MARKS = new Uint8Array(256).fill(NOT_ASCII, 128).fill(GAP | ODD_GAP, 0, 32);
MARKS[0] = NUL | GAP | ODD_GAP;
MARKS[0x20] = GAP;
MARKS[0x26] = AMPERSAND;
MARKS[0xc2] = NOT_ASCII | ODD_GAP;
const DECODED = NOT_ASCII | AMPERSAND | NUL;

/** Whether a slice with these marks, and no white space at its ends, comes out of folding as it went in. */
export function isTidy(marks: number): boolean {
  return (marks & (AMPERSAND | ODD_GAP | DOUBLE_GAP)) === 0;
}

/** Whether an attribute value with these marks is what is written. */
export function isVerbatim(marks: number): boolean {
  return (marks & DECODED) === 0;
}

export class DocumentBytes {
  readonly bytes: Buffer;
  /** Each byte as one character. Its slices are text only where they are ASCII. */
  readonly chars: string;

  constructor(utf8: Buffer) {
    this.bytes = utf8;
    this.chars = utf8.toString('latin1');
  }

  /** Without a branch that depends on the text: a mistaken guess at each space would cost more than the rest. */
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

  /** What is written at `from`–`to`. */
  raw(from: number, to: number, marks = this.marksOf(from, to)): string {
    return marks & NOT_ASCII ? this.bytes.toString('utf8', from, to) : this.chars.slice(from, to);
  }

  /** What is written at `from`–`to`, character references decoded as in text. */
  text(from: number, to: number, marks = this.marksOf(from, to)): string {
    const raw = this.raw(from, to, marks);
    return marks & AMPERSAND ? decodeText(raw) : raw;
  }

  /** The attribute value at `from`–`to`: character references decoded, U+FFFD for zeros. */
  attribute(from: number, to: number, marks: number): string {
    if (isVerbatim(marks)) return this.chars.slice(from, to);
    const raw = this.raw(from, to, marks);
    const value = marks & AMPERSAND ? decodeAttribute(raw) : raw;
    return marks & NUL ? value.replaceAll('\0', '\ufffd') : value;
  }
}
