/**
 * Finds the pairs of a key and a value in a script: `csrfToken: "…"`, `"buildId":"…"`, `window.ts = 1718022334`.
 * In: the text of a script. Out: every pair, from left to right. A key is bare or in quotes and has at most 49
 * characters. Then follow `:` or `=`, and a string without escapes or a number.
 *
 * What always holds: the time is linear. The search goes from one `:` or `=` to the next and reads the key backwards,
 * so no character is read more than a few times. (One regular expression for the whole pair would read up to 49
 * characters again from every position of a key.)
 */

export interface ScriptPair {
  readonly key: string;
  readonly value: string;
  /** The pair as written. */
  readonly text: string;
  /** The index at which the pair starts. */
  readonly index: number;
  /** The index at which the value ends: before the closing quote, if there is one. */
  readonly valueEnd: number;
}

const MAX_KEY_CHARS = 49;
const MAX_SPACES = 4;
const SEPARATOR = /[:=]/g;
const VALUE = /\s{0,4}(?:"([^"\\\n]{0,2048})"|'([^'\\\n]{0,2048})'|(-?\d{1,16}(?:\.\d{1,9})?)(?![\w.]))/y;
const SPACE = /\s/;

const QUOTE = 0x22;
const APOSTROPHE = 0x27;

export function* scriptPairs(text: string): Generator<ScriptPair> {
  let from = 0;
  for (let found = nextSeparator(text, 0); found !== -1; found = nextSeparator(text, Math.max(from, found + 1))) {
    const key = keyBefore(text, found, from);
    if (key === null) continue;
    VALUE.lastIndex = found + 1;
    const value = VALUE.exec(text);
    if (value === null) continue;
    from = VALUE.lastIndex;
    const isNumber = value[3] !== undefined;
    yield {
      key: text.slice(key.start, key.end),
      value: value[1] ?? value[2] ?? value[3]!,
      text: text.slice(key.index, from),
      index: key.index,
      valueEnd: isNumber ? from : from - 1,
    };
  }
}

function nextSeparator(text: string, from: number): number {
  SEPARATOR.lastIndex = from;
  return SEPARATOR.test(text) ? SEPARATOR.lastIndex - 1 : -1;
}

interface KeyPlace {
  /** The index at which the pair starts: the opening quote, if there is one. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** The key that ends before the separator and starts at `from` or later. Null if there is none. */
function keyBefore(text: string, separator: number, from: number): KeyPlace | null {
  let end = separator;
  while (end > from && separator - end < MAX_SPACES && SPACE.test(text[end - 1]!)) end--;
  const quote = end > from ? text.charCodeAt(end - 1) : 0;
  return quote === QUOTE || quote === APOSTROPHE ? quotedKey(text, end - 1, from, quote) : bareKey(text, end, from);
}

function quotedKey(text: string, end: number, from: number, quote: number): KeyPlace | null {
  let start = end;
  while (start > from && end - start < MAX_KEY_CHARS && isKeyPart(text.charCodeAt(start - 1))) start--;
  const index = start - 1;
  if (start === end || index < from || text.charCodeAt(index) !== quote) return null;
  return isKeyStart(text.charCodeAt(start)) && isFree(text, index) ? { index, start, end } : null;
}

/** The longest key that begins like a name: `a.b-c` is one key, and `9.b` has the key `b`. */
function bareKey(text: string, end: number, from: number): KeyPlace | null {
  let start = -1;
  for (let at = end - 1; at >= from && end - at <= MAX_KEY_CHARS && isKeyPart(text.charCodeAt(at)); at--) {
    if (isKeyStart(text.charCodeAt(at)) && isFree(text, at)) start = at;
  }
  return start === -1 ? null : { index: start, start, end };
}

/** Whether no name ends directly before this index. */
function isFree(text: string, place: number): boolean {
  if (place === 0) return true;
  const before = text.charCodeAt(place - 1);
  return !isKeyStart(before) && !isDigit(before);
}

function isKeyPart(code: number): boolean {
  // `.` and `-`.
  return isKeyStart(code) || isDigit(code) || code === 0x2e || code === 0x2d;
}

/** A letter, `_` or `$`. */
function isKeyStart(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || code === 0x5f || code === 0x24;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
