import { compilePieceSearch, findPiece, type PieceSearch } from './piece-search.ts';
import type { RulePattern, WildcardRule } from './rule-pattern.ts';

/** What the strongest of several rules says. */
export interface Ruling {
  readonly octets: number;
  readonly allow: boolean;
}

/** The rules with `*` or `$` of one file. */
export interface WildcardMatcher {
  /**
   * The strongest rule that matches the spelled path and has at least `minOctets` octets; of two that are equally
   * strong
   * the one that allows.
   */
  strongest(path: string, minOctets: number): Ruling | null;
  /** About how much memory the rules take. */
  readonly byteLength: number;
}

/** Strongest first; of equals, the rules that allow first. */
export function byStrength(left: WildcardRule, right: WildcardRule): number {
  return right.pattern.octets - left.pattern.octets || Number(right.allow) - Number(left.allow);
}

/** Tries one rule after the other. Best for a few rules, and that is what nearly all files have. */
export class RulesInTurn implements WildcardMatcher {
  readonly #rules: readonly (Ruling & { readonly pattern: RulePattern; readonly searches: readonly PieceSearch[] })[];

  constructor(rules: readonly WildcardRule[]) {
    this.#rules = rules.toSorted(byStrength).map(({ pattern, allow }) => ({
      octets: pattern.octets,
      allow,
      pattern,
      searches: pattern.pieces.slice(1).map(compilePieceSearch),
    }));
  }

  get byteLength(): number {
    let bytes = 0;
    // Objects, texts, and the tables of long pieces.
    for (const { pattern } of this.#rules) bytes += 300 + 100 * pattern.pieces.length + 5 * pattern.octets;
    return bytes;
  }

  strongest(path: string, minOctets: number): Ruling | null {
    for (const rule of this.#rules) {
      if (rule.octets < minOctets) break;
      if (matchesPath(rule.pattern, rule.searches, path)) return rule;
    }
    return null;
  }
}

/**
 * Looks for each piece behind the one before. The first place found is always right, because only a star lies before
 * it.
 * So nothing is tried twice: `*a*a*a*a*b` costs one walk over the path, however many stars it has.
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
