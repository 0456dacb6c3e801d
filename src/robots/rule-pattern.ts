import { spellOctets } from './octets.ts';
import { compilePieceSearch, findPiece, type PieceSearch } from './piece-search.ts';

/**
 * One path pattern of a rule, ready to match. `*` is any run of octets and `$` at the end is the end (RFC 9309 2.2.3); a
 * pattern without `$` matches every path it begins.
 */
export interface RulePattern {
  /** The more octets, the stronger the rule. */
  readonly octets: number;
  /** What stands between the stars. One piece and no end mark: a plain prefix. */
  readonly pieces: readonly string[];
  /** The same behind the first, ready to be looked for. */
  readonly searches: readonly PieceSearch[];
  readonly isAnchored: boolean;
}

/** Returns null for the empty pattern, which matches nothing. */
export function compileRulePattern(written: string): RulePattern | null {
  if (written === '') return null;
  const isAnchored = written.endsWith('$');
  const body = isAnchored ? written.slice(0, -1) : written;
  const pieces = body.split(/\*+/).map(spellOctets);
  const first = pieces[0]!;
  // `Disallow: private` can only have meant `/private`: every path begins with a slash.
  if (first !== '' && !first.startsWith('/')) pieces[0] = `/${first}`;
  let octets = pieces.length - 1 + (isAnchored ? 1 : 0);
  for (const piece of pieces) octets += piece.length;
  return { octets, pieces, searches: pieces.slice(1).map(compilePieceSearch), isAnchored };
}

export function isPlainPrefix(pattern: RulePattern): boolean {
  return pattern.pieces.length === 1 && !pattern.isAnchored;
}

/**
 * Looks for each piece behind the one before. The first place found is always right, as only a star lies before it, so
 * nothing is tried twice: `*a*a*a*a*b` costs one walk over the path, however many stars it has.
 */
export function matchesPath(pattern: RulePattern, path: string): boolean {
  const { pieces, searches, isAnchored } = pattern;
  const head = pieces[0]!;
  if (!path.startsWith(head)) return false;
  let at = head.length;
  if (searches.length === 0) return !isAnchored || at === path.length;
  const last = searches.length - 1;
  for (let index = 0; index < last; index++) {
    const search = searches[index]!;
    const found = findPiece(search, path, at);
    if (found === -1) return false;
    at = found + search.piece.length;
  }
  const tail = searches[last]!;
  if (isAnchored) return path.length - tail.piece.length >= at && path.endsWith(tail.piece);
  return findPiece(tail, path, at) !== -1;
}

/**
 * The table of 2.2.2 has `?baz=https://foo.bar` in a rule match the encoded `?baz=https%3A%2F%2Ffoo.bar`. In a query these
 * delimiters delimit nothing, so a rule that spells out its query holds for both. Returns null when that changes nothing.
 */
export function withEncodedQuery(written: string): string | null {
  const question = written.indexOf('?');
  if (question === -1) return null;
  const query = written.slice(question + 1);
  const encoded = query.replace(/[:/?@[\]]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return encoded === query ? null : written.slice(0, question + 1) + encoded;
}
