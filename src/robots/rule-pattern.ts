/**
 * The path pattern of one rule. `*` matches any run of octets, and `$` at the end matches the end of the path (RFC 9309
 * 2.2.3). A pattern without `$` matches every path that begins with it.
 */
export interface RulePattern {
  /** The rule with more octets is stronger. */
  readonly octets: number;
  /** The texts between the stars. A pattern with one piece and no `$` is a plain prefix. */
  readonly pieces: readonly string[];
  readonly isAnchored: boolean;
}

export interface WildcardRule {
  readonly pattern: RulePattern;
  /**
   * The same pattern with an encoded query, if only pieces between the first and the last piece differ. A path that
   * matches it matches with more octets. Null if there is no such pattern.
   */
  readonly encoded: RulePattern | null;
  readonly allow: boolean;
}

/** Returns null for the empty pattern, which matches nothing. */
export function compileRulePattern(written: string): RulePattern | null {
  if (written === '') return null;
  const isAnchored = written.endsWith('$');
  const body = isAnchored ? written.slice(0, -1) : written;
  // A hostile file has a quarter of a million pieces, and an honest one no double stars and nothing to spell.
  const asWritten = body.includes('**') ? body.split(/\*+/) : body.split('*');
  const pieces = hasCommonSpelling(body) ? asWritten : asWritten.map(spellOctets);
  const first = pieces[0]!;
  // `Disallow: private` can only mean `/private`, because every path begins with a slash.
  if (first !== '' && !first.startsWith('/')) pieces[0] = `/${first}`;
  let octets = pieces.length - 1 + (isAnchored ? 1 : 0);
  for (const piece of pieces) octets += piece.length;
  return { octets, pieces, isAnchored };
}

export function isPlainPrefix(pattern: RulePattern): boolean {
  return pattern.pieces.length === 1 && !pattern.isAnchored;
}

/**
 * Returns the pattern with an encoded query, or null if encoding changes nothing. In the table of 2.2.2,
 * `?baz=https://foo.bar` in a rule matches the encoded `?baz=https%3A%2F%2Ffoo.bar`. These characters delimit nothing
 * in a query, so a rule with a query applies to both spellings. `encodedOf` remembers encoded pieces, because the rules
 * of a hostile file repeat a few pieces a hundred thousand times.
 */
export function withEncodedQuery(
  { octets, pieces, isAnchored }: RulePattern,
  encodedOf: Map<string, string> = new Map(),
): RulePattern | null {
  const first = pieces.findIndex((piece) => piece.includes('?'));
  if (first === -1) return null;
  const queryStart = pieces[first]!.indexOf('?') + 1;
  const encodedPieces = pieces.slice();
  encodedPieces[first] = pieces[first]!.slice(0, queryStart) + encodeDelimiters(pieces[first]!.slice(queryStart));
  for (let at = first + 1; at < pieces.length; at++) {
    const piece = pieces[at]!;
    let encoded = encodedOf.get(piece);
    if (encoded === undefined) {
      encoded = encodeDelimiters(piece);
      encodedOf.set(piece, encoded);
    }
    encodedPieces[at] = encoded;
  }
  let added = 0;
  for (let at = first; at < pieces.length; at++) added += encodedPieces[at]!.length - pieces[at]!.length;
  return added === 0 ? null : { octets: octets + added, pieces: encodedPieces, isAnchored };
}

function encodeDelimiters(text: string): string {
  let encoded = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!IS_DELIMITER[code]) continue;
    encoded += text.slice(copied, at) + TRIPLETS[code]!;
    copied = at + 1;
  }
  return copied === 0 ? text : encoded + text.slice(copied);
}

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
const IS_DELIMITER = TRIPLETS.map((_, octet) => ':/?@[]'.includes(String.fromCharCode(octet)));
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
function spellOctets(octets: string): string {
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
function hasCommonSpelling(pattern: string): boolean {
  return ONLY_BARE_AND_STARS.test(pattern);
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
