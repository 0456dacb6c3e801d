/**
 * Checks the options that a program gives by name against their tables before any work starts. For an unknown name the
 * message suggests the nearest known name. For an invalid value it says which values are valid.
 */
import { OrbweaverError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';
import type { OptionTable } from '../core/options/option-table.ts';

/** Numbers and lists may also be given as text. Other words are the words of the table. */
export type Given<T> = T extends number
  ? number | string
  : T extends readonly string[]
    ? string | readonly string[]
    : T extends null
      ? never
      : T;

/** Undefined values are ignored. `others` are settings that are not options; they are used for the suggestion. */
export function checkedSettings(
  caller: string,
  table: OptionTable,
  others: readonly string[],
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(table, name)) {
      const hint = didYouMean(name, [...Object.keys(table), ...others]);
      throw new OrbweaverError('ERR_UNKNOWN_OPTION', `${caller} has no option "${name}"${hint}`);
    }
    given[name] = checked(caller, table, name, value);
  }
  return given;
}

function checked(caller: string, table: OptionTable, name: string, value: unknown): unknown {
  const { parse } = table[name]!;
  // The command line reads 30 as seconds, but most JavaScript code means milliseconds. The program must give the unit.
  if (parse.hint.startsWith('<time>') && typeof value === 'number' && value !== 0) {
    throw refusal(caller, name, `needs its unit: write '${value}ms' or '${value}s'`);
  }
  try {
    parse(value);
    return value;
  } catch (error) {
    throw refusal(caller, name, (error as Error).message);
  }
}

export function checkSignal(caller: string, signal: unknown): void {
  if (signal !== null && !(signal instanceof AbortSignal)) throw refusal(caller, 'signal', 'needs an AbortSignal');
}

export function checkFolder(caller: string, dir: unknown): void {
  if (typeof dir !== 'string' || dir === '') throw refusal(caller, 'dir', 'needs the path of a folder');
}

export function refusal(caller: string, name: string, problem: string): OrbweaverError {
  return new OrbweaverError('ERR_BAD_OPTION', `option ${name} of ${caller} ${problem}`);
}
