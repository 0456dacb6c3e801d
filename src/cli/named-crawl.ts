/**
 * Which crawl a command is about: that of a data folder, or one in a database. In: its flags, the environment and the configuration
 * file. Out: where the crawl is, and the words that name it in the next command.
 *
 * What always holds: an address with a password on the command line is refused, since everybody on the machine can read that; and
 * none is in what is printed.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  CLUSTER_OPTIONS,
  type ClusterOptions,
  resolveClusterOptions,
  workerNameFrom,
} from '../core/cluster-options.ts';
import { OrbweaverError } from '../core/errors.ts';
import { flagsOf } from '../core/flags.ts';
import type { OptionSource } from '../core/option-table.ts';
import { type CrawlPlace, placeAt } from '../crawl/crawl-place.ts';
import { type AnyStore, readStoreAt } from '../crawl/open-store.ts';
import { type FlagTable, type ParsedArguments, stringFlag } from './arguments.ts';
import { CONFIG_FLAG, optionSources } from './option-sources.ts';

const CLUSTER_FLAGS = flagsOf(CLUSTER_OPTIONS);

/** Of every command that reads a crawl. */
export const PLACE_FLAGS: FlagTable = {
  dir: { hint: '<folder>', help: 'where everything of the crawl is kept (default ./orbweaver-data)' },
  store: CLUSTER_FLAGS.store!,
  name: CLUSTER_FLAGS.name!,
  archive: CLUSTER_FLAGS.archive!,
  config: CONFIG_FLAG,
};

/** Of those that work on one. */
export const WORKER_FLAGS: FlagTable = { worker: CLUSTER_FLAGS.worker!, lease: CLUSTER_FLAGS.lease! };

export const ASSIGN_FLAG = CLUSTER_FLAGS.assign!;
export const PARTS_FLAG = CLUSTER_FLAGS.parts!;
export const STAY_FLAG = CLUSTER_FLAGS.stay!;

export interface NamedCrawl {
  readonly place: CrawlPlace;
  readonly options: ClusterOptions;
  /** As it stands in a sentence: `the crawl in …`. */
  readonly title: string;
  /** The flags that name it again. */
  readonly again: string;
  /** All that the user gave, for the other options of a command. */
  readonly sources: readonly OptionSource[];
}

export async function nameCrawl(args: ParsedArguments): Promise<NamedCrawl> {
  const dir = stringFlag(args, 'dir', 'orbweaver-data');
  const sources = optionSources(args, dir);
  const options = resolveClusterOptions(sources);
  const named = { options, sources };
  if (options.store === null) {
    refuseLonely(args);
    return { ...named, place: placeAt(dir), title: `the crawl in ${dir}`, again: `--dir ${shellWord(dir)}` };
  }
  // Loaded only here: most crawls are in a folder.
  const { hasPassword, parseAddress } = await import('../store/postgres/address.ts');
  const written = args.flags.store;
  if (typeof written === 'string' && hasPassword(written)) {
    throw new OrbweaverError(
      'ERR_USAGE',
      'a password in --store can be seen by everybody on this machine; put it into PGPASSWORD, or the URL into ORBWEAVER_STORE',
    );
  }
  const { name } = parseAddress(options.store);
  const archives = options.archive.length > 0 ? options.archive : placeAt(dir).archives;
  return {
    ...named,
    place: {
      dir,
      cluster: { url: options.store, name: options.name },
      archives: archives.map((folder) => resolve(folder)),
    },
    title: `the crawl "${options.name}" in ${name}`,
    again: flagsAgain(args).join(' '),
  };
}

/** Opens the crawl for reading, and closes it whatever happens. */
export async function withCrawl(
  args: ParsedArguments,
  work: (store: AnyStore, crawl: NamedCrawl) => Promise<void>,
): Promise<number> {
  const crawl = await nameCrawl(args);
  const store = await readStoreAt(crawl.place);
  try {
    await work(store, crawl);
    return 0;
  } finally {
    await store.close();
  }
}

/** Of this process among the workers of a cluster. */
export function workerNameOf({ options }: Pick<NamedCrawl, 'options'>): string {
  return options.worker ?? workerNameFrom(hostname());
}

/** What came from the environment or a file is there for the next command, too. */
function flagsAgain({ flags }: ParsedArguments): string[] {
  return ['store', 'name', 'dir', 'config', 'archive'].flatMap((flag) =>
    [flags[flag] ?? []].flat().map((value) => `--${flag} ${shellWord(String(value))}`),
  );
}

/** So that it can be pasted. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Flags that say something of a database, where none is named. */
function refuseLonely({ flags }: ParsedArguments): void {
  const lonely = ['name', 'archive', 'worker', 'assign', 'parts', 'lease', 'plan'].find(
    (flag) => flags[flag] !== undefined,
  );
  if (lonely === undefined) return;
  throw new OrbweaverError('ERR_USAGE', `--${lonely} is of a crawl in a database; name that with --store`);
}
