/** Compares two versions of a page as a crawl does: HTML to outlines, noise ignored. */

import { DEFAULT_NOISE_RULES, type NoiseRules } from '../../../src/change/noise/noise-rules.ts';
import { ignoreNoise, NoisePair } from '../../../src/change/noise/remove-noise.ts';
import type { NoiseName } from '../../../src/change/noise/rule-table.ts';
import type { PageOutline } from '../../../src/core/page/page-outline.ts';
import { outlinePage } from '../../../src/page/outline/outline.ts';

export function outlineOf(html: string): PageOutline {
  const outline = outlinePage(Buffer.from(html), 'text/html; charset=utf-8');
  if (outline === null) throw new Error('no outline');
  return outline;
}

/** The rules that ignored different content in the two versions. */
export function noiseIn(before: PageOutline, after: PageOutline, rules: NoiseRules): readonly NoiseName[] {
  const pair = new NoisePair(rules);
  pair.ignore(before);
  pair.ignore(after);
  return pair.differences;
}

export function cleaned(html: string, rules: NoiseRules = DEFAULT_NOISE_RULES): string {
  return JSON.stringify(ignoreNoise(outlineOf(html), rules));
}

export function isChanged(before: string, after: string, rules: NoiseRules = DEFAULT_NOISE_RULES): boolean {
  return cleaned(before, rules) !== cleaned(after, rules);
}

export function explained(before: string, after: string, rules: NoiseRules = DEFAULT_NOISE_RULES): string[] {
  return [...noiseIn(outlineOf(before), outlineOf(after), rules)];
}
