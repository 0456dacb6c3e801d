/**
 * Decides with `recheck` whether a regular expression takes more than linear time on some input.
 *
 * Most patterns are decided exactly (an automaton, a few milliseconds). This is impossible for patterns with
 * look-around, back references or very large automata; for these `recheck` searches for an attack, which takes
 * seconds. `npm run proof -- patterns` does the search for all of them and stores the patterns that took long, so that
 * the test spends this time only on new patterns.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, type Diagnostics } from 'recheck';
import type { SourcePattern } from './source-patterns.ts';

const STORED = join(import.meta.dirname, 'slow-to-check.json');
const TIMEOUT_MS = 120_000;
/** The proof stores the patterns that take longer to check. */
export const QUICK_MS = 100;

export type PatternVerdict =
  | { readonly isLinear: true; readonly how: 'exact' | 'searched' | 'before'; readonly ms: number }
  | { readonly isLinear: false; readonly why: string };

/** The key of a pattern in the stored results. */
export function patternKey({ source, flags }: SourcePattern): string {
  return createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 32);
}

/** The patterns that took long to check and that the proof found to be linear. */
export function storedPatterns(): ReadonlySet<string> {
  return new Set(JSON.parse(readFileSync(STORED, 'utf8')) as string[]);
}

export function storePatterns(keys: readonly string[]): void {
  writeFileSync(STORED, `${JSON.stringify(keys.toSorted(), undefined, 2)}\n`);
}

export async function checkPattern(pattern: SourcePattern, stored: ReadonlySet<string>): Promise<PatternVerdict> {
  if (stored.has(patternKey(pattern))) return { isLinear: true, how: 'before', ms: 0 };
  const startedMs = performance.now();
  const found = await check(pattern.source, pattern.flags, { timeout: TIMEOUT_MS });
  if (found.status !== 'safe') return { isLinear: false, why: attackOf(found) };
  const how = found.checker === 'automaton' ? 'exact' : 'searched';
  return { isLinear: true, how, ms: performance.now() - startedMs };
}

function attackOf(diagnostics: Diagnostics): string {
  if (diagnostics.status === 'vulnerable') {
    return `${diagnostics.complexity.summary}, for example on ${diagnostics.attack.pattern.slice(0, 200)}`;
  }
  return diagnostics.status === 'unknown' ? `not decided: ${diagnostics.error.kind}` : 'safe';
}
