/**
 * Whether a regular expression takes more than linear time on some input, by `recheck`.
 *
 * Most patterns are decided exactly (an automaton, a few milliseconds). Patterns with look-around, back references or very large
 * automata cannot be; for those `recheck` searches for an attack, which takes seconds. `npm run proof -- patterns` does that for all
 * of them and stores which ones it has searched, so that the test does it only for patterns that are new.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, type Diagnostics } from 'recheck';
import type { SourcePattern } from './source-patterns.ts';

const RESULTS = join(import.meta.dirname, '../../proof/results/patterns.json');
const EXACT_TIMEOUT_MS = 20_000;
const SEARCH_TIMEOUT_MS = 120_000;

export type PatternVerdict =
  | { readonly isLinear: true; readonly how: 'exact' | 'searched' | 'searched before' }
  | { readonly isLinear: false; readonly why: string };

/** What the stored results name a pattern by. */
export function patternKey({ source, flags }: SourcePattern): string {
  return createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 32);
}

export function searchedPatterns(): ReadonlySet<string> {
  try {
    const { details } = JSON.parse(readFileSync(RESULTS, 'utf8')) as { details: { searched: string[] } };
    return new Set(details.searched);
  } catch {
    return new Set();
  }
}

export async function checkPattern(pattern: SourcePattern, searched: ReadonlySet<string>): Promise<PatternVerdict> {
  const { source, flags } = pattern;
  const exact = await check(source, flags, { checker: 'automaton', timeout: EXACT_TIMEOUT_MS });
  if (exact.status === 'safe') return { isLinear: true, how: 'exact' };
  if (exact.status === 'vulnerable') return { isLinear: false, why: attackOf(exact) };
  if (searched.has(patternKey(pattern))) return { isLinear: true, how: 'searched before' };
  const found = await check(source, flags, { checker: 'fuzz', timeout: SEARCH_TIMEOUT_MS });
  return found.status === 'safe' ? { isLinear: true, how: 'searched' } : { isLinear: false, why: attackOf(found) };
}

function attackOf(diagnostics: Diagnostics): string {
  if (diagnostics.status === 'vulnerable') {
    return `${diagnostics.complexity.summary}, for example on ${diagnostics.attack.pattern.slice(0, 200)}`;
  }
  return diagnostics.status === 'unknown' ? `not decided: ${diagnostics.error.kind}` : 'safe';
}
