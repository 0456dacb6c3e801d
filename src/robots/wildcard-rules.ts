import type { RulePattern, WildcardRule } from './rule-pattern.ts';

/** The decision of the strongest rule that matches. */
export interface Ruling {
  readonly octets: number;
  readonly allow: boolean;
}

/** Matches a path against the rules with `*` or `$` of one file. */
export interface WildcardMatcher {
  /**
   * The strongest rule that matches the spelled path and has at least `minOctets` octets. Of two
   * equally strong rules, the rule that allows wins.
   */
  strongest(path: string, minOctets: number): Ruling | null;
  /** Approximate memory of the rules. */
  readonly byteLength: number;
}

/** Orders rules. A rule with more octets is stronger. Of two rules with as many octets, the rule that allows is. */
export function strengthOf({ octets }: RulePattern, allow: boolean): number {
  return 2 * octets + (allow ? 1 : 0);
}

export function rulingOf(strength: number): Ruling {
  return { octets: strength >> 1, allow: (strength & 1) === 1 };
}

/** Tries one rule after another. This is the fastest way for a few rules, and nearly all files have only a few. */
export class RulesInTurn implements WildcardMatcher {
  /** The strongest rule comes first. */
  readonly #rules: readonly RuleInTurn[];

  constructor(rules: readonly WildcardRule[]) {
    this.#rules = rules
      .flatMap(({ pattern, encoded, allow }) =>
        (encoded === null ? [pattern] : [pattern, encoded]).map((spelled) => ({
          strength: strengthOf(spelled, allow),
          pattern: spelled,
          searches: spelled.pieces.slice(1).map(compilePieceSearch),
        })),
      )
      .sort((left, right) => right.strength - left.strength);
  }

  get byteLength(): number {
    let bytes = 0;
    // The objects, the strings, and the tables of long pieces.
    for (const { pattern } of this.#rules) bytes += 300 + 100 * pattern.pieces.length + 5 * pattern.octets;
    return bytes;
  }

  strongest(path: string, minOctets: number): Ruling | null {
    for (const { strength, pattern, searches } of this.#rules) {
      if (pattern.octets < minOctets) break;
      if (matchesPath(pattern, searches, path)) return rulingOf(strength);
    }
    return null;
  }
}

interface RuleInTurn {
  readonly strength: number;
  readonly pattern: RulePattern;
  readonly searches: readonly PieceSearch[];
}

/**
 * Looks for each piece after the piece before. The first occurrence is always the right one, because only a star stands
 * before it. So nothing is tried twice: `*a*a*a*a*b` costs one pass over the path, however many stars it has.
 */
function matchesPath({ pieces, isAnchored }: RulePattern, searches: readonly PieceSearch[], path: string): boolean {
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
 * Finds a piece of a pattern in a path. Short pieces use `indexOf`. For long pieces `indexOf` can take time
 * proportional to the product of both lengths (480 rules of 1,000 octets, made for this purpose: 108 ms per path). So
 * long pieces use the algorithm of Knuth, Morris and Pratt, which reads each octet of the path at most twice.
 */
interface PieceSearch {
  readonly piece: string;
  /**
   * For each octet of the piece: the length of the longest prefix of the piece that ends there. Null for short pieces.
   */
  readonly borders: Int32Array | null;
}

const MAX_SHORT_OCTETS = 64;

export function compilePieceSearch(piece: string): PieceSearch {
  if (piece.length <= MAX_SHORT_OCTETS) return { piece, borders: null };
  const borders = new Int32Array(piece.length);
  let matched = 0;
  for (let at = 1; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    while (matched > 0 && piece.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (piece.charCodeAt(matched) === code) matched++;
    borders[at] = matched;
  }
  return { piece, borders };
}

/** Index of the first occurrence at `from` or later, or -1. */
export function findPiece({ piece, borders }: PieceSearch, path: string, from: number): number {
  if (borders === null) return path.indexOf(piece, from);
  if (path.length - from < piece.length) return -1;
  let matched = 0;
  for (let at = from; at < path.length; at++) {
    const code = path.charCodeAt(at);
    while (matched > 0 && piece.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (piece.charCodeAt(matched) === code) matched++;
    if (matched === piece.length) return at - matched + 1;
  }
  return -1;
}
