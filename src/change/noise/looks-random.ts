/**
 * Decides whether a text looks like random characters. This is never enough alone: rules
 * ask only if the name already suggests a token.
 */

const ALPHABET = /^[0-9A-Za-z+/=_.:%~|,!*-]+$/;
const DATE_OR_NUMBER = /^(?:\d{4}-\d\d-\d\d|[\d.,:%+-]+$)/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UUID_CHARS = 36;
const FIRST_DASH = 8;
const WHOLE_UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;
const HEX = /^(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{16,}$/i;
/** Only this many characters of a longer text are checked. */
const LOOKED_AT = 200;

export function looksRandom(value: string, minLength = 16): boolean {
  if (value.length < minLength) return false;
  const head = value.length > LOOKED_AT ? value.slice(0, LOOKED_AT) : value;
  if (!ALPHABET.test(head) || DATE_OR_NUMBER.test(head)) return false;
  if (HEX.test(head)) return true;
  return WHOLE_UUID.test(head) || turnsOf(head) >= Math.max(3, Math.min(head.length, 48) / 8);
}

/**
 * Whether a text contains a UUID anywhere. It is searched at each dash, because a
 * pattern without an anchor would start at each digit.
 */
export function holdsUuid(text: string): boolean {
  for (let dash = text.indexOf('-', FIRST_DASH); dash !== -1; dash = text.indexOf('-', dash + 1)) {
    const start = dash - FIRST_DASH;
    if (UUID.test(text.slice(start, start + UUID_CHARS))) return true;
  }
  return false;
}

const SHORT_HEX = /^(?=\d{0,14}[a-f])(?=[a-f]{0,14}\d)[0-9a-f]{8,15}$/i;

/**
 * A looser test that also accepts shorter values and long numbers, for names that only name random values. It never
 * accepts `12`, `eu` or `PKG123`.
 */
export function looksDrawn(value: string): boolean {
  if (looksRandom(value) || isEpoch(value) || SHORT_HEX.test(value) || /^[\d-]{12,40}$/.test(value)) return true;
  return value.length >= 8 && value.length < 16 && ALPHABET.test(value) && turnsOf(value) >= 4;
}

/**
 * Counts the places where a digit is next to a letter, or a small letter is before a capital.
 * They are rare in words, titles and file names.
 */
function turnsOf(text: string): number {
  let turns = 0;
  let digits = 0;
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind =
      code >= 0x30 && code <= 0x39 ? 1 : code >= 0x61 && code <= 0x7a ? 2 : code >= 0x41 && code <= 0x5a ? 3 : 0;
    if (kind === 1) digits++;
    if (before !== 0 && kind !== 0 && before !== kind && !(before === 3 && kind === 2)) turns++;
    before = kind;
  }
  return digits === 0 ? 0 : turns;
}

/** Whether the value is a time in seconds or milliseconds since 1970, from 2001 to 2065. */
export function isEpoch(value: string): boolean {
  return /^[1-2]\d{9}(?:\d{3}|\.\d{1,6})?$/.test(value);
}
