import type { Reason } from '../../core/reasons.ts';
import { urlKeyHex } from '../../url/key.ts';
import type { FoundUrl } from '../contract.ts';

/**
 * Two patterns of one host with the same key share a budget. By chance
 * this takes 2^32 patterns, and it harms only that host.
 */
const PATTERN_KEY_BYTES = 8;

/** In hexadecimal digits. */
export function patternKey(pattern: string): string {
  return urlKeyHex(pattern).slice(0, PATTERN_KEY_BYTES * 2);
}

/**
 * Whether a new URL exceeds the budget of its pattern. `known` is the number of known URLs of the host with this
 * pattern, the new URL included. The same for every engine.
 */
export function judgeBudget({ maxSitemaps }: FoundUrl, known: number, patternBudget: number): Reason | null {
  if (maxSitemaps === undefined) return known > patternBudget ? 'trap-pattern-budget' : null;
  return known > maxSitemaps ? 'trap-sitemap-budget' : null;
}
