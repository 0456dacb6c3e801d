import { spellPath } from './octets.ts';
import { agentToken, type RobotsFile, type RobotsGroup, type RobotsRule } from './parse-robots-txt.ts';
import { PathRules } from './path-rules.ts';
import { noteUse, type RuleSlot, shelve } from './rule-shelf.ts';

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
const MAX_RULES_AS_OBJECTS = 1_000;

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

class GroupRules implements RobotsRules {
  readonly crawlDelayMs: number | null;
  readonly sitemaps: readonly string[];
  readonly #slot: RuleSlot = { rules: null, used: 0 };
  readonly #source: RuleSource;

  constructor(groups: readonly RobotsGroup[], crawlDelayMs: number | null, sitemaps: readonly string[]) {
    this.crawlDelayMs = crawlDelayMs;
    this.sitemaps = sitemaps;
    this.#source = new RuleSource(groups);
  }

  allows(path: string): boolean {
    // 2.2.2: the file itself is always allowed.
    if (path === '/robots.txt') return true;
    noteUse(this.#slot);
    return (this.#slot.rules ?? this.#compile()).allows(spellPath(path));
  }

  /** On the first question: many hosts are never asked for a page. Rules that were dropped are compiled again. */
  #compile(): PathRules {
    const rules = new PathRules(this.#source);
    this.#slot.rules = rules;
    shelve(this.#slot);
    return rules;
  }
}

/** The rules as they were read. Many rules are kept as one text, which takes a tenth of the memory. */
class RuleSource {
  #rules: readonly RobotsRule[];
  #text = '';

  constructor(groups: readonly RobotsGroup[]) {
    this.#rules = groups.length === 1 ? groups[0]!.rules : groups.flatMap((group) => group.rules);
    if (this.#rules.length <= MAX_RULES_AS_OBJECTS) return;
    // No pattern has a line break.
    this.#text = this.#rules.map(({ allow, pattern }) => (allow ? '+' : '-') + pattern).join('\n');
    this.#rules = [];
  }

  read(): readonly RobotsRule[] {
    if (this.#text === '') return this.#rules;
    return this.#text.split('\n').map((line) => ({ allow: line.startsWith('+'), pattern: line.slice(1) }));
  }
}
