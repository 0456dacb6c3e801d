/**
 * The hosts of a crawl, for `status`: their counts and manners, their mirrors, and whether their watchers, sitemaps and
 * feeds are trusted. Hosts are read page by page, because there may be millions of them.
 */
import { NoiseEvidence } from '../../change/evidence/noise-evidence.ts';
import { type RobotsState, robotsState } from '../../copy/url-facts.ts';
import type { Reason } from '../../core/reasons.ts';
import { columns, indented, isoOrNull, plural, safeText, timeText } from '../../core/text/readable.ts';
import type { AnyStore } from '../../crawl/place/open-store.ts';
import { vainWaitMs } from '../../crawl/watchers/lease-wait.ts';
import { type SourceVerdict, verdictOn } from '../../crawl/watchers/trust-rule.ts';
import type {
  HostRecord,
  MirrorRecord,
  SourceRecord,
  Store,
  WatcherOutcomes,
  WatcherRecord,
} from '../../store/contract.ts';
import { inBatches } from '../../store/read-in-batches.ts';

/** Largest number of watchers, sources and mirrors that are shown. */
const MOST_SHOWN = 10;

/** The part of `status --json` about hosts. The fields are a contract. */
export interface HostsStatus {
  readonly hosts: readonly HostStatus[];
  readonly mirrors: readonly MirrorRecord[];
  /** Whether the sitemaps and feeds of a host are trusted, with the evidence. */
  readonly sources: readonly SourceStatus[];
  /** Whether the watcher of a host is trusted, with the evidence. */
  readonly watchers: readonly WatcherStatus[];
  /** What was learned about noise on the pages of the shown hosts (docs/noise.md). */
  readonly noise: readonly NoiseStatus[];
}

interface NoiseStatus {
  readonly host: string;
  /** Pages that were fetched twice to find out what differs without meaning. */
  readonly secondLooks: number;
  /** The paths of the ignored regions. */
  readonly ignored: readonly string[];
}

interface WatcherStatus extends WatcherOutcomes {
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

interface SourceStatus extends Omit<SourceRecord, 'hostId'> {
  readonly verdict: SourceVerdict;
}

interface HostStatus {
  readonly host: string;
  readonly pages: number;
  readonly waiting: number;
  readonly failed: number;
  /** Null until a response has set the delay. */
  readonly delayMs: number | null;
  /** ISO 8601; null while requests to the host are allowed. */
  readonly blockedUntil: string | null;
  readonly robots: RobotsState;
  /** Why the last request to the host, or its robots.txt, failed; null if it was answered. */
  readonly trouble: Reason | null;
}

/** Reads the `most` hosts with the most waiting URLs, and everything known about other hosts. */
export async function readHosts(store: AnyStore, most: number, nowMs: number): Promise<HostsStatus> {
  const hosts = most === 0 ? [] : await busiestHosts(store, most);
  return {
    hosts: hosts.map((host) => hostStatus(host, nowMs)),
    mirrors: await store.mirrors(),
    sources: (await store.sources()).map(sourceStatus),
    watchers: await watcherStatuses(store),
    noise: await noiseOf(store, hosts, nowMs),
  };
}

/** The row of a host contains its robots.txt, so pages are small. */
const HOSTS_PER_READ = 200;

/**
 * Returns the `most` hosts with the most waiting URLs. Among equals, the host that was discovered first comes first.
 */
async function busiestHosts(store: Store, most: number): Promise<HostRecord[]> {
  let kept: HostRecord[] = [];
  const keepBest = (): void => {
    kept = kept.sort((left, right) => right.waiting - left.waiting || left.id - right.id).slice(0, most);
  };
  for await (const hosts of inBatches((after, limit) => store.hosts(after, limit), HOSTS_PER_READ)) {
    kept.push(...hosts);
    if (kept.length >= 2 * most + HOSTS_PER_READ) keepBest();
  }
  keepBest();
  return kept;
}

async function noiseOf(store: Store, hosts: readonly HostRecord[], nowMs: number): Promise<NoiseStatus[]> {
  const all = hosts.map(async ({ host }) => {
    const stored = await store.noiseEvidence(host);
    if (stored === null) return [];
    const evidence = new NoiseEvidence(stored);
    const ignored = evidence.ignored(nowMs).map(({ path }) => path);
    return [{ host, secondLooks: evidence.doubleLooks, ignored }];
  });
  return (await Promise.all(all)).flat().filter((one) => one.secondLooks + one.ignored.length > 0);
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

function hostStatus(
  { host, fetched, waiting, failed, manners, robots, trouble }: HostRecord,
  nowMs: number,
): HostStatus {
  return {
    host,
    pages: fetched,
    waiting,
    failed,
    delayMs: manners.delayMs,
    blockedUntil: isoOrNull(manners.blockedUntilMs > nowMs ? manners.blockedUntilMs : null),
    robots: robotsState(robots),
    trouble,
  };
}

const HOST_HEAD = ['host', 'pages', 'waiting', 'failed', 'delay', 'robots.txt', 'blocked until', 'last problem'];
const WATCHER_HEAD = ['watcher of', '', 'last read', 'confirmed', 'false alarms', 'missed', 'quiet'];
const SOURCE_HEAD = ['sitemaps and feeds of', '', 'confirmed', 'false alarms', 'missed', 'quiet'];
const NOISE_HEAD = ['noise of', 'pages fetched twice', 'ignored regions'];
const MIRROR_HEAD = ['host', 'is a mirror of', 'same pages', 'different pages'];

const VERDICT_WORDS: Readonly<Record<SourceVerdict, string>> = {
  believed: 'trusted',
  'not-believed': 'not trusted',
  unproven: 'not proved yet',
};

/**
 * The tables of hosts, watchers, sources and mirrors; `total` is the number of all hosts. Evidence counts visits to
 * pages that a watcher or source covers. Confirmed and false alarms: it reported a change, rightly or wrongly. Missed
 * and quiet: it reported no change, wrongly or rightly.
 */
export function hostLines({ hosts, watchers, sources, mirrors, noise }: HostsStatus, total: number): string[] {
  const moreHosts = hosts.length > 0 ? total - hosts.length : 0;
  return [
    ...table(HOST_HEAD, hosts.map(hostRow)),
    ...(moreHosts > 0 ? [`  … and ${plural(moreHosts, 'more host')} (--hosts <n>)`] : []),
    ...table(WATCHER_HEAD, watchers.slice(0, MOST_SHOWN).map(watcherRow)),
    ...watchers.slice(0, MOST_SHOWN).flatMap(leaseLine),
    ...moreLine(watchers, 'host'),
    ...table(SOURCE_HEAD, sources.slice(0, MOST_SHOWN).map(sourceRow)),
    ...moreLine(sources, 'host'),
    ...table(
      MIRROR_HEAD,
      mirrors.slice(0, MOST_SHOWN).map(({ host, of, same, different }) => [host, of, same, different]),
    ),
    ...moreLine(mirrors, 'mirror'),
    ...table(NOISE_HEAD, noise.slice(0, MOST_SHOWN).map(noiseRow)),
    ...moreLine(noise, 'host'),
  ];
}

type Row = readonly (string | number)[];

function table(head: readonly string[], rows: readonly Row[]): string[] {
  return rows.length === 0 ? [] : ['', ...indented(columns([head, ...rows]))];
}

function moreLine(all: readonly unknown[], what: string): string[] {
  return all.length > MOST_SHOWN ? [`  … and ${plural(all.length - MOST_SHOWN, `more ${what}`)} (--json)`] : [];
}

function hostRow({ host, pages, waiting, failed, delayMs, robots, blockedUntil, trouble }: HostStatus): Row {
  const delay = delayMs === null ? '–' : `${delayMs} ms`;
  return [host, pages, waiting, failed, delay, robots, timeOrDash(blockedUntil), trouble ?? ''];
}

function watcherRow({ host, verdict, readAt, confirmed, falseAlarms, missed, quiet }: WatcherStatus): Row {
  return [host, VERDICT_WORDS[verdict], timeOrDash(readAt), confirmed, falseAlarms, missed, quiet];
}

function sourceRow({ host, verdict, confirmed, falseAlarms, missed, quiet }: SourceStatus): Row {
  return [host, VERDICT_WORDS[verdict], confirmed, falseAlarms, missed, quiet];
}

function noiseRow({ host, secondLooks, ignored }: NoiseStatus): Row {
  return [host, secondLooks, ignored.length];
}

function leaseLine({ host, leaseRefusedAt }: WatcherStatus): string[] {
  if (leaseRefusedAt === null) return [];
  const when = timeText(Date.parse(leaseRefusedAt));
  return [`  Another crawler held the lease of ${safeText(host)} (${when}): refreshes continue without it.`];
}

function timeOrDash(iso: string | null): string {
  return iso === null ? '–' : timeText(Date.parse(iso));
}
