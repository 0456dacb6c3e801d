/**
 * Measures in V8 itself how the time of a pattern grows with its input. In: a pattern. Out: the worst growth found.
 *
 * `recheck` reasons about a model of the engine; this module runs the engine. The inputs are built from the
 * pattern itself: its characters, its words and representatives of common classes, repeated, with and without
 * a beginning and an end that make a match fail late. The pattern is searched for in the whole text
 * (`replace` with `g`), as most callers do.
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
const SCREENED_CHARS = 8_192;
/** Wall-clock time. Patterns that take less are not measured again. */
const SCREENED_MS = 0.5;
const SMALL_CHARS = 32_768;
const LARGE_CHARS = 65_536;
/** CPU time, because a busy machine does not lengthen it. A quadratic pattern takes seconds. */
const NOTABLE_MS = 20;
/** Twice the input must take less than three times as long. A quadratic pattern takes four times as long. */
const MAX_EXPONENT = 1.6;
const MAX_PAIRS = 220;

export interface Growth {
  readonly exponent: number;
  /** Time for the largest input. */
  readonly ms: number;
  readonly chars: number;
  readonly input: string;
  readonly isLinear: boolean;
}

export function measureGrowth({ source, flags }: SourcePattern): Growth {
  const pattern = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  let worst: Growth = { exponent: 0, ms: 0, chars: LARGE_CHARS, input: '', isLinear: true };
  for (const [head, pump, tail] of attacksOn(source)) {
    const build = (size: number) => head + pump.repeat(Math.ceil(size / pump.length)) + tail;
    const startedMs = performance.now();
    search(pattern, build(SCREENED_CHARS));
    if (performance.now() - startedMs < SCREENED_MS) continue;
    const ms = cpuMsOf(pattern, build(LARGE_CHARS));
    if (ms < NOTABLE_MS) continue;
    // The first run at a size may also include the time of the engine's compiler.
    const small = Math.min(cpuMsOf(pattern, build(SMALL_CHARS)), cpuMsOf(pattern, build(SMALL_CHARS)));
    const exponent = Math.log2(Math.min(ms, cpuMsOf(pattern, build(LARGE_CHARS))) / Math.max(small, 1));
    if (exponent <= worst.exponent) continue;
    const isLinear = exponent < MAX_EXPONENT;
    worst = { exponent, ms, chars: LARGE_CHARS, input: JSON.stringify([head, pump, tail]), isLinear };
    if (!isLinear) break;
  }
  return worst;
}

function search(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  text.replace(pattern, '');
}

function cpuMsOf(pattern: RegExp, text: string): number {
  const started = process.threadCpuUsage();
  search(pattern, text);
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1_000;
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
