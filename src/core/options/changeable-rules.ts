/**
 * The rules that the web interface, its API and programs behind it may change. None of them runs a command, names a
 * file, chooses a proxy or a browser, or lets requests reach private addresses.
 */
import type { OptionName } from './options.ts';

export const CHANGEABLE_RULES = [
  'limit',
  'depth',
  'include',
  'exclude',
  'order',
  'delay',
  'perHost',
  'maxLinks',
  'maxBody',
  'maxDirectories',
  'patternBudget',
  'patience',
  'timeout',
] as const satisfies readonly OptionName[];

export type ChangeableRule = (typeof CHANGEABLE_RULES)[number];

export function isChangeable(name: string): name is ChangeableRule {
  return (CHANGEABLE_RULES as readonly string[]).includes(name);
}
