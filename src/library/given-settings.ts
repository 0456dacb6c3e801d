/**
 * Options that a program gives by name, checked against their tables before anything is begun. A name that does not exist is
 * refused with the nearest one that does, a value that cannot be with what would do.
 */
import { OrbweaverError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';
import type { OptionTable } from '../core/option-table.ts';

/** Numbers and lists may be given as text too; words are those of the table. */
export type Given<T> = T extends number
  ? number | string
  : T extends readonly string[]
    ? string | readonly string[]
    : T extends null
      ? never
      : T;

/** What is undefined is not given. `others` are settings that are no options, for the hint. */
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
  // The command line reads 30 as seconds, most of JavaScript as milliseconds: whoever writes it must say which.
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
