import { spellOctets } from './octets.ts';

/**
 * One path pattern of a rule. `*` is any run of octets and `$` at the end is the end (RFC 9309 2.2.3); a pattern
 * without
 * `$` matches every path that begins with it.
 */
export interface RulePattern {
  /** The more octets, the stronger the rule. */
  readonly octets: number;
  /** What stands between the stars. One piece and no end mark: a plain prefix. */
  readonly pieces: readonly string[];
  readonly isAnchored: boolean;
}

export interface WildcardRule {
  readonly pattern: RulePattern;
  readonly allow: boolean;
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
  return { octets, pieces, isAnchored };
}

export function isPlainPrefix(pattern: RulePattern): boolean {
  return pattern.pieces.length === 1 && !pattern.isAnchored;
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
