import { PathWalk } from './path-walk.ts';
import { PieceAutomaton } from './piece-automaton.ts';
import { PrefixTable } from './prefix-table.ts';
import type { RulePattern, WildcardRule } from './rule-pattern.ts';
import { compileSteps, type RuleSteps } from './rule-steps.ts';
import { byStrength, type Ruling, type WildcardMatcher } from './wildcard-rules.ts';

/**
 * The index of many wildcard rules. In: rules. Out: the strongest rule that matches a path. An automaton that knows the
 * pieces of all rules reads the path once. Then each rule takes one short step per piece, up to the first piece that
 * the rest of the path does not contain. A file of 500 KB has at most 250,000 pieces (500,000 if a query is encoded),
 * so a path takes at most that many steps, however long it is.
 *
 * Fewer steps are not possible in general: whether one of many patterns matches a path is as hard as the orthogonal
 * vectors problem, and no algorithm is known for it that is better than comparing all pairs.
 */

/**
 * Longer paths are matched rule by rule. With the default `--max-url-length`, no
 * URL is that long (`url/traps/judge-traps.ts`).
 */
export const MAX_INDEXED_PATH = 16_384;

/** Marks a rule without `$`, or with `*$`, which means the same. */
const OPEN_END = -1;
/** Marks a rule with `$` and without a star, such as `/a$`. */
const WHOLE_PATH = -2;
const LANES = 4;
/** Below this number of steps, taking four rules together saves nothing. */
const MIN_STEPS_TOGETHER = 8;

export class RuleIndex implements WildcardMatcher {
  /** The rules are sorted, strongest first. The arrays below have one entry per rule. */
  readonly #allows: Uint8Array;
  readonly #octets: Int32Array;
  /** By rule: the length of the shortest path that can match. */
  readonly #minLengths: Int32Array;
  readonly #heads: Int32Array;
  /** The piece before `$`, `OPEN_END` or `WHOLE_PATH`. */
  readonly #tails: Int32Array;
  /** The piece after the head that the fewest rules use, or -1 for none. Its absence rules out most rules quickly. */
  readonly #rarest: Int32Array;
  /** The pieces between head and tail. */
  readonly #steps: RuleSteps;
  readonly #headTable: PrefixTable;
  readonly #automaton: PieceAutomaton;

  constructor(given: readonly WildcardRule[]) {
    const rules = given.filter((rule) => minLengthOf(rule) <= MAX_INDEXED_PATH).sort(byStrength);
    this.#allows = Uint8Array.from(rules, (rule) => (rule.allow ? 1 : 0));
    this.#octets = Int32Array.from(rules, (rule) => rule.pattern.octets);
    this.#minLengths = Int32Array.from(rules, minLengthOf);

    this.#headTable = new PrefixTable(new Set(rules.map((rule) => rule.pattern.pieces[0]!)));
    const headNumbers = numbersOf(this.#headTable.prefixes);
    this.#heads = Int32Array.from(rules, (rule) => headNumbers.get(rule.pattern.pieces[0]!)!);

    const uses = countUses(rules);
    const pieces = [...uses.keys()].sort();
    this.#automaton = new PieceAutomaton(pieces);
    const numbers = numbersOf(pieces);
    const sequence: number[] = [];
    const firstPieces = new Int32Array(rules.length + 1);
    this.#tails = new Int32Array(rules.length);
    this.#rarest = new Int32Array(rules.length).fill(-1);
    for (const [index, { pattern }] of rules.entries()) {
      const tail = pattern.pieces.at(-1)!;
      const hasTail = pattern.isAnchored && pattern.pieces.length > 1 && tail !== '';
      if (hasTail) this.#tails[index] = numbers.get(tail)!;
      else this.#tails[index] = pattern.isAnchored && pattern.pieces.length === 1 ? WHOLE_PATH : OPEN_END;
      const pieceEnd = pattern.pieces.length - (hasTail ? 1 : 0);
      for (let at = 1; at < pieceEnd; at++)
        if (pattern.pieces[at] !== '') sequence.push(numbers.get(pattern.pieces[at]!)!);
      firstPieces[index + 1] = sequence.length;
      const rarest = rarestPiece(pattern, uses);
      if (rarest !== '') this.#rarest[index] = numbers.get(rarest)!;
    }
    this.#steps = compileSteps(Int32Array.from(sequence), firstPieces, pieces.length);
  }

  get byteLength(): number {
    const perRule = this.#allows.byteLength + 6 * this.#octets.byteLength;
    return perRule + this.#steps.steps.byteLength + this.#headTable.byteLength + this.#automaton.byteLength;
  }

  strongest(path: string, minOctets: number): Ruling | null {
    const rules = this.#octets.length;
    if (rules === 0 || this.#octets[0]! < minOctets) return null;
    const { parents } = this.#automaton;
    walk.begin(this.#automaton, this.#steps.tables, this.#headTable.prefixes.length, path);
    const { headMarks, tailMarks, stamp, places } = walk;
    const { prefixes, parents: headParents } = this.#headTable;
    for (let head = this.#headTable.longest(path); head !== -1; head = headParents[head]!) headMarks[head] = stamp;
    for (let piece = places.longestAtEnd; piece !== -1; piece = parents[piece]!) tailMarks[piece] = stamp;

    const length = path.length;
    let lanes = 0;
    for (let rule = 0; rule < rules && this.#octets[rule]! >= minOctets; rule++) {
      const head = this.#heads[rule]!;
      const minLength = this.#minLengths[rule]!;
      if (minLength > length || headMarks[head] !== stamp) continue;
      const rarest = this.#rarest[rule]!;
      if (rarest !== -1 && !places.has(rarest)) continue;
      const tail = this.#tails[rule]!;
      if (tail >= 0 ? tailMarks[tail] !== stamp : tail === WHOLE_PATH && minLength !== length) continue;
      laneRules[lanes] = rule;
      laneEnds[lanes] = prefixes[head]!.length;
      if (++lanes < LANES) continue;
      const found = this.#firstMatch(lanes, length);
      if (found !== null) return found;
      lanes = 0;
    }
    return this.#firstMatch(lanes, length);
  }

  /** The first rule in `laneRules` that matches. */
  #firstMatch(lanes: number, length: number): Ruling | null {
    const { steps, firstSteps } = this.#steps;
    let together = lanes === LANES ? steps.length : 0;
    for (let lane = 0; lane < lanes; lane++) {
      const rule = laneRules[lane]!;
      laneStarts[lane] = firstSteps[rule]!;
      together = Math.min(together, firstSteps[rule + 1]! - firstSteps[rule]!);
    }
    const taken = together < MIN_STEPS_TOGETHER ? 0 : walk.followFour(steps, laneStarts, together, laneEnds);
    for (let lane = 0; lane < lanes; lane++) {
      const rule = laneRules[lane]!;
      const tail = this.#tails[rule]!;
      const lastEnd = tail >= 0 ? length - this.#automaton.lengths[tail]! : length;
      const end = walk.follow(steps, laneStarts[lane]! + taken, firstSteps[rule + 1]!, laneEnds[lane]!);
      if (end <= lastEnd) return { octets: this.#octets[rule]!, allow: this.#allows[rule] === 1 };
    }
    return null;
  }
}

function minLengthOf({ pattern }: WildcardRule): number {
  return pattern.octets - (pattern.pieces.length - 1) - (pattern.isAnchored ? 1 : 0);
}

/** How often each piece after a head is used. */
function countUses(rules: readonly WildcardRule[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const { pattern } of rules) {
    for (let at = 1; at < pattern.pieces.length; at++) {
      const piece = pattern.pieces[at]!;
      if (piece !== '') uses.set(piece, (uses.get(piece) ?? 0) + 1);
    }
  }
  return uses;
}

/** Returns '' for a rule without pieces after its head. */
function rarestPiece({ pieces }: RulePattern, uses: ReadonlyMap<string, number>): string {
  let rarest = '';
  let fewest = Number.POSITIVE_INFINITY;
  for (let at = 1; at < pieces.length; at++) {
    const count = uses.get(pieces[at]!) ?? Number.POSITIVE_INFINITY;
    if (count < fewest) [rarest, fewest] = [pieces[at]!, count];
  }
  return rarest;
}

function numbersOf(texts: readonly string[]): Map<string, number> {
  return new Map(texts.map((text, number) => [text, number]));
}

/** One object serves all files of a thread, because it keeps nothing from one path to the next. */
const walk = new PathWalk();
/** The rules that are tried together, and their positions. */
const laneRules = new Int32Array(LANES);
const laneStarts = new Int32Array(LANES);
const laneEnds = new Int32Array(LANES);
