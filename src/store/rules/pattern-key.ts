import type { Reason } from '../core/reasons.ts';
import { urlKeyHex } from '../url/key.ts';
import type { FoundUrl } from './contract.ts';

/** Two patterns of one host that meet share a budget, which takes 2^32 patterns by chance and harms that host alone. */
const PATTERN_KEY_BYTES = 8;

/** In hexadecimal digits. */
export function patternKey(pattern: string): string {
  return urlKeyHex(pattern).slice(0, PATTERN_KEY_BYTES * 2);
}

/**
 * Whether a new URL is beyond the budget of its pattern, of which its host has `known` with it. The same for every
 * engine.
 */
export function judgeBudget({ maxSitemaps }: FoundUrl, known: number, patternBudget: number): Reason | null {
  if (maxSitemaps === undefined) return known > patternBudget ? 'trap-pattern-budget' : null;
  return known > maxSitemaps ? 'trap-sitemap-budget' : null;
}
