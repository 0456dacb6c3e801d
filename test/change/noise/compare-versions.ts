/** Compares two versions of a page as a crawl does: HTML to outlines, noise ignored. */

import { DEFAULT_NOISE_RULES, type NoiseRules } from '../../../src/change/noise/noise-rules.ts';
import { ignoreNoise, NoisePair } from '../../../src/change/noise/remove-noise.ts';
import type { NoiseName } from '../../../src/change/noise/rule-table.ts';
import type { PageOutline } from '../../../src/core/page/page-outline.ts';
import { outlinePage } from '../../../src/page/outline/outline.ts';

/** When the two versions were sent. */
export const SENT_MS = { before: Date.UTC(2026, 10, 19, 14, 3, 22), after: Date.UTC(2026, 10, 20, 9, 11, 5) } as const;

export function outlineOf(html: string, sentAtMs?: number): PageOutline {
  const outline = outlinePage(Buffer.from(html), 'text/html; charset=utf-8');
  if (outline === null) throw new Error('no outline');
  return sentAtMs === undefined ? outline : { ...outline, sentAtMs };
}

/** The rules that ignored different content in the two versions. */
export function noiseIn(before: PageOutline, after: PageOutline, rules: NoiseRules): readonly NoiseName[] {
  const pair = new NoisePair(rules);
  pair.ignore(before);
  pair.ignore(after);
  return pair.differences;
}

export function cleaned(html: string, rules: NoiseRules = DEFAULT_NOISE_RULES, sentAtMs?: number): string {
  const { nodes, isCut } = ignoreNoise(outlineOf(html, sentAtMs), rules);
  return JSON.stringify({ nodes, isCut });
}

export function isChanged(before: string, after: string, rules: NoiseRules = DEFAULT_NOISE_RULES): boolean {
  return cleaned(before, rules, SENT_MS.before) !== cleaned(after, rules, SENT_MS.after);
}

export function explained(before: string, after: string, rules: NoiseRules = DEFAULT_NOISE_RULES): string[] {
  return [...noiseIn(outlineOf(before, SENT_MS.before), outlineOf(after, SENT_MS.after), rules)];
}
