/**
 * Sorts the words of a command line into flags and other words. An unknown flag is refused, and the message suggests
 * the nearest known flag. The code uses only features of Node 18, because the watcher's single file uses it too.
 */
import { parseArgs } from 'node:util';
import { didYouMean } from './did-you-mean.ts';
import { OrbweaverError } from './errors.ts';
import { flagName, type OptionTable } from './options/option-table.ts';
import { optionText } from './options/option-text.ts';
import { flag } from './options/option-values.ts';
import { unknownName } from './options/secret-values.ts';

export interface FlagRow {
  /** The placeholder for the value in the help. '' for a switch. */
  readonly hint: string;
  readonly help: string;
  readonly several?: boolean;
  /** For a flag with an optional value: decides whether the next word is the value. */
  readonly takesWord?: (word: string) => boolean;
}

export type FlagTable = Readonly<Record<string, FlagRow>>;

/** The flags for the options of a table. */
export function flagsOf(table: OptionTable): FlagTable {
  return Object.fromEntries(
    Object.entries(table).map(([name, { parse, default: given, help }]) => {
      const isShown = given !== null && given !== '' && !Array.isArray(given);
      const shown = isShown ? ` (default ${optionText(given, parse.hint)})` : '';
      const { hint, takesWord } = parse;
      const several = parse.isSeveral === true || takesWord !== undefined;
      return [flagName(name), { hint, help: help + shown, several, ...(takesWord && { takesWord }) }];
    }),
  );
}

type FlagValue = string | boolean | readonly (string | boolean)[];

export interface ParsedArguments {
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly words: readonly string[];
}

/** `program` is the text that the user typed before the words: `orbweaver crawl`. */
export function parseFlags(program: string, words: readonly string[], table: FlagTable): ParsedArguments {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, row]) => [
      name,
      { type: isSwitch(row) ? ('boolean' as const) : ('string' as const), ...(row.several ? { multiple: true } : {}) },
    ]),
  );
  const { tokens, positionals } = parseArgs({
    args: withValues(words, table),
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const flags: Record<string, FlagValue> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const isNamed = Object.hasOwn(table, token.name);
    const name = isNamed ? token.name : token.name.replace(/^no-/, '');
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!row) {
      const hint = didYouMean(token.name, Object.keys(table), '--');
      throw new OrbweaverError('ERR_UNKNOWN_OPTION', `${program} has no flag ${unknownFlag(token.rawName)}${hint}`);
    }
    if (!isSwitch(row) && token.value === undefined) {
      throw new OrbweaverError('ERR_USAGE', `${token.rawName} needs a value: ${token.rawName} ${row.hint}`);
    }
    if ((row.hint === '' || !isNamed) && token.value !== undefined) {
      throw new OrbweaverError('ERR_USAGE', `${token.rawName} takes no value`);
    }
    flags[name] = joined(token.value ?? isNamed, row, flags[name]);
  }
  return { flags, words: positionals };
}

function isSwitch({ hint, takesWord }: FlagRow): boolean {
  return hint === '' || takesWord !== undefined;
}

/** Joins a flag that has an optional value with the next word if that word is its value: `--name=word`. */
function withValues(words: readonly string[], table: FlagTable): string[] {
  const joined: string[] = [];
  for (const [i, word] of words.entries()) {
    if (word === '--') return [...joined, ...words.slice(i)];
    const flag = joined.at(-1) ?? '';
    const row = flag.startsWith('--') && Object.hasOwn(table, flag.slice(2)) ? table[flag.slice(2)] : undefined;
    if (row?.takesWord?.(word)) joined[joined.length - 1] = `${flag}=${word}`;
    else joined.push(word);
  }
  return joined;
}

/** Hides the text if it cannot be a name: a misspelt name may be joined with a value that contains a password. */
function unknownFlag(rawName: string): string {
  const name = unknownName(rawName);
  return name.startsWith('"') ? rawName : name;
}

function joined(value: string | boolean, { several }: FlagRow, before: FlagValue | undefined): FlagValue {
  return several ? [...((before as readonly (string | boolean)[] | undefined) ?? []), value] : value;
}

export function stringFlag({ flags }: ParsedArguments, name: string, fallback: string): string {
  const value = flags[name];
  return typeof value === 'string' ? value : fallback;
}

export function switchFlag({ flags }: ParsedArguments, name: string): boolean {
  const value = flags[name];
  return value === undefined ? false : flag(value);
}
