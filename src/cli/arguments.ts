/** The words of a command line, sorted into flags and the rest. Unknown flags are refused with the nearest right one. */
import { parseArgs } from 'node:util';
import { OrbweaverError } from '../core/errors.ts';
import { type KeepRule, keepRule, ruleText } from '../core/keep-rule.ts';
import { didYouMean } from '../core/nearest.ts';
import type { OptionTable } from '../core/option-table.ts';
import { flag, list } from '../core/option-values.ts';
import { ALL_OPTION_NAMES, CRAWL_OPTIONS, flagName, type GivenOptions } from '../core/options.ts';
import { REFRESH_OPTIONS } from '../core/refresh-options.ts';

export interface FlagRow {
  /** What stands for the value in the help; '' for a switch. */
  readonly hint: string;
  readonly help: string;
  readonly several?: boolean;
}

export type FlagTable = Readonly<Record<string, FlagRow>>;

/** Flags of every command. */
export const COMMON_FLAGS: FlagTable = {
  dir: { hint: '<folder>', help: 'where everything of the crawl is kept (default ./orbweaver-data)' },
  json: { hint: '', help: 'print one JSON object on stdout at the end' },
  help: { hint: '', help: 'show this text' },
};

/** The flags that set the options of a crawl, and those of a refresh, by the options' own tables. */
export const CRAWL_FLAGS = flagsOf(CRAWL_OPTIONS);
export const REFRESH_FLAGS = flagsOf(REFRESH_OPTIONS);

function flagsOf(table: OptionTable): FlagTable {
  return Object.fromEntries(
    Object.entries(table).map(([name, { parse, default: given, help }]) => {
      const isShown = given !== null && given !== '' && !Array.isArray(given);
      const shown = isShown ? ` (default ${defaultText(given, parse.hint)})` : '';
      return [flagName(name), { hint: parse.hint, help: help + shown, several: (parse as unknown) === list }];
    }),
  );
}

function defaultText(value: unknown, hint: string): string {
  if (hint === keepRule.hint) return ruleText(value as KeepRule);
  if (hint.startsWith('<time>')) return timeText(Number(value));
  if (hint === '<size>') return Number(value) % 1_000 === 0 ? `${Number(value) / 1_000_000}mb` : `${value} bytes`;
  return String(value);
}

/** 30 days → `30d`, as it can be written. */
function timeText(ms: number): string {
  if (ms > 0 && ms % 86_400_000 === 0) return `${ms / 86_400_000}d`;
  if (ms > 0 && ms % 60_000 === 0 && ms > 60_000) return `${ms / 60_000}m`;
  return `${ms / 1_000}s`;
}

export interface ParsedArguments {
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>;
  readonly words: readonly string[];
}

export function parseArguments(command: string, words: readonly string[], table: FlagTable): ParsedArguments {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { hint, several }]) => [
      name,
      { type: hint === '' ? ('boolean' as const) : ('string' as const), ...(several ? { multiple: true } : {}) },
    ]),
  );
  const { tokens, values, positionals } = parseArgs({
    args: [...words],
    options,
    allowPositionals: true,
    allowNegative: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const name = Object.hasOwn(table, token.name) ? token.name : token.name.replace(/^no-/, '');
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!row) {
      const hint = didYouMean(token.name, Object.keys(table), '--');
      throw new OrbweaverError('ERR_UNKNOWN_OPTION', `orbweaver ${command} has no flag ${token.rawName}${hint}`);
    }
    if (row.hint !== '' && token.value === undefined) {
      throw new OrbweaverError('ERR_USAGE', `${token.rawName} needs a value: ${token.rawName} ${row.hint}`);
    }
    if (row.hint === '' && token.value !== undefined) {
      throw new OrbweaverError('ERR_USAGE', `${token.rawName} takes no value`);
    }
  }
  return { flags: values as ParsedArguments['flags'], words: positionals };
}

/** The flags that are options. */
export function givenOptions({ flags }: ParsedArguments): GivenOptions {
  const given: GivenOptions = {};
  for (const name of ALL_OPTION_NAMES) {
    const value = flags[flagName(name)];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

export function stringFlag({ flags }: ParsedArguments, name: string, fallback: string): string {
  const value = flags[name];
  return typeof value === 'string' ? value : fallback;
}

export function switchFlag({ flags }: ParsedArguments, name: string): boolean {
  const value = flags[name];
  return value === undefined ? false : flag(value);
}
