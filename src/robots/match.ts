import { agentToken, type RobotsFile, type RobotsGroup, type RobotsRule } from './parse-robots-txt.ts';
import { PathRules } from './path-rules.ts';
import { spellPath } from './rule-pattern.ts';

/**
 * The answers of a robots.txt for one crawler (RFC 9309 2.2). All groups that name the crawler count as one group. If
 * no group names it, the groups for `*` apply. If there are none of these either, everything is allowed. Among the
 * rules that match a path, the rule with the most octets decides, because it was written with that path in mind.
 * Between two rules of equal length, the rule that allows wins.
 */
export interface RobotsRules {
  /** `path` with its query, as in a request line: `/a/b?c=d`. */
  allows(path: string): boolean;
  /** The longest delay that the file asks for, or null if it asks for none. */
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
    // Most files have no delay at all. In the others, a group names an agent only once or twice.
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
    // 2.2.2: robots.txt itself is always allowed.
    if (path === '/robots.txt') return true;
    noteUse(this.#slot);
    return (this.#slot.rules ?? this.#compile()).allows(spellPath(path));
  }

  /**
   * Compiles on the first question, because many hosts are never asked for a page. Dropped rules are compiled again.
   */
  #compile(): PathRules {
    const rules = new PathRules(this.#source);
    this.#slot.rules = rules;
    shelve(this.#slot);
    return rules;
  }
}

/** The rules as they were read. A long list of rules is kept as one string, which takes a tenth of the memory. */
class RuleSource {
  #rules: readonly RobotsRule[];
  #text = '';

  constructor(groups: readonly RobotsGroup[]) {
    this.#rules = groups.length === 1 ? groups[0]!.rules : groups.flatMap((group) => group.rules);
    if (this.#rules.length <= MAX_RULES_AS_OBJECTS) return;
    // A pattern never contains a line break.
    this.#text = this.#rules.map(({ allow, pattern }) => (allow ? '+' : '-') + pattern).join('\n');
    this.#rules = [];
  }

  read(): readonly RobotsRule[] {
    if (this.#text === '') return this.#rules;
    return this.#text.split('\n').map((line) => ({ allow: line.startsWith('+'), pattern: line.slice(1) }));
  }
}

/**
 * Keeps the compiled rules of large files within a memory limit per thread. A crawl holds hundreds of
 * active hosts, and the rules of one hostile file can take 30 MB. The least recently used rules are
 * dropped, and compiled again when they are needed.
 *
 * What always holds: rules smaller than `MIN_SHELVED_BYTES` are not counted and never dropped, so the rules of an
 * honest site are compiled once.
 */
export const MAX_SHELF_BYTES = 64 * 1024 * 1024;
const MIN_SHELVED_BYTES = 128 * 1024;

/** Holds compiled rules. The owner releases the slot together with the host. */
interface RuleSlot {
  rules: PathRules | null;
  /** The value of the use counter when the rules were last used. */
  used: number;
}

let uses = 0;
let shelf: WeakRef<RuleSlot>[] = [];

function noteUse(slot: RuleSlot): void {
  slot.used = ++uses;
}

/** Makes room for the newly compiled rules of a slot. */
function shelve(slot: RuleSlot): void {
  if (slot.rules === null || slot.rules.byteLength < MIN_SHELVED_BYTES) return;
  const held = [slot, ...heldSlots().filter((other) => other !== slot)];
  // The new rules stay even if they alone exceed the limit.
  held.sort((left, right) => right.used - left.used);
  let bytes = 0;
  for (const each of held) {
    bytes += each.rules!.byteLength;
    if (bytes > MAX_SHELF_BYTES && each !== slot) each.rules = null;
  }
  shelf = held.filter((each) => each.rules !== null).map((each) => new WeakRef(each));
}

/** Bytes of all rules on the shelf. */
export function shelfBytes(): number {
  return heldSlots().reduce((sum, slot) => sum + slot.rules!.byteLength, 0);
}

function heldSlots(): RuleSlot[] {
  return shelf.flatMap((reference) => {
    const slot = reference.deref();
    return slot?.rules ? [slot] : [];
  });
}
