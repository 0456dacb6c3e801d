/**
 * Finds the numbers in a text, as people write them: 1299, 1,299.00, 1.299,00, 1 299 and -5. In: a text. Out: the
 * values and places of its first numbers. The time is linear: each sign is looked at a fixed number of times.
 */

export interface FoundNumber {
  readonly value: number;
  /** The place of its first sign in the text. */
  readonly at: number;
}

/** A page with more numbers is a table of data, and nobody watches its last row. */
export const MAX_NUMBERS = 10_000;
/** Longer runs of digits are identifiers. */
const MAX_DIGITS = 18;

/** One sign and digits, in groups that single separators divide. */
const NUMBER = /[-\u2212]?\d+(?:[.,'\u2019\u00a0\u202f\u2009 ]\d+)*/g;
const SPACES = /[\u00a0\u202f\u2009 ]/;

export function numbersIn(text: string, from = 0, to = text.length): FoundNumber[] {
  const found: FoundNumber[] = [];
  NUMBER.lastIndex = from;
  for (let match = NUMBER.exec(text); match !== null && match.index < to; match = NUMBER.exec(text)) {
    let at = match.index;
    for (const part of partsOf(match[0])) {
      const value = numberOf(part);
      // A minus directly after a letter or digit is a dash, as in 2024-11 or A-4.
      const isDash = /^[-\u2212]/.test(part) && at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]!);
      if (value !== null) found.push({ value: isDash ? Math.abs(value) : value, at });
      if (found.length >= MAX_NUMBERS) return found;
      at += part.length + 1;
    }
  }
  return found;
}

/** A space divides two numbers, unless exactly three digits follow it everywhere: "1 299 000", but not "3 15". */
function partsOf(written: string): string[] {
  if (!SPACES.test(written)) return [written];
  const parts = written.split(SPACES);
  const [first = '', ...rest] = parts;
  const isOne = /^[-\u2212]?\d{1,3}$/.test(first) && rest.every((part, i) => isGroup(part, i === rest.length - 1));
  return isOne ? [parts.join('')] : parts;
}

function isGroup(part: string, isLast: boolean): boolean {
  return isLast ? /^\d{3}(?:[.,]\d+)?$/.test(part) : /^\d{3}$/.test(part);
}

function numberOf(written: string): number | null {
  const text = written.replace('\u2212', '-').replace(/['\u2019]/g, '');
  if (text.replace(/\D/g, '').length > MAX_DIGITS) return null;
  const value = Number(text.replaceAll(/[.,]/g, (_, at: number) => (at === decimalIn(text) ? '.' : '')));
  return Number.isFinite(value) ? value : null;
}

/** The place of the decimal separator; -1 if all separators divide thousands. */
function decimalIn(text: string): number {
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (last < 0) return -1;
  const sign = text[last]!;
  const other = sign === '.' ? ',' : '.';
  if (text.includes(other)) return text.indexOf(sign) === last ? last : -1;
  // The same sign twice divides thousands, or parts of a date or version, which are no number with a fraction.
  if (text.indexOf(sign) !== last) return -1;
  const isThousands = text.length - last - 1 === 3 && !/^-?0/.test(text);
  return isThousands ? -1 : last;
}
