/** A command, its flags, which are derived from the option tables, and the parsing of its arguments. */

import { didYouMean } from '../core/did-you-mean.ts';
import { OrbweaverError } from '../core/errors.ts';
import { type FlagTable, flagsOf, type ParsedArguments, parseFlags, stringFlag } from '../core/flags.ts';
import type { CommandHelp } from '../core/help.ts';
import { wholeNumber } from '../core/options/option-values.ts';
import { ALL_OPTION_NAMES, CRAWL_OPTIONS, flagName, type GivenOptions } from '../core/options/options.ts';
import { REFRESH_OPTIONS } from '../core/options/refresh-options.ts';
import { LOG_FORMATS } from '../core/text/log-lines.ts';

export { type FlagRow, type FlagTable, type ParsedArguments, stringFlag, switchFlag } from '../core/flags.ts';

/** A command of the command line. `run` returns the exit code. command-line.ts prints a thrown error as one line. */
export interface Command {
  readonly help: CommandHelp;
  run(words: readonly string[]): Promise<number>;
}

/** Flags of every command, besides the flags that name the crawl (named-crawl.ts). */
export const COMMON_FLAGS: FlagTable = {
  json: { hint: '', help: 'print one JSON object on stdout at the end' },
  help: { hint: '', help: 'show this text' },
};

/** The flags that set the options of a crawl and of a refresh. */
export const CRAWL_FLAGS = flagsOf(CRAWL_OPTIONS);
export const REFRESH_FLAGS = flagsOf(REFRESH_OPTIONS);

export function parseArguments(command: string, words: readonly string[], table: FlagTable): ParsedArguments {
  const args = parseFlags(`orbweaver ${command}`, words, table);
  chosenWord('--log', stringFlag(args, 'log', 'text'), LOG_FORMATS);
  return args;
}

/** Picks the flags that set options; the other flags belong to the command itself. */
export function givenOptions({ flags }: ParsedArguments): GivenOptions {
  const given: GivenOptions = {};
  for (const name of ALL_OPTION_NAMES) {
    const value = flags[flagName(name)];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** Parses a flag that takes a whole number, 0 or more. */
export function countFlag(args: ParsedArguments, name: string, fallback: number, most: number): number {
  try {
    return wholeNumber(0, most)(stringFlag(args, name, String(fallback)));
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--${name} ${(error as Error).message}`);
  }
}

/** Checks the value of a flag that takes one of some words. For another word the message suggests the nearest one. */
export function chosenWord<const Word extends string>(flag: string, word: string, words: readonly Word[]): Word {
  const found = words.find((known) => known === word);
  if (found !== undefined) return found;
  const hint = didYouMean(word, words);
  throw new OrbweaverError('ERR_BAD_OPTION', `${flag} must be one of ${words.join(', ')}, not "${word}"${hint}`);
}

/**
 * Refuses words after a command that takes only flags. The message does not repeat them, because they may contain a
 * password.
 */
export function refuseWords(command: string, { words }: ParsedArguments, advice: string): void {
  if (words.length > 0) throw new OrbweaverError('ERR_USAGE', `orbweaver ${command} takes only flags; ${advice}`);
}

/** Returns the one URL that a command takes, and fails for none or several. */
export function requireOneUrl(command: string, words: readonly string[]): string {
  const [text, ...rest] = words;
  if (text === undefined)
    throw new OrbweaverError('ERR_BAD_URL', `the URL is missing; write: orbweaver ${command} <url>`);
  if (rest.length > 0) throw new OrbweaverError('ERR_USAGE', `orbweaver ${command} takes one URL at a time`);
  return text;
}
