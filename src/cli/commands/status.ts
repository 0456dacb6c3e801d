/** `orbweaver status`: shows counts, hosts and errors. It only reads, so it works during a crawl. */
import { join } from 'node:path';
import { compareFolder } from '../../archive/folder-state.ts';
import { countExchanges } from '../../archive/record-scan.ts';
import { type ClusterStatus, clusterLines, clusterStatus } from '../../copy/cluster-status.ts';
import { flagName } from '../../core/options/options.ts';
import { writtenRules } from '../../core/options/stored-rules.ts';
import { REASONS, type Reason } from '../../core/reasons.ts';
import {
  columns,
  count,
  guessSentence,
  indented,
  isoOrNull,
  plural,
  sizeText,
  timeText,
} from '../../core/text/readable.ts';
import { seedsNoted } from '../../crawl/earlier-runs.ts';
import { type IndexStatus, readIndexStatus } from '../../crawl/following/search/index-status.ts';
import { readRules } from '../../crawl/place/data-folder.ts';
import type { AnyStore } from '../../crawl/place/open-store.ts';
import { type Counts, URL_STATES } from '../../store/contract.ts';
import { lastSample, type NotedSample } from '../../verify/sample.ts';
import { readState } from '../../verify/verify-state.ts';
import { COMMON_FLAGS, type Command, countFlag, parseArguments, refuseWords, switchFlag } from '../arguments.ts';
import { type NamedCrawl, PLACE_FLAGS, shellWord, withCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { indexLines } from '../text/index-sentences.ts';
import { type HostsStatus, hostLines, readHosts } from './host-status.ts';

const DEFAULT_HOSTS = 10;
const MAX_HOSTS = 100_000;
const MAX_SEEDS_SHOWN = 5;

/** The object that `--json` prints. The fields are a contract. */
export interface CrawlStatus extends HostsStatus {
  readonly states: Counts['states'];
  readonly reasons: Counts['reasons'];
  /** Bytes of page bodies as they came over the wire. */
  readonly bytes: number;
  /** Only for a crawl with a topic: the judged pages, the pages on topic, and their share. */
  readonly topic: { readonly judged: number; readonly onTopic: number; readonly harvest: number } | null;
  /** Guesses (`--guess`) that were requested, and how many of them led nowhere; null if there were none. */
  readonly guesses: { readonly asked: number; readonly wrong: number } | null;
  readonly archive: ArchiveStatus;
  readonly seeds: readonly string[];
  /** The rules that differ from their defaults, by the names of the library, written as in a configuration file. */
  readonly rules: Readonly<Record<string, unknown>>;
  /** The names of the secret options that every run of the crawl needs. Their values are not stored. */
  readonly secrets: readonly string[];
  /** Time of the last visit of a refresh; null before the first refresh. */
  readonly lastLookAt: string | null;
  /** Number of changes that refreshes have recorded. */
  readonly changes: number;
  /** The workers of a crawl in a database; null for a crawl in a folder. */
  readonly cluster: ClusterStatus | null;
  /** Whether the archive is sound, as far as it was checked. */
  readonly verify: VerifyStatus;
  /** Waiting URLs that failed before, and their number by the reason of the last failure. */
  readonly retrying: number;
  readonly retryReasons: Counts['retryReasons'];
  /** The search index in the data folder of this machine; null if there is none. */
  readonly search: IndexStatus | null;
}

export interface VerifyStatus {
  /** Number of responses that are marked as damaged. */
  readonly damaged: number;
  /** The last run of `orbweaver verify` in this data folder; null if there was none. */
  readonly last: { readonly at: string; readonly isDone: boolean; readonly findings: number } | null;
  /** The last random sample that a refresh checked; null if there was none. */
  readonly sample: NotedSample | null;
}

export interface ArchiveStatus {
  readonly files: number;
  readonly bytes: number;
  /**
   * Only for a crawl in a folder: the number of committed files that are missing, and the number of files in the folder
   * that the database does not know. Absent if the number is 0.
   */
  readonly missing?: number;
  readonly unknown?: number;
}

export const command: Command = {
  help: {
    usage: 'orbweaver status [flags]',
    about: `Shows the seeds, the rules and the progress of a crawl: URLs by state, the reasons for missing pages, hosts, the archive,
the last refresh and its changes, and whether watchers, sitemaps and feeds are trusted. With --store it also shows the
workers, their machines and their speed.`,
    examples: [
      'orbweaver status',
      'orbweaver status --dir docs-copy --json',
      'orbweaver status --store postgres://crawler@db.example/crawls --name news',
    ],
    flags: {
      ...PLACE_FLAGS,
      ...COMMON_FLAGS,
      hosts: { hint: '<n>', help: `number of hosts to show, most waiting URLs first (default ${DEFAULT_HOSTS})` },
    },
  },

  async run(words) {
    const args = parseArguments('status', words, command.help.flags);
    refuseWords('status', args, 'for one URL: orbweaver explain <url>');
    const hostLimit = countFlag(args, 'hosts', DEFAULT_HOSTS, MAX_HOSTS);
    return withCrawl(args, async (store, crawl) => {
      // For a crawl in a database the clock of the server counts: the local clock may differ.
      const nowMs = (await store.cluster?.nowMs()) ?? Date.now();
      const status = await readStatus(store, crawl, hostLimit, nowMs);
      const counts = await store.counts();
      if (switchFlag(args, 'json')) printJson(status);
      else printLines(statusLines(status, counts, crawl));
    });
  },
};

async function readStatus(
  store: AnyStore,
  { place }: NamedCrawl,
  hostLimit: number,
  nowMs: number,
): Promise<CrawlStatus> {
  const counts = await store.counts();
  const { states, reasons, retrying, retryReasons, wireBytes, judged, onTopic, guesses, wrongGuesses } = counts;
  const files = await store.archiveFiles();
  const rules = await readRules(store);
  const { hosts, mirrors, sources, watchers, noise } = await readHosts(store, hostLimit, nowMs);
  return {
    states,
    reasons,
    hosts,
    bytes: wireBytes,
    archive: {
      files: files.size,
      bytes: [...files.values()].reduce((sum, bytes) => sum + bytes, 0),
      ...(place.cluster === null ? strayFiles(place.archives[0]!, files) : {}),
    },
    seeds: await seedsNoted(store),
    rules: writtenRules(rules?.values ?? {}),
    secrets: rules?.secrets ?? [],
    topic: judged === 0 ? null : { judged, onTopic, harvest: onTopic / judged },
    guesses: guesses === 0 ? null : { asked: guesses, wrong: wrongGuesses },
    mirrors,
    lastLookAt: isoOrNull(await store.lastLookMs()),
    changes: await store.lastChange(),
    sources,
    watchers,
    noise,
    cluster: await readCluster(store),
    verify: await readVerify(store, place.dir),
    retrying,
    retryReasons,
    search: await readIndexStatus(store, place),
  };
}

async function readVerify(store: AnyStore, dir: string): Promise<VerifyStatus> {
  const state = readState(dir);
  const findings = Object.values(state?.counts.findings ?? {}).reduce((sum, some) => sum + some, 0);
  return {
    damaged: await store.damagedCaptures(),
    last: state === null ? null : { at: state.savedAt, isDone: state.phase === 'done', findings },
    sample: await lastSample(store),
  };
}

function verifyLines({ damaged, last, sample }: VerifyStatus): string[] {
  const marked = damaged > 0 ? `${count(damaged)} responses are marked as damaged.` : '';
  const checked =
    last === null
      ? ''
      : `Last check of the archive: ${timeText(Date.parse(last.at))}${last.isDone ? '' : ', not finished'}, ${count(last.findings)} findings.`;
  const bad = sample !== null && sample.damaged > 0;
  const drawn = bad
    ? `The last refresh checked ${count(sample.checked)} random responses and found ${count(sample.damaged)} damaged: run orbweaver verify.`
    : '';
  const line = [checked, marked, drawn].filter((part) => part !== '').join(' ');
  return line === '' ? [] : [line];
}

function strayFiles(folder: string, known: ReadonlyMap<string, number>): Pick<ArchiveStatus, 'missing' | 'unknown'> {
  const { absent, unknown } = compareFolder(folder, known);
  const unknownFiles = unknown.filter((file) => countExchanges(join(folder, file), 0, 1) > 0).length;
  return {
    ...(absent.length > 0 && { missing: absent.length }),
    ...(unknownFiles > 0 && { unknown: unknownFiles }),
  };
}

async function readCluster({ cluster }: AnyStore): Promise<ClusterStatus | null> {
  return cluster === undefined ? null : clusterStatus(await cluster.workers(), await cluster.nowMs());
}

function topicLine(topic: CrawlStatus['topic']): string[] {
  if (topic === null) return [];
  const percent = Math.round(100 * topic.harvest);
  return [`On topic: ${count(topic.onTopic)} of ${count(topic.judged)} pages (harvest rate ${percent} %).`];
}

function strayLines({ missing = 0, unknown = 0 }: ArchiveStatus, again: string): string[] {
  const files = (n: number, verb: string) => `${count(n)} archive ${n === 1 ? `file ${verb}s` : `files ${verb}`}`;
  return [
    ...(missing === 0 ? [] : [`${count(missing)} archive files of the crawl are missing: mount or move them back.`]),
    ...(unknown === 0
      ? []
      : [`${files(unknown, 'hold')} pages that the database does not know: orbweaver recover ${again}`]),
  ];
}

function statusLines(status: CrawlStatus, counts: Counts, { title, again }: NamedCrawl): string[] {
  const { states, reasons, archive } = status;
  const known = URL_STATES.reduce((sum, state) => sum + states[state], 0);
  const lines = [
    `${title.replace(/^t/, 'T')} knows ${plural(known, 'URL')} of ${plural(counts.hosts, 'host')}.`,
    ...seedLines(status.seeds),
    ...ruleLines(status),
    `Archive: ${plural(archive.files, 'file')}, ${sizeText(archive.bytes)}. Received: ${sizeText(status.bytes)} of pages.`,
    ...strayLines(archive, again),
    ...topicLine(status.topic),
    ...(status.guesses === null ? [] : [guessSentence(status.guesses)]),
    ...refreshLine(status),
    ...verifyLines(status.verify),
    ...indexLines(status.search, again),
    ...(status.cluster === null ? [] : ['', ...clusterLines(status.cluster)]),
    '',
    ...indented(columns([['state', 'URLs'], ...URL_STATES.map((state) => [state, states[state]])])),
  ];
  if (status.retrying > 0) {
    const why = Object.entries(status.retryReasons).map(([reason, n]) => `${reason} ${count(n)}`);
    lines.push(`  (${count(status.retrying)} of the waiting URLs failed before: ${why.join(', ')})`);
  }
  const why = Object.entries(reasons).sort(([, left], [, right]) => right - left);
  if (why.length > 0) {
    const rows = why.map(([reason, n]) => [reason, n, REASONS[reason as Reason] ?? '']);
    lines.push('', ...indented(columns([['reason', 'URLs', 'meaning'], ...rows])));
  }
  return [...lines, ...hostLines(status, counts.hosts)];
}

function refreshLine({ lastLookAt, changes, states }: CrawlStatus): string[] {
  if (lastLookAt === null) return ['Never refreshed. To visit the pages again: orbweaver refresh'];
  const gone = states.gone === 0 ? '' : ` Pages gone: ${count(states.gone)}.`;
  return [`Last refresh: ${timeText(Date.parse(lastLookAt))}. Changes recorded: ${count(changes)}.${gone}`];
}

/** The rules as flags that can be pasted. */
function ruleLines({ rules, secrets }: CrawlStatus): string[] {
  const flags = Object.entries(rules).flatMap(([name, value]) => {
    const flag = `--${flagName(name)}`;
    if (typeof value === 'boolean') return [value ? flag : `--no-${flagName(name)}`];
    return [value].flat().map((one) => `${flag}=${shellWord(String(one))}`);
  });
  const again = secrets.map((name) => `--${flagName(name)}`).join(', ');
  return [
    `Rules: ${flags.length === 0 ? 'the defaults' : flags.join(' ')}`,
    ...(again === '' ? [] : [`Needed again by every run, because secrets are not stored: ${again}`]),
  ];
}

function seedLines(seeds: readonly string[]): string[] {
  if (seeds.length === 0) return [];
  const more = seeds.length > MAX_SEEDS_SHOWN ? ` and ${count(seeds.length - MAX_SEEDS_SHOWN)} more` : '';
  return [`Seeds: ${seeds.slice(0, MAX_SEEDS_SHOWN).join(' ')}${more}`];
}
