/**
 * Percent-encoding in one spelling (RFC 3986 6.2.2): upper-case hex, and unreserved characters never encoded. All other
 * triplets stay as they are, since `%2F` and `/` may name different things.
 */

/** 0–15 for a hex digit, -1 for anything else (NaN included: the end of the text). */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}

/** RFC 3986 2.3: ALPHA DIGIT - . _ ~ */
export function isUnreserved(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5f ||
    code === 0x7e
  );
}

const HEX = '0123456789ABCDEF';

/** `%2f`, as `%2F`. */
export function percentTriplet(octet: number): string {
  return `%${HEX[octet >> 4]}${HEX[octet & 15]}`;
}

export function normalizePercentEncoding(text: string): string {
  let at = text.indexOf('%');
  if (at === -1) return text;
  let out = '';
  let copiedTo = 0;
  // Where in `out` the last `%` stands that begins no triplet. A digit decoded right behind it would complete one
  // (`%%341` → `%41`), and the next normalisation would decode that too: the form would not be stable.
  let bareAt = -3;
  while (at !== -1) {
    const high = hexValue(text.charCodeAt(at + 1));
    const low = hexValue(text.charCodeAt(at + 2));
    const position = out.length + at - copiedTo;
    if (high === -1 || low === -1) {
      bareAt = position;
      at = text.indexOf('%', at + 1);
      continue;
    }
    const octet = high * 16 + low;
    const completesBare = position - bareAt <= 2 && hexValue(octet) !== -1;
    const spelled = isUnreserved(octet) && !completesBare ? String.fromCharCode(octet) : percentTriplet(octet);
    out += text.slice(copiedTo, at) + spelled;
    copiedTo = at + 3;
    at = text.indexOf('%', copiedTo);
  }
  return out + text.slice(copiedTo);
}
