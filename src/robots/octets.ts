/**
 * Gives paths and patterns one common spelling before they are compared (RFC 9309 2.2.2). Octets that
 * a URI cannot contain are percent-encoded, encoded unreserved octets are decoded, hex digits are
 * upper case, and `%2F` stays different from `/`.
 *
 * `*` and `$` are encoded, because a bare `*` or `$` of a pattern is an operator (2.2.3). So a `*` or `$` of a path
 * matches `%2A` or `%24` of a pattern. `'` is encoded too: the WHATWG parser encodes it in queries but not in paths.
 */

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const UNRESERVED = new Set(`${LETTERS}-._~`);
const BARE = new Set(`${LETTERS}-._~:/?#[]@!&()+,;=`);
/** Most paths consist of these characters only, and then the path already has the common spelling. */
const ONLY_BARE = /^[\w\-.~:/?#[\]@!&()+,;=]*$/;
const ONLY_BARE_AND_STARS = /^[\w\-.~:/?#[\]@!&()+,;=*]*$/;

const TRIPLETS = Array.from({ length: 256 }, (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`);
const OF_BARE = TRIPLETS.map((triplet, octet) => spellingIn(BARE, octet, triplet));
const OF_TRIPLET = TRIPLETS.map((triplet, octet) => spellingIn(UNRESERVED, octet, triplet));

function spellingIn(characters: Set<string>, octet: number, triplet: string): string {
  const character = String.fromCharCode(octet);
  return characters.has(character) ? character : triplet;
}

/** Spells a path that may contain any Unicode character. */
export function spellPath(path: string): string {
  return ONLY_BARE.test(path) ? path : spellOctets(Buffer.from(path, 'utf8').toString('latin1'));
}

/** Spells a string that has one character per octet. */
export function spellOctets(octets: string): string {
  if (ONLY_BARE.test(octets)) return octets;
  let out = '';
  for (let at = 0; at < octets.length; at++) {
    const code = octets.charCodeAt(at);
    const high = code === 0x25 ? hexValue(octets.charCodeAt(at + 1)) : -1;
    const low = high === -1 ? -1 : hexValue(octets.charCodeAt(at + 2));
    if (low === -1) out += OF_BARE[code & 255]!;
    else {
      out += OF_TRIPLET[high * 16 + low]!;
      at += 2;
    }
  }
  return out;
}

/** Whether `spellOctets` changes nothing in the pieces of a pattern between its stars. */
export function hasCommonSpelling(pattern: string): boolean {
  return ONLY_BARE_AND_STARS.test(pattern);
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
