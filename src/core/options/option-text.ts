/** The value of an option as the user can type it. */
import { type KeepRule, keepRule, ruleText } from './keep-rule.ts';

/** `hint` is the hint of the option's parser, which says what the value means. */
export function optionText(value: unknown, hint: string): string {
  if (hint === keepRule.hint) return ruleText(value as KeepRule);
  if (value === null) return hint.endsWith('auto') ? 'auto' : 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (hint.startsWith('<time>')) return timeText(Number(value));
  if (hint === '<size>') return sizeText(Number(value));
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return String(value);
}

/** Formats a size as the user can type it: 4,000 → `4kb`. */
function sizeText(bytes: number): string {
  if (bytes % 1_000_000 === 0) return `${bytes / 1_000_000}mb`;
  return bytes % 1_000 === 0 ? `${bytes / 1_000}kb` : String(bytes);
}

/** Formats a time as the user can type it: 30 days → `30d`. */
function timeText(ms: number): string {
  if (ms % 1_000 !== 0) return `${ms}ms`;
  if (ms > 0 && ms % 86_400_000 === 0) return `${ms / 86_400_000}d`;
  if (ms > 0 && ms % 60_000 === 0 && ms > 60_000) return `${ms / 60_000}m`;
  return `${ms / 1_000}s`;
}
