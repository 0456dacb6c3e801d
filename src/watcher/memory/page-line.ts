import type { FileStamp, WatchedPage } from '../records.ts';
import { asciiJson, formOf } from './key-order.ts';

/**
 * A page as a line of a run: a JSON array in ASCII. The key comes first, then the file stamp, so that a sweep compares
 * both without parsing the rest. A line with only the key means that the page is deleted.
 */
type Fields = readonly [
  key: string,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  ino: number,
  isFresh: 0 | 1,
  url: string,
  hash: string,
  updates: number,
  changedAtMs: number,
  seq: number,
  events: WatchedPage['events'],
];

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const POINT = 0x2e;
const MINUS = 0x2d;
const ZERO = 0x30;
/** The length of `["`. */
const KEY_AT = 2;

export function pageLine(page: WatchedPage): string {
  const { size, mtimeMs, ctimeMs, ino } = page.stamp;
  const rest: readonly unknown[] = [page.url, page.hash, page.updates, page.changedAtMs, page.seq, page.events];
  const fresh = page.isFresh ? 1 : 0;
  return `["${formOf(page.key)}",${size},${mtimeMs},${ctimeMs},${ino},${fresh},${asciiJson(rest).slice(1)}`;
}

export function goneLine(form: string): string {
  return `["${form}"]`;
}

/** Null if the line is damaged. */
export function readPageLine(line: string): WatchedPage | null {
  let fields: Fields;
  try {
    fields = JSON.parse(line);
  } catch {
    return null;
  }
  const [key, size, mtimeMs, ctimeMs, ino, isFresh, url, hash, updates, changedAtMs, seq, events] = fields;
  if (fields.length !== 12 || typeof key !== 'string' || typeof hash !== 'string' || !Array.isArray(events))
    return null;
  const stamp = { size, mtimeMs, ctimeMs, ino };
  return { key, url, stamp, isFresh: isFresh === 1, hash, updates, changedAtMs, seq, events };
}

/** The offset of the quote after the key; −1 if the line is damaged. */
export function keyEnd(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== 0x5b || bytes[start + 1] !== QUOTE) return -1;
  for (let at = start + KEY_AT; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return -1;
}

export function lineForm(bytes: Buffer, start: number, quoteAt: number): string {
  return bytes.toString('latin1', start + KEY_AT, quoteAt);
}

export function isGoneLine(bytes: Buffer, quoteAt: number): boolean {
  return bytes[quoteAt + 1] !== COMMA;
}

/**
 * Whether the page of the line has this stamp and does not have to be read again. Also false
 * if a number has an unusual notation.
 */
export function isSettledAs(bytes: Buffer, quoteAt: number, stamp: FileStamp): boolean {
  reading = bytes;
  position = quoteAt + 2;
  return (
    readNumber() === stamp.size &&
    readNumber() === stamp.mtimeMs &&
    readNumber() === stamp.ctimeMs &&
    readNumber() === stamp.ino &&
    bytes[position] === ZERO
  );
}

let reading: Buffer;
let position = 0;

/**
 * Reads a number up to the comma. The integer part and the fraction are each exact or rounded once. A time in its
 * shortest notation is never so near the middle between two numbers that the sum could be wrong. If it were wrong, a
 * file would only be read once more.
 */
function readNumber(): number {
  const isNegative = reading[position] === MINUS;
  if (isNegative) position++;
  let value = 0;
  let scale = 0;
  let fraction = 0;
  for (;;) {
    const byte = reading[position++];
    if (byte === COMMA || byte === undefined) break;
    if (byte === POINT) {
      scale = 1;
      continue;
    }
    const digit = byte - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    if (scale === 0) value = value * 10 + digit;
    else {
      fraction = fraction * 10 + digit;
      scale *= 10;
    }
  }
  if (scale > 1) value += fraction / scale;
  return isNegative ? -value : value;
}

/** Compares the key of a line with a form: negative if the key sorts before the form. */
export function compareLine(bytes: Buffer, start: number, end: number, form: string): number {
  const from = start + KEY_AT;
  for (let at = 0; at < form.length; at++) {
    const byte = from + at < end ? bytes[from + at]! : QUOTE;
    const wanted = form.charCodeAt(at);
    if (byte === wanted) continue;
    return byte === QUOTE ? -1 : byte - wanted;
  }
  return bytes[from + form.length] === QUOTE ? 0 : 1;
}
