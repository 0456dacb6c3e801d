/** The words of a command line, sorted into flags and the rest. Unknown flags are refused with the nearest right one. */
import { parseArgs } from 'node:util';
import { OrbweaverError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';
import { flag, list } from '../core/option-values.ts';
import { CRAWL_OPTIONS, flagName, type GivenOptions, OPTION_NAMES, type OptionName } from '../core/options.ts';

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

/** The flags that set the options of a crawl, by the options' own table. */
export const CRAWL_FLAGS: FlagTable = Object.fromEntries(
  OPTION_NAMES.map((name) => {
    const { parse, help } = CRAWL_OPTIONS[name];
    const given = CRAWL_OPTIONS[name].default;
    const shown = given === null || given === '' || Array.isArray(given) ? '' : ` (default ${defaultText(name)})`;
    return [flagName(name), { hint: parse.hint, help: help + shown, several: (parse as unknown) === list }];
  }),
);

function defaultText(name: OptionName): string {
  const value = CRAWL_OPTIONS[name].default;
  const { hint } = CRAWL_OPTIONS[name].parse;
  if (hint.startsWith('<time>')) return `${Number(value) / 1_000}s`;
  if (hint === '<size>') return Number(value) % 1_000 === 0 ? `${Number(value) / 1_000_000}mb` : `${value} bytes`;
  return String(value);
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

/** The flags that are options of the crawl. */
export function givenOptions({ flags }: ParsedArguments): GivenOptions {
  const given: GivenOptions = {};
  for (const name of OPTION_NAMES) {
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
