/** `orbweaver status`: shows counts, hosts and errors. It only reads, so it works during a crawl. */
import { join } from 'node:path';
import { compareFolder } from '../../archive/folder-state.ts';
import { countExchanges } from '../../archive/record-scan.ts';
import { type RobotsState, robotsState } from '../../copy/url-facts.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { wholeNumber } from '../../core/options/option-values.ts';
import { REASONS, type Reason } from '../../core/reasons.ts';
import { seedsNoted } from '../../crawl/earlier-runs.ts';
import type { AnyStore } from '../../crawl/place/open-store.ts';
import { vainWaitMs } from '../../crawl/watchers/lease-wait.ts';
import { type SourceVerdict, verdictOn } from '../../crawl/watchers/source-trust.ts';
import {
  type Counts,
  type HostRecord,
  type MirrorRecord,
  type SourceRecord,
  URL_STATES,
  type WatcherOutcomes,
  type WatcherRecord,
} from '../../store/contract.ts';
import { lastSample, type NotedSample } from '../../verify/sample.ts';
import { readState } from '../../verify/verify-state.ts';
import { COMMON_FLAGS, parseArguments, stringFlag, switchFlag } from '../arguments.ts';
import type { Command } from '../command.ts';
import { busiestHosts } from '../known-hosts.ts';
import { type NamedCrawl, PLACE_FLAGS, withCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { columns, count, isoOrNull, safeText, sizeText, timeText } from '../text/readable.ts';
import { type ClusterStatus, clusterLines, clusterStatus } from './cluster-status.ts';

const MAX_HOSTS = 100_000;
const MAX_SEEDS_SHOWN = 5;
const MAX_MIRRORS_SHOWN = 10;
const MAX_SOURCES_SHOWN = 10;

/** The object that `--json` prints. The fields are a contract. */
export interface CrawlStatus {
  readonly states: Counts['states'];
  readonly reasons: Counts['reasons'];
  readonly hosts: readonly HostStatus[];
  /** Bytes of page bodies as they came over the wire. */
  readonly bytes: number;
  /** Only for a crawl with a topic: the judged pages, the pages on topic, and their share. */
  readonly topic: { readonly judged: number; readonly onTopic: number; readonly harvest: number } | null;
  readonly archive: ArchiveStatus;
  readonly seeds: readonly string[];
  readonly mirrors: readonly MirrorRecord[];
  /** Time of the last visit of a refresh; null before the first refresh. */
  readonly lastLookAt: string | null;
  /** Number of changes that refreshes have recorded. */
  readonly changes: number;
  /** Whether the sitemaps and feeds of a host are trusted, with the evidence. */
  readonly sources: readonly SourceStatus[];
  /** Whether the watcher of a host is trusted, with the evidence. */
  readonly watchers: readonly WatcherStatus[];
  /** The workers of a crawl in a database; null for a crawl in a folder. */
  readonly cluster: ClusterStatus | null;
  /** Whether the archive is sound, as far as it was checked. */
  readonly verify: VerifyStatus;
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

export interface WatcherStatus extends WatcherOutcomes {
  readonly host: string;
  /** Address of the watcher's report. */
  readonly url: string;
  readonly verdict: SourceVerdict;
  /** The position up to which the report was read, and the time; null if the report must be read from its beginning. */
  readonly cursor: string | null;
  readonly readAt: string | null;
  /**
   * Time of the last wait for the watcher's lease that failed (W7); null if the lease was given since or never refused.
   */
  readonly leaseRefusedAt: string | null;
}

export interface SourceStatus extends Omit<SourceRecord, 'hostId'> {
  readonly verdict: SourceVerdict;
}

export interface HostStatus {
  readonly host: string;
  readonly pages: number;
  readonly waiting: number;
  readonly failed: number;
  /** Null until a response has set the delay. */
  readonly delayMs: number | null;
  /** ISO 8601; null while requests to the host are allowed. */
  readonly blockedUntil: string | null;
  readonly robots: RobotsState;
}

export const statusCommand: Command = {
  help: {
    usage: 'orbweaver status [flags]',
    about: `Shows the progress of a crawl: URLs by state, the reasons for missing pages, hosts, the archive, the last refresh and its
changes, and whether watchers, sitemaps and feeds are trusted. With --store it also shows the workers, their machines
and their speed.`,
    examples: [
      'orbweaver status',
      'orbweaver status --dir docs-copy --json',
      'orbweaver status --store postgres://crawler@db.example/crawls --name news',
    ],
    flags: {
      ...PLACE_FLAGS,
      ...COMMON_FLAGS,
      hosts: { hint: '<n>', help: 'number of hosts to show, most waiting URLs first (default 10)' },
    },
  },

  async run(words) {
    const args = parseArguments('status', words, statusCommand.help.flags);
    if (args.words.length > 0) {
      throw new OrbweaverError('ERR_USAGE', 'orbweaver status takes only flags; for one URL: orbweaver explain <url>');
    }
    const hostLimit = hostsWanted(stringFlag(args, 'hosts', '10'));
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

function hostsWanted(text: string): number {
  try {
    return wholeNumber(0, MAX_HOSTS)(text);
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--hosts ${(error as Error).message}`);
  }
}

async function readStatus(
  store: AnyStore,
  { place }: NamedCrawl,
  hostLimit: number,
  nowMs: number,
): Promise<CrawlStatus> {
  const { states, reasons, wireBytes, judged, onTopic } = await store.counts();
  const files = await store.archiveFiles();
  const hosts = hostLimit === 0 ? [] : await busiestHosts(store, hostLimit);
  return {
    states,
    reasons,
    hosts: hosts.map((host) => hostStatus(host, nowMs)),
    bytes: wireBytes,
    archive: {
      files: files.size,
      bytes: [...files.values()].reduce((sum, bytes) => sum + bytes, 0),
      ...(place.cluster === null ? strayFiles(place.archives[0]!, files) : {}),
    },
    seeds: await seedsNoted(store),
    topic: judged === 0 ? null : { judged, onTopic, harvest: onTopic / judged },
    mirrors: await store.mirrors(),
    lastLookAt: isoOrNull(await store.lastLookMs()),
    changes: await store.lastChange(),
    sources: (await store.sources()).map(sourceStatus),
    watchers: await watcherStatuses(store),
    cluster: await readCluster(store),
    verify: await readVerify(store, place.dir),
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

function sourceStatus(source: SourceRecord): SourceStatus {
  const { host, confirmed, falseAlarms, missed, quiet } = source;
  return { host, verdict: verdictOn(source), confirmed, falseAlarms, missed, quiet };
}

async function watcherStatuses(store: Pick<AnyStore, 'watchers' | 'note'>): Promise<WatcherStatus[]> {
  const records = (await store.watchers()).filter(({ readAtMs }) => readAtMs > 0);
  return Promise.all(
    records.map(async (record) => ({
      ...watcherStatus(record),
      leaseRefusedAt: isoOrNull(await vainWaitMs(store, record.host)),
    })),
  );
}

function watcherStatus(record: WatcherRecord): Omit<WatcherStatus, 'leaseRefusedAt'> {
  const { host, url, cursor, readAtMs, confirmed, falseAlarms, missed, quiet } = record;
  const verdict = verdictOn(record);
  return { host, url, verdict, cursor, readAt: isoOrNull(readAtMs), confirmed, falseAlarms, missed, quiet };
}

function hostStatus({ host, fetched, waiting, failed, manners, robots }: HostRecord, nowMs: number): HostStatus {
  return {
    host,
    pages: fetched,
    waiting,
    failed,
    delayMs: manners.delayMs,
    blockedUntil: isoOrNull(manners.blockedUntilMs > nowMs ? manners.blockedUntilMs : null),
    robots: robotsState(robots),
  };
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
  const { states, reasons, hosts, archive } = status;
  const known = URL_STATES.reduce((sum, state) => sum + states[state], 0);
  const lines = [
    `${title.replace(/^t/, 'T')} knows ${count(known)} URLs of ${count(counts.hosts)} hosts.`,
    ...seedLines(status.seeds),
    `Archive: ${count(archive.files)} files, ${sizeText(archive.bytes)}. Received: ${sizeText(status.bytes)} of pages.`,
    ...strayLines(archive, again),
    ...topicLine(status.topic),
    ...refreshLine(status),
    ...verifyLines(status.verify),
    ...(status.cluster === null ? [] : ['', ...clusterLines(status.cluster)]),
    '',
    ...indented(columns([['state', 'URLs'], ...URL_STATES.map((state) => [state, states[state]])])),
  ];
  if (counts.retrying > 0) lines.push(`  (${count(counts.retrying)} of the waiting URLs failed before)`);
  const why = Object.entries(reasons).sort(([, left], [, right]) => right - left);
  if (why.length > 0) {
    const rows = why.map(([reason, n]) => [reason, n, REASONS[reason as Reason] ?? '']);
    lines.push('', ...indented(columns([['reason', 'URLs', 'meaning'], ...rows])));
  }
  if (hosts.length > 0) lines.push('', ...indented(columns([HOST_HEAD, ...hosts.map(hostRow)])));
  if (hosts.length > 0 && hosts.length < counts.hosts) {
    lines.push(`  … and ${count(counts.hosts - hosts.length)} more hosts (--hosts <n>)`);
  }
  return [...lines, ...watcherLines(status.watchers), ...sourceLines(status.sources), ...mirrorLines(status.mirrors)];
}

function refreshLine({ lastLookAt, changes, states }: CrawlStatus): string[] {
  if (lastLookAt === null) return ['Never refreshed. To visit the pages again: orbweaver refresh'];
  const gone = states.gone === 0 ? '' : ` Pages gone: ${count(states.gone)}.`;
  return [`Last refresh: ${timeText(Date.parse(lastLookAt))}. Changes recorded: ${count(changes)}.${gone}`];
}

const WATCHER_HEAD = ['watcher of', '', 'last read', 'confirmed', 'false alarms', 'missed', 'quiet'];

/** The counts mean the same as in `sourceLines`. */
function watcherLines(watchers: readonly WatcherStatus[]): string[] {
  if (watchers.length === 0) return [];
  const rows = watchers.slice(0, MAX_SOURCES_SHOWN).map((watcher) => {
    const { host, verdict, readAt, confirmed, falseAlarms, missed, quiet } = watcher;
    const read = readAt === null ? '–' : timeText(Date.parse(readAt));
    return [host, VERDICT_WORDS[verdict], read, confirmed, falseAlarms, missed, quiet];
  });
  const lines = ['', ...indented(columns([WATCHER_HEAD, ...rows]))];
  for (const { host, leaseRefusedAt } of watchers.slice(0, MAX_SOURCES_SHOWN)) {
    if (leaseRefusedAt === null) continue;
    const when = timeText(Date.parse(leaseRefusedAt));
    lines.push(`  Another crawler held the lease of ${safeText(host)} (${when}): refreshes continue without it.`);
  }
  const more = watchers.length - rows.length;
  return more > 0 ? [...lines, `  … and ${count(more)} more hosts (--json)`] : lines;
}

const SOURCE_HEAD = ['sitemaps and feeds of', '', 'confirmed', 'false alarms', 'missed', 'quiet'];

/**
 * Counts visits to pages that the source lists. Confirmed and false alarms: the source reported a change, rightly or
 * wrongly. Missed and quiet: the source reported no change, wrongly or rightly.
 */
function sourceLines(sources: readonly SourceStatus[]): string[] {
  if (sources.length === 0) return [];
  const rows = sources
    .slice(0, MAX_SOURCES_SHOWN)
    .map(({ host, verdict, confirmed, falseAlarms, missed, quiet }) => [
      host,
      VERDICT_WORDS[verdict],
      confirmed,
      falseAlarms,
      missed,
      quiet,
    ]);
  const lines = ['', ...indented(columns([SOURCE_HEAD, ...rows]))];
  const more = sources.length - rows.length;
  return more > 0 ? [...lines, `  … and ${count(more)} more hosts (--json)`] : lines;
}

const VERDICT_WORDS: Readonly<Record<SourceVerdict, string>> = {
  believed: 'trusted',
  'not-believed': 'not trusted',
  unproven: 'not proved yet',
};

function mirrorLines(mirrors: readonly MirrorRecord[]): string[] {
  if (mirrors.length === 0) return [];
  const rows = mirrors.slice(0, MAX_MIRRORS_SHOWN).map(({ host, of, same, different }) => [host, of, same, different]);
  const lines = ['', ...indented(columns([['host', 'is a mirror of', 'same pages', 'different pages'], ...rows]))];
  const more = mirrors.length - rows.length;
  return more > 0 ? [...lines, `  … and ${count(more)} more mirrors (--json)`] : lines;
}

function seedLines(seeds: readonly string[]): string[] {
  if (seeds.length === 0) return [];
  const more = seeds.length > MAX_SEEDS_SHOWN ? ` and ${count(seeds.length - MAX_SEEDS_SHOWN)} more` : '';
  return [`Seeds: ${seeds.slice(0, MAX_SEEDS_SHOWN).join(' ')}${more}`];
}

const HOST_HEAD = ['host', 'pages', 'waiting', 'failed', 'delay', 'robots.txt', 'blocked until'];

function hostRow({ host, pages, waiting, failed, delayMs, robots, blockedUntil }: HostStatus): (string | number)[] {
  const delay = delayMs === null ? '–' : `${delayMs} ms`;
  return [
    host,
    pages,
    waiting,
    failed,
    delay,
    robots,
    blockedUntil === null ? '–' : timeText(Date.parse(blockedUntil)),
  ];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
