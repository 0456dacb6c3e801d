/**
 * Which crawl an archive file belongs to, and the data needed to rebuild the crawl from its files. In: the
 * store with the rules of the crawl. Out: the fields of the warcinfo record of every file that the run
 * writes, and the parsed fields of a file.
 *
 * What always holds: the fields contain no option that may hold a secret or a path of this
 * machine, because archive files are shared.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { warcinfoFields } from '../../archive/record-scan.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import { parseRules, rulesText, type StoredRules } from '../../core/options/stored-rules.ts';
import type { Store } from '../../store/contract.ts';
import { readRules } from '../place/data-folder.ts';

const NOTE = 'crawl-id';
const ID_FIELD = 'orbweaver-crawl-id';
const SEEDS_FIELD = 'orbweaver-seeds';
const RULES_FIELD = 'orbweaver-rules';
const RUN_FIELD = 'orbweaver-run';

/** A list of seeds may be very long, but every file begins with this record. */
const MAX_SEEDS_BYTES = 32 * 1024;
const MAX_RULES_BYTES = 16 * 1024;
/**
 * Paths of this machine, and permissions that only the user may give: an archive that somebody else made must not
 * extend the permissions of a later run of ours.
 */
const NEVER_WRITTEN: readonly string[] = ['topicExamples', 'allowPrivate', 'ignoreRobots', 'followActions'];

const RUN_KINDS = ['crawl', 'refresh', 'import'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** Fields of a warcinfo record. */
export type CrawlInfo = Readonly<Record<string, string>>;

export interface FileIdentity {
  /** Null in files of older versions, and in files of other tools. */
  readonly crawlId: string | null;
  readonly run: RunKind | null;
  readonly seeds: readonly string[];
  readonly rules: StoredRules;
}

/** The id of the crawl; null if it has none yet. */
export async function crawlIdOf(store: Pick<Store, 'note'>): Promise<string | null> {
  return store.note(NOTE);
}

/** Gives the crawl an id, unless it has one. */
export async function giveCrawlId(store: Pick<Store, 'note' | 'setNote'>, id: string = randomUUID()): Promise<string> {
  if ((await store.note(NOTE)) === null) await store.setNote(NOTE, id);
  // Another worker may have stored its id first.
  return (await store.note(NOTE))!;
}

/** Call it when the rules of the run are stored. */
export async function crawlInfo(
  store: Pick<Store, 'note' | 'setNote'>,
  { ignoreRobots }: Pick<CrawlOptions, 'ignoreRobots'>,
  seeds: readonly string[],
  run: RunKind,
): Promise<CrawlInfo> {
  let known = '';
  for (const seed of seeds) {
    if (known.length + seed.length > MAX_SEEDS_BYTES) break;
    known += known === '' ? seed : ` ${seed}`;
  }
  const rules = rulesText(withoutPermissions((await readRules(store)) ?? parseRules('{}')));
  return {
    [ID_FIELD]: await giveCrawlId(store),
    [RUN_FIELD]: run,
    [SEEDS_FIELD]: known,
    [RULES_FIELD]: rules.length > MAX_RULES_BYTES ? '{}' : rules,
    robots: ignoreRobots ? 'ignore' : 'obey',
  };
}

/**
 * Parses the fields of a warcinfo record, by lower-case names. The record may come from anybody and contain anything.
 */
export function identityIn(fields: ReadonlyMap<string, string>): FileIdentity {
  const run = fields.get(RUN_FIELD);
  return {
    crawlId: fields.get(ID_FIELD) || null,
    run: RUN_KINDS.find((kind) => kind === run) ?? null,
    seeds: (fields.get(SEEDS_FIELD) ?? '').split(' ').filter((seed) => seed !== ''),
    rules: withoutPermissions(parseRules(fields.get(RULES_FIELD) ?? '{}')),
  };
}

/**
 * True if the files that a database has committed were written by other crawls only. The names of the files do not
 * show it, because crawls that begin in the same second give their files the same names. A recovery may have joined
 * the files of several crawls, so one file of this crawl is enough.
 */
export function areOfOtherCrawls(archiveDir: string, files: Iterable<string>, crawlId: string | null): boolean {
  if (crawlId === null) return false;
  let isOther = false;
  for (const file of files) {
    const its = identityIn(warcinfoFields(join(archiveDir, file))).crawlId;
    if (its === crawlId) return false;
    isOther ||= its !== null;
  }
  return isOther;
}

function withoutPermissions({ values, secrets }: StoredRules): StoredRules {
  const others = Object.entries(values).filter(([name]) => !NEVER_WRITTEN.includes(name));
  return { values: Object.fromEntries(others), secrets };
}
