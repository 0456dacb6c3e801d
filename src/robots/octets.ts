/**
 * Paths and patterns spelled alike before they are compared (RFC 9309 2.2.2): octets that cannot stand in a URI are
 * percent-encoded, encoded unreserved ones are decoded, hex is upper case, and `%2F` stays another thing than `/`.
 *
 * `*` and `$` are encoded, so that those of a path match `%2A` and `%24` of a pattern, where the bare ones are operators
 * (2.2.3). So is `'`, which the WHATWG parser encodes in queries and leaves alone in paths.
 */

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const UNRESERVED = new Set(`${LETTERS}-._~`);
const BARE = new Set(`${LETTERS}-._~:/?#[]@!&()+,;=`);
/** What most paths are made of altogether, and then there is nothing to spell. */
const ONLY_BARE = /^[\w\-.~:/?#[\]@!&()+,;=]*$/;

const TRIPLETS = Array.from({ length: 256 }, (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`);
const OF_BARE = TRIPLETS.map((triplet, octet) => spellingIn(BARE, octet, triplet));
const OF_TRIPLET = TRIPLETS.map((triplet, octet) => spellingIn(UNRESERVED, octet, triplet));

function spellingIn(characters: Set<string>, octet: number, triplet: string): string {
  const character = String.fromCharCode(octet);
  return characters.has(character) ? character : triplet;
}

/** Spells a path that may hold any Unicode. */
export function spellPath(path: string): string {
  return ONLY_BARE.test(path) ? path : spellOctets(Buffer.from(path, 'utf8').toString('latin1'));
}

/** Spells a text of one character an octet. */
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

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
