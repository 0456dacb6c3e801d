/** The flags of the commands, by the options' own tables, and the words of a command sorted by them. */
import { type FlagTable, flagsOf, type ParsedArguments, parseFlags } from '../core/flags.ts';
import { ALL_OPTION_NAMES, CRAWL_OPTIONS, flagName, type GivenOptions } from '../core/options.ts';
import { REFRESH_OPTIONS } from '../core/refresh-options.ts';

export { type FlagRow, type FlagTable, type ParsedArguments, stringFlag, switchFlag } from '../core/flags.ts';

/** Flags of every command, beside those that name the crawl (named-crawl.ts). */
export const COMMON_FLAGS: FlagTable = {
  json: { hint: '', help: 'print one JSON object on stdout at the end' },
  help: { hint: '', help: 'show this text' },
};

/** The flags that set the options of a crawl, and those of a refresh. */
export const CRAWL_FLAGS = flagsOf(CRAWL_OPTIONS);
export const REFRESH_FLAGS = flagsOf(REFRESH_OPTIONS);

export function parseArguments(command: string, words: readonly string[], table: FlagTable): ParsedArguments {
  return parseFlags(`orbweaver ${command}`, words, table);
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
