/**
 * Removes noise: differences between two versions of a page that are not a change for a reader (W17).
 *
 * In: the outline of a page and its noise rules. Out: an outline in which noise is removed
 * or replaced by a placeholder, so that two versions without other differences become equal;
 * and the names of the rules that were applied.
 *
 * What always holds: in doubt, a difference is a change. Content that no rule of rule-table.ts, no selector of the
 * configuration and no learned region matches is not altered. There is one pass in linear time, and nothing throws.
 * Nothing is ignored that `NoisePair` would not name.
 */
import { hash } from 'node:crypto';
import type { OutlineNode, PageOutline } from '../../core/page/page-outline.ts';
import { AdFinder, attributeOf } from './advertising/advertisement.ts';
import { isChallengeScript } from './anti-bot.ts';
import { cleanAttributes } from './attribute-noise.ts';
import { isConsentFrame } from './consent-frame.ts';
import { GeneratedIds } from './generated-ids.ts';
import { maskRegions } from './learned/mask-regions.ts';
import { NoiseLog } from './noise-log.ts';
import type { NoiseRules } from './noise-rules.ts';
import { OutlineWriter } from './outline-writer.ts';
import { NOISE_NAMES, type NoiseName } from './rule-table.ts';
import { selectNodes } from './selectors/select-nodes.ts';

export function ignoreNoise(outline: PageOutline, rules: NoiseRules): PageOutline {
  return clean(outline, rules, new NoiseLog(rules.off, false), NO_CHECK);
}

const NO_CHECK = (): void => {};
/** The number of nodes between two checks of the budget. */
const CHECK_EVERY = 4_096;

/** Removes the noise of two versions and names the rules that explain the difference. Each version is read once. */
export class NoisePair {
  readonly #rules: NoiseRules;
  readonly #checkBudget: () => void;
  readonly #logs: NoiseLog[] = [];

  /** `checkBudget` is called from time to time and may throw. */
  constructor(rules: NoiseRules, checkBudget: () => void = NO_CHECK) {
    this.#rules = rules;
    this.#checkBudget = checkBudget;
  }

  ignore(outline: PageOutline): PageOutline {
    const log = new NoiseLog(this.#rules.off, true);
    this.#logs.push(log);
    return clean(outline, this.#rules, log, this.#checkBudget);
  }

  /** The rules that ignored different content in the two versions. */
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
  const writer = new OutlineWriter(outline, log);
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (at % CHECK_EVERY === 0) checkBudget();
    if (writer.isLeftOut(node.parent)) writer.leaveOut(at);
    else if (node.kind === 'text') writer.addText(at);
    else if (node.kind === 'comment') {
      // On level 0 it is the doctype, which decides how a browser lays out the page.
      if (node.level > 0 && log.takes('comment', node.text)) writer.leaveOut(at);
      else writer.addOther(at);
    } else {
      const rule = selected !== null && selected[at] === 1 ? 'selector' : ruleAgainst(nodes, at, ads);
      // An element that is not removed is examined again at deeper levels. Collecting its text at each level would cost
      // depth times size, so this is done only if the rule is on.
      const isOff = rule === null || !log.isOn(rule);
      if (!isOff && log.takes(rule, log.isKept ? textOfSubtree(nodes, at) : '')) writer.leaveOut(at);
      else writer.addElement(at, node.attributes.length === 0 ? node.attributes : cleanAttributes(node, ids, log));
    }
  }
  const cleaned: PageOutline = { ...outline, nodes: writer.end() };
  return rules.learned.length === 0 || !log.isOn('learned') ? cleaned : maskRegions(cleaned, rules.learned, log);
}

/** The rule that removes an element with all its content, or null. */
function ruleAgainst(nodes: readonly OutlineNode[], place: number, ads: AdFinder): NoiseName | null {
  const node = nodes[place]!;
  if (node.name === 'script') {
    const next = nodes[place + 1];
    const text = next?.kind === 'text' && next.parent === place ? next.text : '';
    if (isChallengeScript(node, text)) return 'anti-bot';
    if (text !== '' && ads.isSnippet(place) && isProgram(node)) return 'analytics';
  }
  // Without attributes, no rule can recognise an element.
  if (node.attributes.length === 0) return null;
  if (isConsentFrame(node)) return 'consent';
  if (ads.isCounted(place)) return 'analytics';
  return ads.isAd(place) ? 'advertisement' : null;
}

/** Whether a script is a program. JSON and templates are data, whatever words they contain. */
function isProgram(script: OutlineNode): boolean {
  return !/json|template|html|importmap|speculation/i.test(attributeOf(script, 'type'));
}

const MAX_KEPT_CHARS = 4_000;

/** The content of an element. A long content is cut, and a hash stands for the whole. */
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
