/**
 * Which crawl an archive file belongs to, and the data needed to rebuild the crawl from its files. In: the
 * store and the options of the run. Out: the fields of the warcinfo record of every file that the run
 * writes, and the parsed fields of a file.
 *
 * What always holds: the fields contain no option that may hold a secret or a path of this
 * machine, because archive files are shared.
 */
import { randomUUID } from 'node:crypto';
import { CRAWL_OPTIONS, type CrawlOptions, OPTION_NAMES, type OptionName } from '../../core/options/options.ts';
import type { Store } from '../../store/contract.ts';
import { NEVER_NOTED } from '../place/data-folder.ts';

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
const NEVER_WRITTEN: readonly OptionName[] = ['topicExamples', 'allowPrivate', 'ignoreRobots'];

const RUN_KINDS = ['crawl', 'refresh', 'import'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** Fields of a warcinfo record. */
export type CrawlInfo = Readonly<Record<string, string>>;

export interface FileIdentity {
  /** Null in files of older versions, and in files of other tools. */
  readonly crawlId: string | null;
  readonly run: RunKind | null;
  readonly seeds: readonly string[];
  /** Given options by name. Absent options had their defaults. */
  readonly rules: Readonly<Record<string, unknown>>;
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

export async function crawlInfo(
  store: Pick<Store, 'note' | 'setNote'>,
  options: CrawlOptions,
  seeds: readonly string[],
  run: RunKind,
): Promise<CrawlInfo> {
  let known = '';
  for (const seed of seeds) {
    if (known.length + seed.length > MAX_SEEDS_BYTES) break;
    known += known === '' ? seed : ` ${seed}`;
  }
  const rules = JSON.stringify(rulesOf(options));
  return {
    [ID_FIELD]: await giveCrawlId(store),
    [RUN_FIELD]: run,
    [SEEDS_FIELD]: known,
    [RULES_FIELD]: rules.length > MAX_RULES_BYTES ? '{}' : rules,
    robots: options.ignoreRobots ? 'ignore' : 'obey',
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
    rules: rulesIn(fields.get(RULES_FIELD)),
  };
}

/** The options that differ from their defaults. */
function rulesOf(options: CrawlOptions): Record<string, unknown> {
  const hidden = [...NEVER_NOTED, ...NEVER_WRITTEN];
  const others = OPTION_NAMES.filter(
    (name) => !hidden.includes(name) && JSON.stringify(options[name]) !== JSON.stringify(CRAWL_OPTIONS[name].default),
  );
  return Object.fromEntries(others.map((name) => [name, options[name]]));
}

function rulesIn(text: string | undefined): Record<string, unknown> {
  try {
    const rules = JSON.parse(text ?? '{}') as unknown;
    if (typeof rules !== 'object' || rules === null || Array.isArray(rules)) return {};
    const hidden: readonly string[] = [...NEVER_NOTED, ...NEVER_WRITTEN];
    return Object.fromEntries(Object.entries(rules).filter(([name]) => !hidden.includes(name)));
  } catch {
    return {};
  }
}
