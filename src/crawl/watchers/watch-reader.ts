/**
 * What the reports of hosts say. In: hosts that may have a watcher (worth-asking.ts). Out: the hosts that
 * have one, each with its report read, taken and leased, or with why not.
 */
import { publish } from '../../core/events.ts';
import { safeText } from '../../core/safe-text.ts';
import type { HostRecord, WatcherRecord } from '../../store/contract.ts';
import { HostLine, type LineSetup } from './host-line.ts';
import { forgetVainWait, LeaseWait, noteVainWait } from './lease-wait.ts';
import { marksOf } from './led-pages.ts';
import { type Ask, readReport, type WholeReport } from './read-report.ts';
import { doOthersWait, longestReadingMs } from './reading-time.ts';
import { REPORT_FAULTS, type ReportFault } from './report.ts';
import { isOn, placeOn, WELL_KNOWN } from './report-place.ts';
import { ReportTaker } from './report-taker.ts';
import { WatchedHost } from './watched-host.ts';
import { WANTED_SECONDS, WatcherLease } from './watcher-lease.ts';

const HOSTS_AT_ONCE = 16;
/** A host that another worker has is tried again after so long; to give a lease back for no longer than that, all hosts together. */
const HOST_HELD_MS = 2_000;
const RELEASE_WITHIN_MS = 6_000;
const OTHER_WORKER = 'another worker of this crawl';
/** What the server of a site without a watcher may say, which is nothing to tell. */
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

/** Not ready yet, or not there today: worth asking the next time. */
const PASSING: ReadonlySet<ReportFault> = new Set<ReportFault>(['busy', 'unreachable']);

/** Of a refresh: what changed is owed a look. Of a crawl: what is new waits, and the cursor is for its end. */
export type Purpose = 'refresh' | 'crawl';

export class WatchReader {
  readonly #setup: LineSetup;
  /** Hosts whose trouble was told. */
  readonly #warned = new Set<string>();
  /** Hosts of which it was told that they are crawled without the lease. */
  readonly #without = new Set<string>();
  /** By host: the wait for a lease that somebody else holds, in this round. */
  readonly #waits = new Map<number, LeaseWait>();

  constructor(setup: LineSetup) {
    this.#setup = setup;
  }

  /** Asks these hosts, some at a time. */
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
    const { store, standing } = this.#setup;
    const lease = new WatcherLease(store, standing, record.host);
    const watched = new WatchedHost(record, host.fetched, lease, this.#waits.get(record.hostId) ?? null);
    await watched.recall(marksOf(store, record.hostId));
    await this.read(watched, purpose);
    if (watched.fault === null || record.readAtMs > 0) return watched;
    await this.release(watched);
    return null;
  }

  /** Reads the report from where it was read to, and takes the lease. Returns what is to be looked at. */
  async read(watched: WatchedHost, purpose: Purpose): Promise<number[]> {
    const { record } = watched;
    // The lease of the first reading holds for the second.
    if (watched.report === null && (await watched.lease.isAnothers(this.#setup.clock.now()))) {
      this.#leaveToOthers(watched, this.#setup.standing.leaseMs);
      return [];
    }
    const line = await HostLine.open(record.hostId, this.#setup, this.#setup.reading.signal);
    if (line === 'left-alone') await this.#leaveBlocked(watched);
    if (line === 'another-worker') this.#leaveToOthers(watched, HOST_HELD_MS);
    if (typeof line === 'string') return [];
    try {
      const url = placeToldOf(record, line);
      const looks = await this.#readAt(watched, line, url ?? record.host + WELL_KNOWN, url === null, purpose);
      if (await line.isOurs()) return looks;
      this.#leaveToOthers(watched, HOST_HELD_MS);
      return [];
    } finally {
      await line.close();
    }
  }

  /** A host that is to be left alone is not asked: where it is led by a watcher, it waits for that like one that another has. */
  async #leaveBlocked(watched: WatchedHost): Promise<void> {
    const { store, clock } = this.#setup;
    const { host, readAtMs } = watched.record;
    const untilMs = (await store.host(host))?.manners.blockedUntilMs ?? 0;
    if (readAtMs > 0 && untilMs > clock.now()) watched.isHeldBy('', untilMs);
    else watched.fail('busy');
  }

  /** Another worker has the host, or may have it: who is led by a watcher waits until it can be asked. */
  #leaveToOthers(watched: WatchedHost, forMs: number): void {
    const { clock } = this.#setup;
    if (watched.record.readAtMs > 0) watched.isHeldBy(OTHER_WORKER, clock.now() + forMs);
    else watched.fail('busy');
  }

  async #readAt(
    watched: WatchedHost,
    line: HostLine,
    url: string,
    isProbe: boolean,
    purpose: Purpose,
  ): Promise<number[]> {
    const { store, clock } = this.#setup;
    const { record, lease } = watched;
    const site = record.host;
    const ask = asking(watched, line);
    const markOf = (id: number) => watched.markOf(id);
    const taker = new ReportTaker(this.#setup, record.hostId, site, markOf, purpose === 'refresh');
    watched.url = url;
    const isAgain = watched.report !== null;
    // Reading needs no lease: neither the second time nor after a wait in vain.
    const isTaking = !isAgain && watched.wait?.isOver !== true;
    const wish = isTaking ? await lease.wish(WANTED_SECONDS[purpose], clock.now()) : {};
    const beganMs = clock.now();
    const othersWait = await doOthersWait(store, record.hostId);
    const isLate = (entries: number) => clock.now() - beganMs > longestReadingMs(entries, othersWait);
    const question = { url, site, since: watched.cursor, with: wish, isLate };
    const reading = await readReport(ask, question, (entries) => taker.take(entries));
    const askedAtMs = clock.now();
    // Whatever becomes of the host: a lease that is not noted would keep ourselves out.
    if (reading.kind === 'failed' && reading.lease !== null) await lease.took(reading.lease);
    if (reading.kind === 'failed' && !(await line.isOurs())) return [];
    if (reading.kind === 'failed' && reading.fault === 'bad-key' && this.#setup.proofs?.wasRefused(site)) {
      const message = `the watcher of ${safeText(site)}: ${REPORT_FAULTS['bad-key']}; going on as an unknown crawler`;
      publish('crawl/warning', { message });
      return this.#readAt(watched, line, url, isProbe, purpose);
    }
    if (reading.kind === 'failed') {
      // Without a key of ours, the site wants a password that we do not have.
      const fault = reading.fault === 'bad-key' ? 'absent' : reading.fault;
      watched.fail(fault);
      await lease.release(ask, url);
      if (!PASSING.has(fault)) await store.noteWatcher(record.hostId, { askedAtMs }, askedAtMs);
      if (!isProbe || !NO_NEWS.has(fault)) this.#warn(watched);
      return [];
    }
    if (reading.kind === 'held' && 'token' in wish) {
      // Of a run that was killed: the watcher does not know it any more.
      await lease.forget();
      return this.#readAt(watched, line, url, isProbe, purpose);
    }
    if (reading.kind === 'held' && !isTaking) {
      watched.fail('refused');
      this.#warn(watched);
      return [];
    }
    if (reading.kind === 'held') {
      const holdsUntilMs = reading.retryAfterMs === null ? 0 : askedAtMs + reading.retryAfterMs;
      if (await this.#isWaiting(watched, line, reading.holder, holdsUntilMs)) return [];
      return this.#readAt(watched, line, url, isProbe, purpose);
    }
    const ours = !isTaking || (await lease.isOurs(ask, url, site, reading.head.lease, clock));
    if (ours !== true && (await this.#isWaiting(watched, line, ours.holder, ours.untilMs))) return [];
    if (isTaking && ours === true && reading.head.lease.by !== 'none') await this.#isGiven(watched);
    if (purpose === 'crawl') {
      watched.listing = { taker, isWhole: reading.isListing, cursor: reading.head.cursor };
      await taker.finish({ url, askedAtMs, readAtMs: askedAtMs });
      return [];
    }
    if (reading.isListing) await taker.markUnnamed();
    // What happened in the gap is told by nobody, and a budget may leave it for another time.
    const gap = reading.hasGap ? { unseenBeforeMs: askedAtMs } : {};
    await taker.finish({ url, cursor: reading.head.cursor, askedAtMs, readAtMs: askedAtMs, ...gap });
    if (record.cursor === null) await this.#setup.standing.hostIsLed();
    // What was told late is not in the store: it is asked for again from where it was read to.
    if (!(await line.isOurs())) return [];
    watched.heardAtMs ||= askedAtMs;
    return watched.hear(reading, taker, marksOf(store, record.hostId));
  }

  /** What was told since the last reading; null where it cannot be said. The lease stays as it is. */
  async readAgain(watched: WatchedHost): Promise<{ report: WholeReport; looks: number[] } | null> {
    const before = watched.report;
    const stance = watched.stance;
    const looks = await this.read(watched, 'refresh');
    const report = watched.report;
    // The first report counts on, whatever became of the second.
    watched.stance = stance;
    watched.fault = null;
    return report === null || report === before ? null : { report, looks };
  }

  async #isGiven(watched: WatchedHost): Promise<void> {
    this.#waits.delete(watched.record.hostId);
    this.#without.delete(watched.record.host);
    watched.wait = null;
    watched.hasLease = true;
    await forgetVainWait(this.#setup.store, watched.record.host);
  }

  /**
   * Somebody else holds the lease. Whether the host waits for it, or its time is over and the crawler goes on without
   * it.
   */
  async #isWaiting(watched: WatchedHost, line: HostLine, holder: string, holdsUntilMs: number): Promise<boolean> {
    const { store, clock, options } = this.#setup;
    const { hostId, host } = watched.record;
    const nowMs = clock.now();
    const isFirst = watched.wait === null;
    watched.wait ??= await LeaseWait.begin(store, host, nowMs, options.leaseWait);
    this.#waits.set(hostId, watched.wait);
    watched.wait.refusedBy(holder, holdsUntilMs);
    if (nowMs < watched.wait.endsMs) {
      const askAgainMs = watched.wait.nextMs(nowMs);
      watched.waitsUntil(askAgainMs);
      // Units keep away meanwhile, too.
      line.leaveAlone(askAgainMs);
      if (isFirst) this.#say(watched.wait, host, `waiting for it for at most ${seconds(watched.wait.endsMs - nowMs)}`);
      return true;
    }
    watched.wait.isOver = true;
    if (watched.wait.endsMs > watched.wait.beganMs) await noteVainWait(store, host, nowMs);
    // With --watch once, until the lease was given again.
    if (!this.#without.has(host)) this.#say(watched.wait, host, 'going on without the lease');
    this.#without.add(host);
    return false;
  }

  #say({ holder }: LeaseWait, host: string, what: string): void {
    const name = safeText(host);
    const who =
      holder === ''
        ? `the watcher of ${name} gives nobody the lease for a while`
        : `another crawler, ${safeText(holder)}, holds the lease of ${name}`;
    publish('crawl/warning', { message: `${who}; ${what}` });
  }

  /** Gives the leases back, some at a time. A host that another worker has is tried again for a while, unless it `isHurried`. */
  async releaseAll(hosts: readonly WatchedHost[], isHurried: boolean): Promise<void> {
    this.#waits.clear();
    const untilMs = isHurried ? 0 : this.#setup.clock.now() + RELEASE_WITHIN_MS;
    await this.#someAtATime(hosts, (watched) => this.release(watched, untilMs));
  }

  /** Where the host must be left alone for longer, or is another worker's beyond that time, the lease ends by itself. */
  async release(watched: WatchedHost, untilMs = 0): Promise<void> {
    if (!(await watched.lease.isTaken())) return;
    const { record } = watched;
    const line = await this.#openToRelease(record.hostId, untilMs);
    if (typeof line === 'string') return;
    try {
      const url = watched.url || (placeToldOf(record, line) ?? record.host + WELL_KNOWN);
      await watched.lease.release(asking(watched, line), url);
    } finally {
      await line.close();
    }
  }

  async #openToRelease(hostId: number, untilMs: number): Promise<HostLine | string> {
    const { clock, leaving } = this.#setup;
    for (;;) {
      const line = await HostLine.open(hostId, this.#setup, leaving.signal);
      if (line !== 'another-worker' || clock.now() >= untilMs || leaving.signal.aborted) return line;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const cancel = clock.after(HOST_HELD_MS, () => resolve(null));
      leaving.signal.addEventListener('abort', resolve);
      await promise;
      cancel();
      leaving.signal.removeEventListener('abort', resolve);
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
    const why = `${REPORT_FAULTS[fault!]}; its pages are looked at by the ordinary schedule`;
    publish('crawl/warning', { message: `the report of the watcher of ${safeText(record.host)} is not used: ${why}` });
  }
}

/** Where the report is by robots.txt, or was by what a page said; null where nobody told. */
function placeToldOf({ host, url }: WatcherRecord, line: HostLine): string | null {
  return placeOn(host, line.report) ?? (url !== '' && isOn(host, url) ? url : null);
}

/** Asks, and counts what was asked. */
function asking(watched: WatchedHost, line: HostLine): Ask {
  return async (url) => {
    const answer = await line.ask(url);
    if (typeof answer !== 'string') watched.questions++;
    return answer;
  };
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}
