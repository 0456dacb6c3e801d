/** The versions of a page that the copy keeps (`--keep`): all, the newest n, or the versions of a recent time span. */
import { parser } from './option-values.ts';

export type KeepRule =
  | { readonly kind: 'all' }
  | { readonly kind: 'newest'; readonly contents: number }
  | { readonly kind: 'span'; readonly spanMs: number };

export const KEEP_ALL: KeepRule = { kind: 'all' };

const MOST_CONTENTS = 1_000_000;
const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
  y: 365 * DAY_MS,
};
const MOST_SPAN_MS = 100 * UNIT_MS.y!;

/** Parses `all`, `5` (versions) or `30d` (time). A bare number means versions, so a time always needs a unit. */
export const keepRule = parser('all|<n>|<time>', (given): KeepRule => {
  // A stored rule is an object already.
  const text = typeof given === 'object' && given !== null ? ruleText(given as KeepRule) : String(given).trim();
  if (text === 'all') return KEEP_ALL;
  const [, digits, unit] = /^(\d{1,9})\s{0,4}([mhdwy])?$/.exec(text) ?? [];
  const count = Number(digits);
  if (digits === undefined || count === 0) {
    throw new Error(`must be all, a number of versions (1 or more), or a time such as 30d, not "${text}"`);
  }
  if (unit === undefined) return { kind: 'newest', contents: Math.min(count, MOST_CONTENTS) };
  const spanMs = count * UNIT_MS[unit]!;
  if (spanMs > MOST_SPAN_MS) throw new Error('is longer than a hundred years');
  return { kind: 'span', spanMs };
});

/** The rule as the user writes it on the command line. */
export function ruleText(rule: KeepRule): string {
  if (rule.kind === 'newest') return String(rule.contents);
  if (rule.kind === 'span') return `${Math.max(1, Math.round(rule.spanMs / UNIT_MS.m!))}m`;
  return 'all';
}
