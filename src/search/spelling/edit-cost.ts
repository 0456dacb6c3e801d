/**
 * How unlikely it is that somebody writes one word instead of another. In: the word as it was written, and the word
 * that may be meant. Out: the sum of the costs of the edits.
 *
 * The kinds of edits are those that people make often: they exchange two letters, write a letter once or twice, take
 * the wrong vowel, hit the key beside, or spell a sound with other letters. The costs were fitted to the open half of a
 * list of real misspellings (bench/search-spelling.ts).
 */
import { areNeighbours } from './keyboards.ts';
import { LONGEST_WORD } from './word-kind.ts';

const COSTS = {
  exchanged: 0.6,
  /** The order of two vowels, as in ie and ei. */
  exchangedVowels: 0.5,
  doubled: 0.5,
  undoubled: 0.3,
  vowel: 0.75,
  /** The key beside was hit. */
  neighbour: 0.85,
  /** Another letter for the same sound. */
  sound: 0.7,
  replaced: 1.2,
  missing: 0.65,
  missingVowel: 0.55,
  added: 0.85,
  /** The key beside was hit, too. */
  addedNeighbour: 0.8,
  /** Other letters for the same sound. */
  sounds: 0.65,
  /** People rarely write the first letter wrong. */
  first: 0.5,
} as const;
/** No edit costs less. */
export const LOWEST_COST = COSTS.undoubled;

const VOWELS = new Set('aeiouyаеёиоуыэюяієїαεηιουω');
/** Pairs of letters for the same sound in some language, in both directions. */
const SAME_SOUND = new Set(
  'ck cs sz kq cq vw fv gj iy ij xs bp dt gk uv uw tc зс дт бп гк вф шщ ьъ'
    .split(' ')
    .flatMap((pair) => [pair, pair[1]! + pair[0]!]),
);
/** Groups of letters for the same sound. */
const SOUNDS = (
  'ph=f ck=k qu=k qu=kw ks=x cs=x cc=x sc=s sh=ch sch=sh dg=g gh=g oo=u ou=u ea=e ee=i ai=a eu=u ie=y ous=us eau=o ' +
  'able=ible ae=a oe=o ue=u ss=sz'
)
  .split(' ')
  .map((pair) => pair.split('=') as [string, string]);
/** The groups by the last letters of what was written and of what is meant. */
const SOUNDS_BY_ENDS = soundsByEnds();

function soundsByEnds(): Map<string, (readonly [written: string, meant: string])[]> {
  const byEnds = new Map<string, (readonly [string, string])[]>();
  for (const [a, b] of SOUNDS) {
    for (const pair of [[a, b] as const, [b, a] as const]) {
      const ends = pair[0].at(-1)! + pair[1].at(-1)!;
      byEnds.set(ends, [...(byEnds.get(ends) ?? []), pair]);
    }
  }
  return byEnds;
}

const WIDTH = LONGEST_WORD + 1;
/** The lowest cost for the beginnings of both words, by their lengths. */
const costs = new Float64Array(WIDTH * WIDTH);

/** Both words have at most LONGEST_WORD letters. */
export function editCost(written: string, meant: string): number {
  for (let i = 0; i <= written.length; i++) {
    for (let j = 0; j <= meant.length; j++) costs[i * WIDTH + j] = i + j === 0 ? 0 : lowestCost(written, i, meant, j);
  }
  return costAt(written.length, meant.length);
}

function costAt(i: number, j: number): number {
  return costs[i * WIDTH + j]!;
}

function lowestCost(written: string, i: number, meant: string, j: number): number {
  const added = i > 0 ? costAt(i - 1, j) + addedCost(written, i - 1, meant, j) : Number.POSITIVE_INFINITY;
  const missing = j > 0 ? costAt(i, j - 1) + missingCost(i, meant, j - 1) : Number.POSITIVE_INFINITY;
  const lowest = Math.min(added, missing);
  if (i === 0 || j === 0) return lowest;
  const replaced = costAt(i - 1, j - 1) + replaceCost(written[i - 1]!, meant[j - 1]!, i === 1);
  return Math.min(lowest, replaced, exchangedCost(written, i, meant, j), soundsCost(written, i, meant, j));
}

function replaceCost(a: string, b: string, isFirst: boolean): number {
  if (a === b) return 0;
  const first = isFirst ? COSTS.first : 0;
  if (VOWELS.has(a) && VOWELS.has(b)) return COSTS.vowel + first;
  if (SAME_SOUND.has(a + b)) return COSTS.sound + first;
  return (areNeighbours(a, b) ? COSTS.neighbour : COSTS.replaced) + first;
}

/** A letter was written that is not meant. */
function addedCost(written: string, i: number, meant: string, j: number): number {
  const letter = written[i]!;
  if (letter === written[i - 1]) return COSTS.doubled;
  const isBeside =
    (i > 0 && areNeighbours(letter, written[i - 1]!)) || (j < meant.length && areNeighbours(letter, meant[j]!));
  return (isBeside ? COSTS.addedNeighbour : COSTS.added) + (i === 0 ? COSTS.first : 0);
}

/** A letter is meant that was not written. */
function missingCost(i: number, meant: string, j: number): number {
  const letter = meant[j]!;
  if (letter === meant[j - 1]) return COSTS.undoubled;
  return (VOWELS.has(letter) ? COSTS.missingVowel : COSTS.missing) + (i === 0 ? COSTS.first : 0);
}

function exchangedCost(written: string, i: number, meant: string, j: number): number {
  if (i < 2 || j < 2 || written[i - 1] !== meant[j - 2] || written[i - 2] !== meant[j - 1])
    return Number.POSITIVE_INFINITY;
  const areVowels = VOWELS.has(written[i - 1]!) && VOWELS.has(written[i - 2]!);
  return costAt(i - 2, j - 2) + (areVowels ? COSTS.exchangedVowels : COSTS.exchanged);
}

function soundsCost(written: string, i: number, meant: string, j: number): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const [from, to] of SOUNDS_BY_ENDS.get(written[i - 1]! + meant[j - 1]!) ?? []) {
    if (!written.endsWith(from, i) || !meant.endsWith(to, j)) continue;
    lowest = Math.min(lowest, costAt(i - from.length, j - to.length) + COSTS.sounds);
  }
  return lowest;
}
