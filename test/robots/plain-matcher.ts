/**
 * The reference for all tests of robots rules. It tries every rule, searches each piece after the one before, and the
 * strongest matching rule decides (RFC 9309 2.2.2). Its time grows with the product of rules and path.
 */

import type { RobotsRule } from '../../src/robots/parse-robots-txt.ts';
import { compileRulePattern, type RulePattern, spellPath, withEncodedQuery } from '../../src/robots/rule-pattern.ts';

export function plainMatcher(rules: readonly RobotsRule[]): (path: string) => boolean {
  const compiled = rules.flatMap(({ allow, pattern }) => {
    const written = compileRulePattern(pattern);
    const spellings = written === null ? [] : [written, withEncodedQuery(written)];
    return spellings.flatMap((spelling) => (spelling === null ? [] : [{ allow, pattern: spelling }]));
  });
  return (path) => {
    if (path === '/robots.txt') return true;
    const spelled = spellPath(path);
    let best = { octets: 0, allow: true };
    for (const { allow, pattern } of compiled) {
      const isBetter = pattern.octets > best.octets || (pattern.octets === best.octets && allow && !best.allow);
      if (isBetter && matches(pattern, spelled)) best = { octets: pattern.octets, allow };
    }
    return best.allow;
  };
}

function matches({ pieces, isAnchored }: RulePattern, path: string): boolean {
  const [head, ...rest] = pieces;
  if (!path.startsWith(head!)) return false;
  if (rest.length === 0) return !isAnchored || path === head;
  const tail = isAnchored ? rest.pop()! : '';
  let at = head!.length;
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return path.length - tail.length >= at && path.endsWith(tail);
}
