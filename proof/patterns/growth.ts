/**
 * How the time of a pattern grows with its input, measured in V8 itself. In: a pattern. Out: the worst growth found.
 *
 * `recheck` reasons about a model of the engine; this runs the engine. Inputs are built from what the pattern itself names:
 * its characters, its words and representatives of common classes, repeated, with and without a beginning and an end that make a
 * match fail late. A pattern is searched for in the whole text (`replace` with `g`), as most callers do.
 */
import type { SourcePattern } from '../../test/patterns/source-patterns.ts';

const COMMON = [
  ' ',
  '\t',
  '\n',
  'a',
  'A',
  '0',
  '_',
  '-',
  '.',
  '/',
  ':',
  '=',
  '"',
  "'",
  '<',
  '>',
  '(',
  ',',
  'é',
  '·',
  '漢',
];
const SIZES = [8_192, 16_384, 65_536, 131_072] as const;
/** Below this a run says nothing of growth: 16,384 characters at 60 ns each. */
const NOTABLE_MS = 1;
/** Twice the input must take less than three times as long; a quadratic pattern takes four times as long. */
const MAX_EXPONENT = 1.6;
const MAX_PAIRS = 220;

export interface Growth {
  readonly exponent: number;
  /** For the largest input. */
  readonly ms: number;
  readonly chars: number;
  readonly input: string;
  readonly isLinear: boolean;
}

export function measureGrowth({ source, flags }: SourcePattern): Growth {
  const pattern = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  let worst: Growth = { exponent: 0, ms: 0, chars: SIZES[0], input: '', isLinear: true };
  for (const [head, pump, tail] of attacksOn(source)) {
    const build = (size: number) => head + pump.repeat(Math.ceil(size / pump.length)) + tail;
    if (timeOf(pattern, build(SIZES[0])) < NOTABLE_MS / 2) continue;
    const small = timeOf(pattern, build(SIZES[1]));
    if (small < NOTABLE_MS) continue;
    const large = timeOf(pattern, build(SIZES[2]));
    const exponent = Math.log(large / small) / Math.log(SIZES[2] / SIZES[1]);
    const isWorse = exponent > worst.exponent && large > 5;
    if (!isWorse) continue;
    const isLinear = exponent < MAX_EXPONENT || isLinearAfterAll(pattern, build);
    worst = { exponent, ms: large, chars: SIZES[2], input: JSON.stringify([head, pump, tail]), isLinear };
    if (!isLinear) break;
  }
  return worst;
}

/** A second look at more input, so that a pause of the machine is not taken for growth. */
function isLinearAfterAll(pattern: RegExp, build: (size: number) => string): boolean {
  const times = SIZES.slice(2).map((size) => Math.min(...[0, 1, 2].map(() => timeOf(pattern, build(size)))));
  return Math.log2(times[1]! / times[0]!) < MAX_EXPONENT;
}

function timeOf(pattern: RegExp, text: string): number {
  const startedMs = performance.now();
  pattern.lastIndex = 0;
  text.replace(pattern, '');
  return performance.now() - startedMs;
}

function* attacksOn(source: string): Generator<readonly [head: string, pump: string, tail: string]> {
  const plain = source
    .replace(/\\[pP]\{[^}]*\}/g, ' ')
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[a-zA-Z]/g, ' ');
  const words = [...new Set(plain.match(/[\p{L}\p{N}_$]{2,}/gu) ?? [])].slice(0, 60);
  const characters = [...new Set([...COMMON, ...plain.replace(/[\s\\()[\]{}|*+?^]/g, '')])].slice(0, 90);
  const pairs: string[] = [];
  for (let step = 1; pairs.length < MAX_PAIRS && step < characters.length; step++) {
    for (let at = 0; at < characters.length && pairs.length < MAX_PAIRS; at++) {
      pairs.push(characters[at]! + characters[(at * 7 + step) % characters.length]!);
    }
  }
  const heads = ['', ...words.slice(0, 6), ...characters.slice(-6)];
  for (const pump of [...characters, ...words]) for (const head of heads) yield [head, pump, '\u0000'];
  for (const pump of [...characters, ...words]) yield ['', pump, ''];
  for (const pump of pairs) yield ['', pump, '\u0000'];
  for (const word of words.slice(0, 20)) for (const character of COMMON) yield ['', word + character, '\u0000'];
}
