import type { RobotsRule } from './parse-robots-txt.ts';
import { PrefixTable } from './prefix-table.ts';
import { MAX_INDEXED_PATH, RuleIndex } from './rule-index.ts';
import {
  compileRulePattern,
  isPlainPrefix,
  type RulePattern,
  type WildcardRule,
  withEncodedQuery,
} from './rule-pattern.ts';
import { RulesInTurn, type WildcardMatcher } from './wildcard-rules.ts';

/**
 * The compiled rules of a file for one crawler. In: rules as written. Out: whether they allow a spelled path.
 * Among the rules that match a path, the rule with the most octets decides. Between two rules of equal
 * length, the rule that allows wins (RFC 9309 2.2.2).
 */

/** Up to these limits, trying the rules one by one is faster than an index and cannot take long. */
const MAX_RULES_IN_TURN = 32;
const MAX_PIECES_IN_TURN = 512;

/** The rules of a file in the order of the file. */
export interface RulesAsWritten {
  read(): readonly RobotsRule[];
}

export class PathRules {
  readonly #prefixes: PrefixTable;
  readonly #prefixAllows: readonly boolean[];
  readonly #wildcards: WildcardMatcher;
  /** Source for paths that are too long for the index. Null if there is no index. */
  readonly #source: RulesAsWritten | null;

  constructor(source: RulesAsWritten) {
    const { prefixes, wildcards } = sortOut(source.read());
    this.#prefixes = new PrefixTable(prefixes.keys());
    this.#prefixAllows = this.#prefixes.prefixes.map((prefix) => prefixes.get(prefix)!);
    let pieces = 0;
    for (const { pattern } of wildcards) pieces += pattern.pieces.length;
    const index = wildcards.length > MAX_RULES_IN_TURN || pieces > MAX_PIECES_IN_TURN ? new RuleIndex(wildcards) : null;
    this.#source = index === null ? null : source;
    this.#wildcards = index ?? new RulesInTurn(wildcards);
  }

  /** Approximate memory of the rules. */
  get byteLength(): number {
    return this.#prefixes.byteLength + this.#wildcards.byteLength;
  }

  allows(path: string): boolean {
    const index = this.#prefixes.longest(path);
    const prefixOctets = index === -1 ? 0 : this.#prefixes.prefixes[index]!.length;
    const prefixAllows = index === -1 || this.#prefixAllows[index]!;
    const ruling = this.#wildcardsFor(path).strongest(path, prefixOctets);
    if (ruling === null) return prefixAllows;
    return ruling.octets === prefixOctets ? ruling.allow || prefixAllows : ruling.allow;
  }

  #wildcardsFor(path: string): WildcardMatcher {
    if (path.length <= MAX_INDEXED_PATH || this.#source === null) return this.#wildcards;
    return new RulesInTurn(sortOut(this.#source.read()).wildcards);
  }
}

function sortOut(rules: readonly RobotsRule[]): { prefixes: Map<string, boolean>; wildcards: WildcardRule[] } {
  const prefixes = new Map<string, boolean>();
  const wildcards = new Map<string, WildcardRule>();
  const encodedOf = new Map<string, string>();
  for (const { allow, pattern: written } of rules) {
    const pattern = compileRulePattern(written);
    if (pattern === null) continue;
    const encoded = withEncodedQuery(pattern, encodedOf);
    const isPair = encoded !== null && haveSameEnds(pattern, encoded);
    addRule(prefixes, wildcards, { allow, pattern, encoded: isPair ? encoded : null });
    if (encoded !== null && !isPair) addRule(prefixes, wildcards, { allow, pattern: encoded, encoded: null });
  }
  return { prefixes, wildcards: [...wildcards.values()] };
}

/** Whether the first pieces are the same, and the last pieces of a pattern with `$`. */
function haveSameEnds({ pieces, isAnchored }: RulePattern, other: RulePattern): boolean {
  return pieces[0] === other.pieces[0] && (!isAnchored || pieces.at(-1) === other.pieces.at(-1));
}

function addRule(prefixes: Map<string, boolean>, wildcards: Map<string, WildcardRule>, rule: WildcardRule): void {
  const { pattern, allow } = rule;
  if (isPlainPrefix(pattern)) {
    const prefix = pattern.pieces[0]!;
    prefixes.set(prefix, allow || prefixes.get(prefix) === true);
    return;
  }
  // A spelled piece never contains a star, so two different patterns never have the same key.
  const key = pattern.pieces.join('*') + (pattern.isAnchored ? '$' : '');
  wildcards.set(key, { ...rule, allow: allow || wildcards.get(key)?.allow === true });
}
