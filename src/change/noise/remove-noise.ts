/**
 * Noise: what differs between two versions of a page and is no change for a reader (W17).
 *
 * In: the outline of a page and the rules that hold for it. Out: an outline in which noise is left out or replaced by a
 * placeholder, so that two versions that differ in nothing else come out equal; and which rules that took.
 *
 * Always: when in doubt it is a change. Whatever is not matched by a rule of rule-table.ts, a selector of the configuration or a
 * learned region comes out as it went in. One pass, linear time, no throw; nothing is ignored that `noiseIn` would not name.
 */
import { hash } from 'node:crypto';
import type { OutlineNode, PageOutline } from '../../core/page-outline.ts';
import { AdFinder, attributeOf } from './advertisement.ts';
import { isChallengeScript } from './anti-bot.ts';
import { cleanAttributes } from './attribute-noise.ts';
import { GeneratedIds } from './generated-ids.ts';
import { maskRegions } from './mask-regions.ts';
import { NoiseLog } from './noise-log.ts';
import type { NoiseRules } from './noise-rules.ts';
import { OutlineWriter } from './outline-writer.ts';
import { NOISE_NAMES, type NoiseName } from './rule-table.ts';
import { selectNodes } from './select-nodes.ts';

export function ignoreNoise(outline: PageOutline, rules: NoiseRules): PageOutline {
  return clean(outline, rules, new NoiseLog(rules.off, false), NO_CHECK);
}

const NO_CHECK = (): void => {};
/** Nodes between two checks of the budget. */
const CHECK_EVERY = 4_096;

/** The rules that ignored other things in one version than in the other. Whether anything else differs is for the outlines to say. */
export function noiseIn(before: PageOutline, after: PageOutline, rules: NoiseRules): readonly NoiseName[] {
  const pair = new NoisePair(rules);
  pair.ignore(before);
  pair.ignore(after);
  return pair.differences;
}

/** Two versions without their noise, and what that was: each is gone through once. */
export class NoisePair {
  readonly #rules: NoiseRules;
  readonly #checkBudget: () => void;
  readonly #logs: NoiseLog[] = [];

  /** `checkBudget` is called now and then and may throw. */
  constructor(rules: NoiseRules, checkBudget: () => void = NO_CHECK) {
    this.#rules = rules;
    this.#checkBudget = checkBudget;
  }

  ignore(outline: PageOutline): PageOutline {
    const log = new NoiseLog(this.#rules.off, true);
    this.#logs.push(log);
    return clean(outline, this.#rules, log, this.#checkBudget);
  }

  /** Of the two that were given: the rules that ignored other things in one than in the other. */
  get differences(): readonly NoiseName[] {
    const [before, after] = this.#logs;
    if (before === undefined || after === undefined) return [];
    return NOISE_NAMES.filter((name) => before.differs(name, after));
  }
}

function clean(outline: PageOutline, rules: NoiseRules, log: NoiseLog, checkBudget: () => void): PageOutline {
  const { nodes } = outline;
  const selected = rules.ignore.length === 0 || !log.isOn('selector') ? null : selectNodes(outline, rules.ignore);
  const ads = new AdFinder(nodes);
  const ids = new GeneratedIds(nodes, log);
  const writer = new OutlineWriter(nodes, log);
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (at % CHECK_EVERY === 0) checkBudget();
    if (writer.isLeftOut(node.parent)) writer.leaveOut(at);
    else if (node.kind === 'text') writer.addText(at);
    else if (node.kind === 'comment') {
      // On level 0 it is the doctype, by which a browser chooses how to lay out the page.
      if (node.level > 0 && log.takes('comment', node.text)) writer.leaveOut(at);
      else writer.addOther(at);
    } else {
      const rule = selected !== null && selected[at] === 1 ? 'selector' : ruleAgainst(nodes, at, ads);
      // What is not left out is looked at again further in: a text of it at each level would cost depth times size.
      const isOff = rule === null || !log.isOn(rule);
      if (!isOff && log.takes(rule, log.isKept ? textOfSubtree(nodes, at) : '')) writer.leaveOut(at);
      else writer.addElement(at, node.attributes.length === 0 ? node.attributes : cleanAttributes(node, ids, log));
    }
  }
  const cleaned: PageOutline = { nodes: writer.end(), isCut: outline.isCut };
  return rules.learned.length === 0 || !log.isOn('learned') ? cleaned : maskRegions(cleaned, rules.learned, log);
}

/** The rule by which an element is left out with all that is in it. */
function ruleAgainst(nodes: readonly OutlineNode[], place: number, ads: AdFinder): NoiseName | null {
  const node = nodes[place]!;
  if (node.name === 'script') {
    const next = nodes[place + 1];
    const text = next?.kind === 'text' && next.parent === place ? next.text : '';
    if (isChallengeScript(node, text)) return 'anti-bot';
    if (text !== '' && ads.isSnippet(place) && isProgram(node)) return 'analytics';
  }
  // Elements without attributes say nothing of themselves.
  if (node.attributes.length === 0) return null;
  if (ads.isCounted(place)) return 'analytics';
  return ads.isAd(place) ? 'advertisement' : null;
}

/** JSON and templates are data, whatever words are in them. */
function isProgram(script: OutlineNode): boolean {
  return !/json|template|html|importmap|speculation/i.test(attributeOf(script, 'type'));
}

const MAX_KEPT_CHARS = 4_000;

/** All that an element holds; of much a part, and a hash for the rest. */
function textOfSubtree(nodes: readonly OutlineNode[], place: number): string {
  const parts: string[] = [];
  for (let at = place; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (at > place && node.parent < place && node.level > 0) break;
    parts.push(node.kind, node.name, ...node.attributes.slice(0, 1_000), node.text);
  }
  const text = parts.join('\n');
  return text.length <= MAX_KEPT_CHARS ? text : `${text.slice(0, MAX_KEPT_CHARS)} ${hash('sha256', text)}`;
}
