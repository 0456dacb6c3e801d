import { spellPath } from './octets.ts';
import { agentToken, type RobotsFile, type RobotsGroup } from './parse-robots-txt.ts';
import { PrefixRules } from './prefix-rules.ts';
import { compileRulePattern, isPlainPrefix, matchesPath, type RulePattern, withEncodedQuery } from './rule-pattern.ts';

/**
 * What a robots.txt says to one crawler (RFC 9309 2.2). All groups that name the crawler count as one; without such a
 * group those for `*` do; without those everything is allowed. Among the rules that match a path the one with the most
 * octets decides, since it was written with that path in mind, and between equals the one that allows.
 */
export interface RobotsRules {
  /** `path` with its query, as in a request line: `/a/b?c=d`. */
  allows(path: string): boolean;
  /** The longest delay asked for, null where none is. */
  readonly crawlDelayMs: number | null;
  /** Sitemaps belong to the file, not to a group, so they are the same for every crawler. */
  readonly sitemaps: readonly string[];
}

const ANYONE = '*';

export function robotsFor(file: RobotsFile, productToken: string): RobotsRules {
  const ownToken = agentToken(productToken);
  let token = ownToken;
  let groups = ownToken === '' ? [] : groupsOf(file, ownToken);
  if (groups.length === 0) {
    token = ANYONE;
    groups = groupsOf(file, ANYONE);
  }
  return new GroupRules(groups, longestDelayMs(groups, token), file.sitemaps);
}

function groupsOf(file: RobotsFile, token: string): RobotsGroup[] {
  return file.groups.filter((group) => group.agents.includes(token));
}

function longestDelayMs(groups: readonly RobotsGroup[], token: string): number | null {
  let longest: number | null = null;
  for (const group of groups) {
    // Most files have no delay at all, and an agent is named once or twice in a group.
    if (group.crawlDelays.length === 0) continue;
    const timesNamedBefore = new Int32Array(group.agents.length + 1);
    for (const [index, agent] of group.agents.entries()) {
      timesNamedBefore[index + 1] = timesNamedBefore[index]! + (agent === token ? 1 : 0);
    }
    for (const { seconds, fromAgent, toAgent } of group.crawlDelays) {
      if (timesNamedBefore[toAgent]! > timesNamedBefore[fromAgent]!)
        longest = Math.max(longest ?? 0, Math.round(seconds * 1000));
    }
  }
  return longest;
}

interface WildcardRule {
  readonly pattern: RulePattern;
  readonly allow: boolean;
}

class GroupRules implements RobotsRules {
  readonly crawlDelayMs: number | null;
  readonly sitemaps: readonly string[];
  readonly #prefixes: PrefixRules;
  /** Strongest first; of equals, the ones that allow first. */
  readonly #wildcards: readonly WildcardRule[];

  constructor(groups: readonly RobotsGroup[], crawlDelayMs: number | null, sitemaps: readonly string[]) {
    this.crawlDelayMs = crawlDelayMs;
    this.sitemaps = sitemaps;
    const prefixes = new Map<string, boolean>();
    const wildcards = new Map<string, WildcardRule>();
    for (const { rules } of groups) {
      for (const { allow, pattern } of rules) {
        addRule(prefixes, wildcards, allow, pattern);
        const encoded = withEncodedQuery(pattern);
        if (encoded !== null) addRule(prefixes, wildcards, allow, encoded);
      }
    }
    this.#prefixes = new PrefixRules(prefixes);
    this.#wildcards = [...wildcards.values()].sort(
      (left, right) => right.pattern.octets - left.pattern.octets || Number(right.allow) - Number(left.allow),
    );
  }

  allows(path: string): boolean {
    // 2.2.2: the file itself is always allowed.
    if (path === '/robots.txt') return true;
    const spelled = spellPath(path);
    const prefix = this.#prefixes.strongest(spelled);
    for (const { pattern, allow } of this.#wildcards) {
      if (pattern.octets < prefix.octets) break;
      if (!matchesPath(pattern, spelled)) continue;
      return pattern.octets === prefix.octets ? allow || prefix.allow : allow;
    }
    return prefix.allow;
  }
}

function addRule(
  prefixes: Map<string, boolean>,
  wildcards: Map<string, WildcardRule>,
  allow: boolean,
  written: string,
): void {
  const pattern = compileRulePattern(written);
  if (pattern === null) return;
  if (isPlainPrefix(pattern)) {
    const prefix = pattern.pieces[0]!;
    prefixes.set(prefix, allow || prefixes.get(prefix) === true);
    return;
  }
  // A star cannot stand in a spelled piece, so the key is as unique as the pattern.
  const key = pattern.pieces.join('*') + (pattern.isAnchored ? '$' : '');
  wildcards.set(key, { pattern, allow: allow || wildcards.get(key)?.allow === true });
}
