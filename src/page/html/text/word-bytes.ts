/**
 * How the bytes of a UTF-8 text form words, as tables of a small state machine. Letters and digits belong to words;
 * white space, control codes and punctuation do not. ASCII letters count without their case.
 *
 * A character of three or more bytes is a word of its own, because many of these scripts have no spaces between words
 * (kana, ideographs, Thai); for the others it does no harm. Three kinds of punctuation beyond ASCII are gaps:
 * U+0080–00BF (no-break space, « »), U+2000–2BFF (dashes, quotes, arrows) and U+3000–303F (the wide space, 、。「」).
 *
 * The tables are indexed by `state | byte`. No branch is needed for any byte, and a branch at each gap of a text would
 * cost more than the rest.
 */

/** The states, in the high bits of an index. */
const PLAIN = 0;
/** Within a character that is a gap, or a word of its own. */
const IN_GAP = 1 << 8;
const IN_WORD = 2 << 8;
/** After the first byte of a character whose second byte decides. */
const AFTER_E2 = 3 << 8;
const AFTER_E3 = 4 << 8;
const SIZE = 5 << 8;

/** The state after the byte. */
export const NEXT = new Uint16Array(SIZE);
/** 1 if the byte ends the word before it. */
export const ENDS = new Uint8Array(SIZE);
/** The hash becomes `hash × FACTORS + VALUES`. Both are 0 for a gap. */
export const FACTORS = new Int32Array(SIZE);
export const VALUES = new Uint8Array(SIZE);
/** 1 if the word can still be a number: after a digit, and after a gap. */
export const NUMERIC = new Uint8Array(SIZE);

const MULTIPLIER = 0x2c1b3c6d;

type Rule = readonly [next: number, ends: 0 | 1, factor: number, value: number, numeric: 0 | 1];
const gap = (next: number): Rule => [next, 1, 0, 0, 1];
/** A letter that goes on with the word before it. */
const letter = (byte: number, numeric: 0 | 1 = 0): Rule => [PLAIN, 0, MULTIPLIER, byte, numeric];
/** A letter that begins a word. */
const first = (next: number, byte: number, numeric: 0 | 1 = 0): Rule => [next, 1, 0, byte, numeric];
const within = (byte: number): Rule => [IN_WORD, 0, MULTIPLIER, byte, 0];

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** The rule for a byte that begins a character. `afterWord`: the character before it is a word of its own. */
function ruleOf(byte: number, afterWord: boolean): Rule {
  const lower = byte >= 65 && byte <= 90 ? byte + 32 : byte;
  const isDigit = byte >= 48 && byte <= 57;
  if (byte < 0x80 && !isDigit && (lower < 97 || lower > 122)) return gap(PLAIN);
  if (byte === 0xc2) return gap(IN_GAP);
  if (byte === 0xe2) return gap(AFTER_E2);
  if (byte >= 0xe0) return first(byte === 0xe3 ? AFTER_E3 : IN_WORD, byte);
  const numeric = isDigit ? 1 : 0;
  return afterWord ? first(PLAIN, lower, numeric) : letter(lower, numeric);
}

function ruleAt(state: number, byte: number): Rule {
  if (!isContinuation(byte) || state === PLAIN) return ruleOf(byte, state === IN_WORD || state === AFTER_E3);
  if (state === AFTER_E2) return byte < 0xb0 ? gap(IN_GAP) : first(IN_WORD, byte);
  // The word that the first byte began is dropped: nothing ends, and the hash is 0 again.
  if (state === AFTER_E3 && byte === 0x80) return [IN_GAP, 0, 0, 0, 1];
  return state === IN_GAP ? gap(IN_GAP) : within(byte);
}

for (const state of [PLAIN, IN_GAP, IN_WORD, AFTER_E2, AFTER_E3]) {
  for (let byte = 0; byte < 256; byte++) {
    const [next, ends, factor, value, numeric] = ruleAt(state, byte);
    NEXT[state | byte] = next;
    ENDS[state | byte] = ends;
    FACTORS[state | byte] = factor;
    VALUES[state | byte] = value;
    NUMERIC[state | byte] = numeric;
  }
}
