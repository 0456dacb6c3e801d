import { PathWalk } from './path-walk.ts';
import { PieceAutomaton } from './piece-automaton.ts';
import { PrefixTable } from './prefix-table.ts';
import type { WildcardRule } from './rule-pattern.ts';
import { compileSteps, type RuleSteps } from './rule-steps.ts';
import { type Ruling, rulingOf, strengthOf, type WildcardMatcher } from './wildcard-rules.ts';

/**
 * The index of many wildcard rules. In: rules. Out: the strongest rule that matches a path. An automaton that knows the
 * pieces of all rules reads the path once. Then each rule takes one short step per piece, up to the first piece that
 * the rest of the path does not contain. A file of 500 KB has at most 250,000 pieces, so a path takes at most that many
 * steps, however long it is.
 *
 * Fewer steps are not possible in general: whether one of many patterns matches a path is as hard as the orthogonal
 * vectors problem, and no algorithm is known for it that is better than comparing all pairs.
 *
 * A rule with a second spelling takes the steps that both spellings share only once: the steps before the pieces that
 * differ, and those after them. After the pieces that differ, one spelling is further on in the path than the other.
 * If the rest of the rule is not found from the earlier position, it is not found from the later position either.
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
const LANES = 6;
/** Below this number of steps, taking six rules together saves nothing. */
const MIN_STEPS_TOGETHER = 8;

/** The parts of a rule between head and tail: steps of both spellings, of one spelling each, of both again. */
const BEFORE = 0;
const WRITTEN = 1;
const ENCODED = 2;
const AFTER = 3;
const PARTS = 4;

export class RuleIndex implements WildcardMatcher {
  /** By rule: how strong it is in its strongest spelling. The strongest rule comes first. */
  readonly #strengths: Int32Array;
  /** By rule: how strong it is as written. Equal to `#strengths` for a rule with one spelling. */
  readonly #writtenStrengths: Int32Array;
  /** By rule: the length of the shortest path that can match. */
  readonly #minLengths: Int32Array;
  readonly #heads: Int32Array;
  /** The piece before `$`, `OPEN_END` or `WHOLE_PATH`. */
  readonly #tails: Int32Array;
  /** The piece of all spellings that the fewest rules use, or -1 for none. Its absence rules out most rules quickly. */
  readonly #rarest: Int32Array;
  /** The steps of all parts of all rules. */
  readonly #steps: RuleSteps;
  readonly #headTable: PrefixTable;
  readonly #automaton: PieceAutomaton;
  /** The strength of the strongest rule found so far for the current path. */
  #best = 0;

  constructor(given: readonly WildcardRule[]) {
    const strongest = ({ pattern, encoded, allow }: WildcardRule) => strengthOf(encoded ?? pattern, allow);
    const rules = given
      .filter((rule) => minLengthOf(rule) <= MAX_INDEXED_PATH)
      .sort((left, right) => strongest(right) - strongest(left));
    this.#strengths = Int32Array.from(rules, strongest);
    this.#writtenStrengths = Int32Array.from(rules, ({ pattern, allow }) => strengthOf(pattern, allow));
    this.#minLengths = Int32Array.from(rules, minLengthOf);

    this.#headTable = new PrefixTable(new Set(rules.map((rule) => rule.pattern.pieces[0]!)));
    const headNumbers = numbersOf(this.#headTable.prefixes);
    this.#heads = Int32Array.from(rules, (rule) => headNumbers.get(rule.pattern.pieces[0]!)!);

    /** Distinct pieces after the heads, with the numbers in which they appear first. */
    const found = new Map<string, number>();
    const numberOf = (piece: string): number => {
      const known = found.get(piece);
      if (known === undefined) found.set(piece, found.size);
      return known ?? found.size - 1;
    };
    const sequence: number[] = [];
    const firstPieces = new Int32Array(rules.length * PARTS + 1);
    const tails = new Int32Array(rules.length);
    for (const [index, rule] of rules.entries()) {
      const { pattern } = rule;
      const tail = pattern.pieces.at(-1)!;
      const hasTail = pattern.isAnchored && pattern.pieces.length > 1 && tail !== '';
      if (hasTail) tails[index] = numberOf(tail);
      else tails[index] = pattern.isAnchored && pattern.pieces.length === 1 ? WHOLE_PATH : OPEN_END;
      for (const [part, pieces] of partsOf(rule, pattern.pieces.length - (hasTail ? 1 : 0)).entries()) {
        for (const piece of pieces) if (piece !== '') sequence.push(numberOf(piece));
        firstPieces[index * PARTS + part + 1] = sequence.length;
      }
    }
    const pieces = [...found.keys()].sort();
    this.#automaton = new PieceAutomaton(pieces);
    const numbers = new Int32Array(pieces.length);
    for (const [number, piece] of pieces.entries()) numbers[found.get(piece)!] = number;
    const sorted = Int32Array.from(sequence, (first) => numbers[first]!);
    this.#tails = tails.map((tail) => (tail >= 0 ? numbers[tail]! : tail));
    this.#rarest = rarestPieces(sorted, firstPieces, this.#tails, pieces.length);
    this.#steps = compileSteps(sorted, firstPieces, pieces.length);
  }

  get byteLength(): number {
    const perRule = (6 + PARTS) * this.#strengths.byteLength;
    return perRule + this.#steps.steps.byteLength + this.#headTable.byteLength + this.#automaton.byteLength;
  }

  strongest(path: string, minOctets: number): Ruling | null {
    const weakest = 2 * minOctets - 1;
    const rules = this.#strengths.length;
    if (rules === 0 || this.#strengths[0]! <= weakest) return null;
    const { parents } = this.#automaton;
    walk.begin(this.#automaton, this.#steps.tables, this.#headTable.prefixes.length, path);
    const { headMarks, tailMarks, stamp, places } = walk;
    const { prefixes, parents: headParents } = this.#headTable;
    for (let head = this.#headTable.longest(path); head !== -1; head = headParents[head]!) headMarks[head] = stamp;
    for (let piece = places.longestAtEnd; piece !== -1; piece = parents[piece]!) tailMarks[piece] = stamp;

    const length = path.length;
    let lanes = 0;
    this.#best = weakest;
    for (let rule = 0; rule < rules && this.#strengths[rule]! > this.#best; rule++) {
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
      this.#tryRules(lanes, length);
      lanes = 0;
    }
    this.#tryRules(lanes, length);
    return this.#best === weakest ? null : rulingOf(this.#best);
  }

  /** Tries the rules in `laneRules`, from the positions in `laneEnds`. */
  #tryRules(lanes: number, length: number): void {
    this.#follow(BEFORE, lanes);
    let spellings = 1;
    for (let lane = 0; lane < lanes; lane++) {
      const rule = laneRules[lane]!;
      if (this.#strengths[rule] !== this.#writtenStrengths[rule]) spellings = 2;
    }
    if (spellings === 2) this.#followSpellings(lanes);
    for (let lane = 0; lane < lanes; lane++) {
      const rule = laneRules[lane]!;
      const tail = this.#tails[rule]!;
      const lastEnd = tail >= 0 ? length - this.#automaton.lengths[tail]! : length;
      if (laneEnds[lane]! > lastEnd) continue;
      const encoded = laneEncoded[lane]!;
      const isEncoded = spellings === 1 || encoded === laneFrom[lane] || this.#rest(rule, encoded) <= lastEnd;
      this.#best = Math.max(this.#best, (isEncoded ? this.#strengths : this.#writtenStrengths)[rule]!);
    }
  }

  /** Takes the rules through the rest of their steps, in the spelling that is found earlier in the path. */
  #followSpellings(lanes: number): void {
    laneFrom.set(laneEnds);
    this.#follow(ENCODED, lanes);
    laneEncoded.set(laneEnds);
    for (let lane = 0; lane < lanes; lane++) {
      // A spelling that cannot be the strongest is not tried.
      const isUseful = this.#writtenStrengths[laneRules[lane]!]! > this.#best;
      laneEnds[lane] = isUseful ? laneFrom[lane]! : walk.nowhere;
    }
    this.#follow(WRITTEN, lanes);
    for (let lane = 0; lane < lanes; lane++) laneEnds[lane] = Math.min(laneEnds[lane]!, laneEncoded[lane]!);
    laneFrom.set(laneEnds);
    this.#follow(AFTER, lanes);
  }

  #follow(part: number, lanes: number): void {
    const { steps, firstSteps } = this.#steps;
    let together = lanes === LANES ? steps.length : 0;
    for (let lane = 0; lane < lanes; lane++) {
      const first = laneRules[lane]! * PARTS + part;
      laneStarts[lane] = firstSteps[first]!;
      together = Math.min(together, firstSteps[first + 1]! - firstSteps[first]!);
    }
    const taken = together < MIN_STEPS_TOGETHER ? 0 : walk.followSix(steps, laneStarts, together, laneEnds);
    for (let lane = 0; lane < lanes; lane++) {
      const stepEnd = firstSteps[laneRules[lane]! * PARTS + part + 1]!;
      laneEnds[lane] = walk.follow(steps, laneStarts[lane]! + taken, stepEnd, laneEnds[lane]!);
    }
  }

  /** Takes one rule through the steps after the pieces that differ. */
  #rest(rule: number, from: number): number {
    const { steps, firstSteps } = this.#steps;
    const first = rule * PARTS + AFTER;
    return walk.follow(steps, firstSteps[first]!, firstSteps[first + 1]!, from);
  }
}

/** Divides the pieces of a rule before `pieceEnd` into its four parts. A rule with one spelling has only the first. */
function partsOf({ pattern, encoded }: WildcardRule, pieceEnd: number): (readonly string[])[] {
  if (encoded === null) return [pattern.pieces.slice(1, pieceEnd), [], [], []];
  let from = 1;
  while (pattern.pieces[from] === encoded.pieces[from]) from++;
  let to = pieceEnd;
  while (pattern.pieces[to - 1] === encoded.pieces[to - 1]) to--;
  return [
    pattern.pieces.slice(1, from),
    pattern.pieces.slice(from, to),
    encoded.pieces.slice(from, to),
    pattern.pieces.slice(to, pieceEnd),
  ];
}

function minLengthOf({ pattern }: WildcardRule): number {
  return pattern.octets - (pattern.pieces.length - 1) - (pattern.isAnchored ? 1 : 0);
}

/** By rule: the piece in the parts of both spellings, or before `$`, that the rules use least, or -1 for none. */
function rarestPieces(
  sequence: Int32Array,
  firstPieces: Int32Array,
  tails: Int32Array,
  pieceCount: number,
): Int32Array {
  const uses = new Int32Array(pieceCount);
  for (const piece of sequence) uses[piece]!++;
  for (const tail of tails) if (tail >= 0) uses[tail]!++;
  return tails.map((tail, rule) => {
    let rarest = Math.max(tail, -1);
    for (const part of [BEFORE, AFTER]) {
      const first = rule * PARTS + part;
      for (let at = firstPieces[first]!; at < firstPieces[first + 1]!; at++) {
        if (rarest === -1 || uses[sequence[at]!]! < uses[rarest]!) rarest = sequence[at]!;
      }
    }
    return rarest;
  });
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
/** Positions after the pieces that differ: of the spelling that is tried first, and of the encoded spelling. */
const laneFrom = new Int32Array(LANES);
const laneEncoded = new Int32Array(LANES);
