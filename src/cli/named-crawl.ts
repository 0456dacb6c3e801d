/**
 * Finds the crawl that a command works on: in a data folder or in a database. In: flags, environment and configuration
 * file. Out: the place of the crawl, and the words that name it in the next command.
 *
 * What always holds: an address with a password on the command line is refused, because everybody on the machine can
 * read the command line. Printed text contains no password.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { YAMLParseError } from 'yaml';
import { OrbweaverError } from '../core/errors.ts';
import { flagsOf } from '../core/flags.ts';
import {
  CLUSTER_OPTIONS,
  type ClusterOptions,
  resolveClusterOptions,
  workerNameFrom,
} from '../core/options/cluster-options.ts';
import type { OptionKind, OptionSource } from '../core/options/option-table.ts';
import {
  CRAWL_OPTIONS,
  flagName,
  type GivenOptions,
  OPTION_NAMES,
  optionNamed,
  optionsFromEnvironment,
} from '../core/options/options.ts';
import { shellWord } from '../core/text/readable.ts';
import { type CrawlPlace, placeAt } from '../crawl/place/crawl-place.ts';
import { type AnyStore, withStoreAt } from '../crawl/place/open-store.ts';
import { type FlagTable, givenOptions, type ParsedArguments, stringFlag } from './arguments.ts';

export { shellWord } from '../core/text/readable.ts';

const CLUSTER_FLAGS = flagsOf(CLUSTER_OPTIONS);

/** Flags of every command that reads a crawl. */
export const PLACE_FLAGS: FlagTable = {
  dir: { hint: '<folder>', help: 'data folder of the crawl (default ./orbweaver-data)' },
  store: CLUSTER_FLAGS.store!,
  name: CLUSTER_FLAGS.name!,
  archive: CLUSTER_FLAGS.archive!,
  config: { hint: '<file>', help: 'YAML file with options (default config.yaml in the data folder)' },
};

/** Flags of every command that works on a crawl. */
export const WORKER_FLAGS: FlagTable = { worker: CLUSTER_FLAGS.worker!, lease: CLUSTER_FLAGS.lease! };
/** Flags of workers that crawl. */
export const CRAWLING_WORKER_FLAGS: FlagTable = { ...WORKER_FLAGS, 'serve-archive': CLUSTER_FLAGS['serve-archive']! };

export const ASSIGN_FLAG = CLUSTER_FLAGS.assign!;
export const STAY_FLAG = CLUSTER_FLAGS.stay!;

export interface NamedCrawl {
  readonly place: CrawlPlace;
  readonly options: ClusterOptions;
  /** The name of the crawl within a sentence: `the crawl in …`. */
  readonly title: string;
  /** The flags that name this crawl in another command. */
  readonly again: string;
  /** Everything that the user gave, for the other options of the command. */
  readonly sources: readonly OptionSource[];
}

export async function resolveCrawl(args: ParsedArguments, defaultDir = 'orbweaver-data'): Promise<NamedCrawl> {
  const dir = stringFlag(args, 'dir', defaultDir);
  const sources = optionSources(args, dir);
  const options = resolveClusterOptions(sources);
  const named = { options, sources };
  if (options.store === null) {
    refuseLonely(args);
    const again = [`--dir ${shellWord(dir)}`, ...flagsAgain(args, ['config'])].join(' ');
    return { ...named, place: placeAt(dir), title: `the crawl in ${dir}`, again };
  }
  // Imported only here: most crawls are in a folder.
  const { hasPassword, parseAddress } = await import('../store/postgres/connection/address.ts');
  const written = args.flags.store;
  if (typeof written === 'string' && hasPassword(written)) {
    throw new OrbweaverError(
      'ERR_USAGE',
      'everybody on this machine can see a password in --store; put it into PGPASSWORD, or the URL into ORBWEAVER_STORE',
    );
  }
  const { name } = parseAddress(options.store);
  const archives = options.archive.length > 0 ? options.archive : placeAt(dir).archives;
  return {
    ...named,
    place: {
      dir,
      cluster: { url: options.store, name: options.name, archiveToken: options.archiveToken },
      archives: archives.map((folder) => resolve(folder)),
    },
    title: `the crawl "${options.name}" in ${name}`,
    again: flagsAgain(args, ['store', 'name', 'dir', 'config', 'archive']).join(' '),
  };
}

/** Opens the crawl that the arguments name for reading. Returns the exit code. */
export async function withCrawl(
  args: ParsedArguments,
  work: (store: AnyStore, crawl: NamedCrawl) => Promise<void>,
): Promise<number> {
  const crawl = await resolveCrawl(args);
  await withStoreAt(crawl.place, (store) => work(store, crawl));
  return 0;
}

/** The name of this process among the workers of a cluster. */
export function workerNameOf({ options }: Pick<NamedCrawl, 'options'>): string {
  return options.worker ?? workerNameFrom(hostname());
}

/** Values from the environment or from a file also apply to the next command, so only flags are repeated. */
function flagsAgain({ flags }: ParsedArguments, names: readonly string[]): string[] {
  return names.flatMap((flag) => [flags[flag] ?? []].flat().map((value) => `--${flag} ${shellWord(String(value))}`));
}

/** The flags besides the rules that the user typed: the next command needs them again. Secrets are not repeated. */
export function ownWords(args: ParsedArguments): string {
  const flagsOf = (kind: OptionKind) => OPTION_NAMES.filter((name) => CRAWL_OPTIONS[name].kind === kind).map(flagName);
  const secrets = flagsOf('secret').filter((flag) => args.flags[flag] !== undefined);
  const words = [...flagsAgain(args, flagsOf('local')), ...secrets.map((flag) => `--${flag} …`)];
  return words.map((word) => ` ${word}`).join('');
}

/** Refuses flags about a database if the user named no database. */
function refuseLonely({ flags }: ParsedArguments): void {
  const lonely = ['name', 'archive', 'worker', 'assign', 'lease', 'plan', 'serve-archive'].find(
    (flag) => flags[flag] !== undefined,
  );
  if (lonely === undefined) return;
  throw new OrbweaverError(
    'ERR_USAGE',
    `--${lonely} is only for a crawl in a database; add --store postgres://user@host/database`,
  );
}

function optionSources(args: ParsedArguments, dir: string): OptionSource[] {
  return [
    { from: 'command line', given: givenOptions(args) },
    { from: 'environment', given: optionsFromEnvironment(process.env) },
    { from: 'configuration file', given: configFor(args.flags.config, dir) },
  ];
}

function configFor(named: unknown, dir: string): Record<string, unknown> {
  const path = typeof named === 'string' ? named : join(dir, 'config.yaml');
  const found = readConfigFile(path);
  if (found === null && typeof named === 'string')
    throw new OrbweaverError('ERR_CONFIG', `the file of --config does not exist: ${named}`);
  return found ?? {};
}

/**
 * `config.yaml` of the data folder, or the file of --config. Option names are those of the flags, without the dashes.
 */
const MAX_CONFIG_CHARS = 1_000_000;

/** Returns null if the file does not exist. */
export function readConfigFile(path: string): GivenOptions | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // ENOTDIR: the data folder is a file. Opening the store gives a better message about that.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    const line = `cannot read ${path}: ${(error as Error).message}; use --config to name a file that you may read`;
    throw new OrbweaverError('ERR_CONFIG', line, { cause: error });
  }
  return toOptions(parseYaml(text, path), path);
}

function parseYaml(text: string, path: string): unknown {
  if (text.length > MAX_CONFIG_CHARS)
    throw new OrbweaverError('ERR_CONFIG', `${path} is too long for a configuration file`);
  // The YAML parser is imported only here: few folders have such a file, and the parser is half of the
  // code that a start would load.
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  try {
    // The message contains neither warnings nor the parser's own message: both repeat lines of the file,
    // and the file may contain passwords.
    return parse(text, { maxAliasCount: 100, logLevel: 'error' });
  } catch (error) {
    const { code = 'not readable', linePos } = error as Partial<YAMLParseError>;
    const place = linePos ? `, line ${linePos[0].line}, column ${linePos[0].col}` : '';
    throw new OrbweaverError(
      'ERR_CONFIG',
      `${path} is not valid YAML${place}: ${code.toLowerCase().replaceAll('_', ' ')}`,
    );
  }
}

function toOptions(parsed: unknown, path: string): GivenOptions {
  if (parsed === null || parsed === undefined) return {};
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new OrbweaverError('ERR_CONFIG', `${path} must consist of lines of the form "option: value"`);
  }
  const given: GivenOptions = {};
  for (const [written, value] of Object.entries(parsed)) given[optionNamed(written, path)] = value;
  return given;
}
