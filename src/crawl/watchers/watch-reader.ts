/**
 * Reads the reports of hosts. In: hosts that may have a watcher (hosts-to-ask.ts). Out: the hosts that have one, each
 * with its report read and applied and its lease taken, or with the reason why not.
 */
import type { Clock } from '../../core/clock.ts';
import { publish } from '../../core/events.ts';
import { safeText } from '../../core/safe-text.ts';
import type { HostRecord, WatcherRecord } from '../../store/contract.ts';
import { isOn, placeOn, WELL_KNOWN } from '../unit/report-url.ts';
import { ReportApplier } from './apply-report.ts';
import { marksOf } from './covered-pages.ts';
import { HostSession, type HostSessionSetup } from './host-session.ts';
import { LeaseWaits } from './lease-wait.ts';
import { type Ask, doOthersWait, longestReadingMs, readReport, type WholeReport } from './read-report.ts';
import { REPORT_FAULTS, type ReportFault } from './report.ts';
import { WatchedHost } from './watched-host.ts';
import { WANTED_SECONDS, WatcherLease } from './watcher-lease.ts';

const HOSTS_AT_ONCE = 16;
/**
 * A host that another worker has is retried after this time. The release of all leases
 * together may take RELEASE_WITHIN_MS.
 */
const HOST_HELD_MS = 2_000;
const RELEASE_WITHIN_MS = 6_000;
const OTHER_WORKER = 'another worker of this crawl';
/** Faults that a site without a watcher causes. They are not reported. */
const NO_NEWS: ReadonlySet<ReportFault> = new Set<ReportFault>([
  'absent',
  'forbidden',
  'unreachable',
  'busy',
  'elsewhere',
  'too-large',
  'no-report',
  'cut-off',
]);

/** Temporary faults: the host is asked again next time. */
const PASSING: ReadonlySet<ReportFault> = new Set<ReportFault>(['busy', 'unreachable']);

/**
 * In a refresh, changed pages are marked for a visit. In a crawl, new pages wait, and the cursor is stored at the end.
 */
export type Purpose = 'refresh' | 'crawl';

export class WatchReader {
  readonly #setup: HostSessionSetup;
  /** Hosts for which a warning was shown. */
  readonly #warned = new Set<string>();
  readonly #waits: LeaseWaits;

  constructor(setup: HostSessionSetup) {
    this.#setup = setup;
    this.#waits = new LeaseWaits(setup);
  }

  /** Asks these hosts, HOSTS_AT_ONCE at a time. */
  async readAll(records: readonly WatcherRecord[], purpose: Purpose): Promise<WatchedHost[]> {
    const watched: WatchedHost[] = [];
    await this.#someAtATime(records, async (record) => {
      const host = await this.#setup.store.host(record.host);
      const one = host === null ? null : await this.#first(record, host, purpose);
      if (one !== null) watched.push(one);
    });
    return watched.sort((a, b) => a.record.hostId - b.record.hostId);
  }

  async #first(record: WatcherRecord, host: HostRecord, purpose: Purpose): Promise<WatchedHost | null> {
    const { store, role } = this.#setup;
    const lease = new WatcherLease(store, role, record.host);
    const watched = new WatchedHost(record, host.fetched, lease, this.#waits.of(record.hostId));
    await watched.loadMarks(marksOf(store, record.hostId));
    await this.read(watched, purpose);
    if (watched.fault === null || record.readAtMs > 0) return watched;
    await this.release(watched);
    return null;
  }

  /** Reads the report from the cursor on, and takes the lease. Returns the pages to visit. */
  async read(watched: WatchedHost, purpose: Purpose): Promise<number[]> {
    const { record } = watched;
    // The lease of the first reading also covers the second.
    if (watched.report === null && (await watched.lease.isHeldByOther(this.#setup.clock.now()))) {
      this.#leaveToOthers(watched, this.#setup.role.leaseMs);
      return [];
    }
    const session = await HostSession.open(record.hostId, this.#setup, this.#setup.reading.signal);
    if (session === 'left-alone') await this.#leaveBlocked(watched);
    if (session === 'another-worker') this.#leaveToOthers(watched, HOST_HELD_MS);
    if (typeof session === 'string') return [];
    try {
      const url = statedPlace(record, session);
      const visits = await this.#readAt(watched, session, url ?? record.host + WELL_KNOWN, url === null, purpose);
      if (await session.isOurs()) return visits;
      this.#leaveToOthers(watched, HOST_HELD_MS);
      return [];
    } finally {
      await session.close();
    }
  }

  /** A blocked host is not asked. If it has a watcher, it counts as held until the block ends. */
  async #leaveBlocked(watched: WatchedHost): Promise<void> {
    const { store, clock } = this.#setup;
    const { host, readAtMs } = watched.record;
    const untilMs = (await store.host(host))?.manners.blockedUntilMs ?? 0;
    if (readAtMs > 0 && untilMs > clock.now()) watched.isHeldBy('', untilMs);
    else watched.fail('busy');
  }

  /** Another worker has the host, or may have it. A host with a watcher counts as held until it can be asked. */
  #leaveToOthers(watched: WatchedHost, forMs: number): void {
    const { clock } = this.#setup;
    if (watched.record.readAtMs > 0) watched.isHeldBy(OTHER_WORKER, clock.now() + forMs);
    else watched.fail('busy');
  }

  async #readAt(
    watched: WatchedHost,
    session: HostSession,
    url: string,
    isProbe: boolean,
    purpose: Purpose,
  ): Promise<number[]> {
    const { store, clock } = this.#setup;
    const { record, lease } = watched;
    const site = record.host;
    const ask = asking(watched, session);
    const markOf = (id: number) => watched.markOf(id);
    const applier = new ReportApplier(this.#setup, record.hostId, site, markOf, purpose === 'refresh');
    watched.url = url;
    const isAgain = watched.report !== null;
    // Reading needs no lease, neither the second time nor after a wait without success.
    const isTaking = !isAgain && watched.wait?.isOver !== true;
    const parameters = isTaking ? await lease.takeParameters(WANTED_SECONDS[purpose], clock.now()) : {};
    const beganMs = clock.now();
    const othersWait = await doOthersWait(store, record.hostId);
    const isLate = (entries: number) => clock.now() - beganMs > longestReadingMs(entries, othersWait);
    const question = { url, site, since: watched.cursor, with: parameters, isLate };
    const reading = await readReport(ask, question, (entries) => applier.take(entries));
    const askedAtMs = clock.now();
    // Stored whatever happens to the host: a lease that is not stored would lock ourselves out.
    if (reading.kind === 'failed' && reading.lease !== null) await lease.took(reading.lease);
    if (reading.kind === 'failed' && !(await session.isOurs())) return [];
    if (reading.kind === 'failed' && reading.fault === 'bad-key' && this.#setup.proofs?.wasRefused(site)) {
      const message = `the watcher of ${safeText(site)}: ${REPORT_FAULTS['bad-key']}; continuing as an unknown crawler`;
      publish('crawl/warning', { message });
      return this.#readAt(watched, session, url, isProbe, purpose);
    }
    if (reading.kind === 'failed') {
      // We have no key for this site, so it wants a password that we do not have.
      const fault = reading.fault === 'bad-key' ? 'absent' : reading.fault;
      watched.fail(fault);
      await lease.release(ask, url);
      if (!PASSING.has(fault)) await store.noteWatcher(record.hostId, { askedAtMs }, askedAtMs);
      if (!isProbe || !NO_NEWS.has(fault)) this.#warn(watched);
      return [];
    }
    if (reading.kind === 'held' && 'token' in parameters) {
      // The token is from a killed run, and the watcher no longer knows it.
      await lease.forget();
      return this.#readAt(watched, session, url, isProbe, purpose);
    }
    if (reading.kind === 'held' && !isTaking) {
      watched.fail('refused');
      this.#warn(watched);
      return [];
    }
    if (reading.kind === 'held') {
      const holdsUntilMs = reading.retryAfterMs === null ? 0 : askedAtMs + reading.retryAfterMs;
      if (await this.#waits.isWaiting(watched, session, reading.holder, holdsUntilMs)) return [];
      return this.#readAt(watched, session, url, isProbe, purpose);
    }
    const ours = !isTaking || (await lease.isOurs(ask, url, site, reading.head.lease, clock));
    if (ours !== true && (await this.#waits.isWaiting(watched, session, ours.holder, ours.untilMs))) return [];
    if (isTaking && ours === true && reading.head.lease.by !== 'none') await this.#waits.leaseGiven(watched);
    if (purpose === 'crawl') {
      watched.listing = { applier, isWhole: reading.isListing, cursor: reading.head.cursor };
      await applier.write({ url, askedAtMs, readAtMs: askedAtMs });
      return [];
    }
    if (reading.isListing) await applier.markUnnamed();
    // Nobody reports the changes in the gap, and a budget may postpone the visits. So all
    // these pages are marked as unseen.
    const gap = reading.hasGap ? { unseenBeforeMs: askedAtMs } : {};
    await applier.write({ url, cursor: reading.head.cursor, askedAtMs, readAtMs: askedAtMs, ...gap });
    if (record.cursor === null) await this.#setup.role.hostIsCovered();
    // The host was lost before the write, so these changes are not in the store. They are
    // requested again from the old cursor.
    if (!(await session.isOurs())) return [];
    watched.firstReadAtMs ||= askedAtMs;
    return watched.applyReport(reading, applier, marksOf(store, record.hostId));
  }

  /** Reads the changes since the last reading; null if that fails. The lease stays as it is. */
  async readAgain(watched: WatchedHost): Promise<{ report: WholeReport; visits: number[] } | null> {
    const before = watched.report;
    const stance = watched.stance;
    const visits = await this.read(watched, 'refresh');
    const report = watched.report;
    // The first report stays valid, whatever happened to the second.
    watched.stance = stance;
    watched.fault = null;
    return report === null || report === before ? null : { report, visits };
  }

  /**
   * Releases the leases, HOSTS_AT_ONCE at a time. A host that another worker has is retried
   * for a while, unless `isHurried`.
   */
  async releaseAll(hosts: readonly WatchedHost[], isHurried: boolean): Promise<void> {
    this.#waits.clear();
    const untilMs = isHurried ? 0 : this.#setup.clock.now() + RELEASE_WITHIN_MS;
    await this.#someAtATime(hosts, (watched) => this.release(watched, untilMs));
  }

  /** If the host is blocked, or another worker has it after that time, the lease expires by itself. */
  async release(watched: WatchedHost, untilMs = 0): Promise<void> {
    if (!(await watched.lease.isTaken())) return;
    const { record } = watched;
    const session = await this.#openToRelease(record.hostId, untilMs);
    if (typeof session === 'string') return;
    try {
      const url = watched.url || (statedPlace(record, session) ?? record.host + WELL_KNOWN);
      await watched.lease.release(asking(watched, session), url);
    } finally {
      await session.close();
    }
  }

  async #openToRelease(hostId: number, untilMs: number): Promise<HostSession | string> {
    const { clock, leaving } = this.#setup;
    for (;;) {
      const session = await HostSession.open(hostId, this.#setup, leaving.signal);
      if (session !== 'another-worker' || clock.now() >= untilMs || leaving.signal.aborted) return session;
      await sleep(clock, HOST_HELD_MS, leaving.signal);
    }
  }

  async #someAtATime<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
    const queue = [...all];
    const next = async (): Promise<void> => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(one);
    };
    await Promise.all(Array.from({ length: Math.min(HOSTS_AT_ONCE, all.length) }, next));
  }

  #warn({ record, fault }: WatchedHost): void {
    if (this.#warned.has(record.host)) return;
    this.#warned.add(record.host);
    const why = `${REPORT_FAULTS[fault!]}; its pages are visited by the ordinary schedule`;
    publish('crawl/warning', { message: `the report of the watcher of ${safeText(record.host)} is not used: ${why}` });
  }
}

/** The place of the report from robots.txt, or else from a page; null if neither states it. */
function statedPlace({ host, url }: WatcherRecord, session: HostSession): string | null {
  return placeOn(host, session.report) ?? (url !== '' && isOn(host, url) ? url : null);
}

/** Ends early when the signal aborts. */
export async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const cancel = clock.after(ms, () => resolve(null));
  signal.addEventListener('abort', resolve);
  await promise;
  cancel();
  signal.removeEventListener('abort', resolve);
}

/** Sends requests and counts them. */
function asking(watched: WatchedHost, session: HostSession): Ask {
  return async (url) => {
    const answer = await session.ask(url);
    if (typeof answer !== 'string') watched.questions++;
    return answer;
  };
}
