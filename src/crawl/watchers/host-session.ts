/**
 * The controller's own connection to a host, for requests that come before the work of the units: the report of a
 * watcher. The host is leased in the store while the session is open, and every request passes the gate of the host,
 * robots.txt first. So one place decides when a host may be asked, here as in a unit. When the session closes, the new
 * manners, robots.txt and sitemaps are in the store. In a cluster the session ends when another worker may have the
 * host, and the new facts are stored only if no other worker has it.
 */
import type { Clock } from '../../core/clock.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import type { Reason } from '../../core/reasons.ts';
import type { Fetcher } from '../../fetch/fetcher.ts';
import { type FetchOutcome, refusedOutcome } from '../../fetch/outcome.ts';
import { HostGate, LeaseExpiredError } from '../../frontier/host-gate.ts';
import type { FoundUrl, HostLease, RobotsCopy } from '../../store/contract.ts';
import type { LinkJudge } from '../links/link-judge.ts';
import { productToken } from '../unit/fetch-setup.ts';
import { answerOf, gateRules } from '../unit/host-rules.ts';
import { isFresh, passGate, privateRuling, type RobotsRuling, readRobots, rulingFrom } from '../unit/robots-keeper.ts';
import { type HoldSetup, HostHold } from './host-hold.ts';
import type { ReportFault } from './report.ts';
import type { ReportProofs } from './report-proofs.ts';

/** A host that is blocked for longer than this is not waited for. Its crawl delay is waited for, up to a minute. */
const WORTH_WAITING_MS = 5_000;
const MAX_WAIT_MS = 60_000;
const SLICE_MS = 1_000;

/** The setup that all lines of a run share. */
export interface HostSessionSetup extends HoldSetup {
  readonly options: CrawlOptions;
  readonly fetcher: Pick<Fetcher, 'fetch' | 'abort' | 'closeHost' | 'close'>;
  readonly judge: LinkJudge;
  /** Gives a found URL its rank. */
  readonly rank: (found: FoundUrl) => void;
  readonly learned: (ids: readonly number[]) => void;
  /** Keys that identify us to watchers; null if the user gave none. */
  readonly proofs: ReportProofs | null;
  /** Aborted when no more reports are to be read. A lease may still be released. */
  readonly reading: AbortController;
  /** Aborted when no more requests of any kind are to be sent. */
  readonly leaving: AbortController;
}

export class HostSession {
  readonly #setup: HostSessionSetup;
  readonly #hold: HostHold;
  readonly #lease: HostLease;
  readonly #gate: HostGate;
  /** Aborts the requests of this session. */
  readonly #end: AbortSignal;
  #robots: RobotsRuling | null = null;
  #robotsNews: RobotsCopy | null = null;
  /** Why the last request made all URLs of the host wait; undefined if no request has ended. */
  #trouble: Reason | null | undefined = undefined;

  private constructor(setup: HostSessionSetup, hold: HostHold, lease: HostLease, end: AbortSignal) {
    this.#setup = setup;
    this.#hold = hold;
    this.#end = AbortSignal.any([end, hold.lost]);
    this.#lease = lease;
    this.#gate = new HostGate(gateRules(lease.host, setup.options, 1), lease.manners, setup.clock, hold);
    hold.lost.addEventListener('abort', () => {
      this.#gate.shut();
      setup.fetcher.abort(lease.host);
    });
  }

  /**
   * Returns no session if another worker has the host, or if the host is to be left alone.
   * `end` aborts requests on the session.
   */
  static async open(
    hostId: number,
    setup: HostSessionSetup,
    end: AbortSignal,
  ): Promise<HostSession | 'another-worker' | 'left-alone'> {
    const held = await HostHold.take(hostId, setup);
    if (held === null) return 'another-worker';
    const session = new HostSession(setup, held.hold, held.lease, end);
    if (await session.#isOpen()) return session;
    const isOurs = await session.isOurs();
    await session.close();
    return isOurs ? 'left-alone' : 'another-worker';
  }

  /** Whether the host is still ours. Waits until the lost hosts are known. */
  isOurs(): Promise<boolean> {
    return this.#hold.isOurs();
  }

  async #isOpen(): Promise<boolean> {
    if (!this.#mayWait()) return false;
    if (this.#setup.options.ignoreRobots) return true;
    await this.#readRobots();
    return this.#robots!.closedUntilMs <= this.#setup.clock.now();
  }

  #mayWait(): boolean {
    // The crawl delay of robots.txt is known from the last run, before robots.txt is read.
    const delayMs = Math.max(this.#gate.delayMs, this.#lease.manners.delayMs ?? 0);
    const longestMs = Math.min(Math.max(WORTH_WAITING_MS, delayMs), MAX_WAIT_MS);
    return this.#waitMs <= longestMs;
  }

  async #readRobots(): Promise<void> {
    const { clock, options } = this.#setup;
    const { robots, host } = this.#lease;
    let copy = robots !== null && isFresh(robots, clock.now()) ? robots : null;
    let retryMs: number | null = null;
    if (copy === null) {
      const read = await readRobots(host, robots, (url) => this.#request(url, false), clock);
      // An aborted request says nothing about the host.
      if (read === 'private-address' || this.#end.aborted) {
        this.#robots = privateRuling(clock.now());
        return;
      }
      ({ copy, retryMs } = read);
      this.#robotsNews = copy;
      this.#trouble = read.trouble;
    }
    this.#robots = rulingFrom(copy, productToken(options.userAgent), retryMs);
    this.#gate.honour(this.#robots.crawlDelayMs);
    if (this.#robots.closedUntilMs > clock.now()) this.#gate.block(this.#robots.closedUntilMs);
  }

  /** The place of the report as robots.txt states it; '' if it states none. */
  get report(): string {
    return this.#robots?.report ?? '';
  }

  async ask(url: string): Promise<FetchOutcome | ReportFault> {
    if (this.#robots?.refuses(url)) return 'forbidden';
    if (!this.#mayWait() || this.#end.aborted) return 'busy';
    return this.#request(url, true);
  }

  async #request(url: string, isReport: boolean): Promise<FetchOutcome> {
    const { clock, fetcher } = this.#setup;
    // A run that ends does not wait for a host with a long delay.
    for (let waitMs = this.#waitMs; waitMs > SLICE_MS; waitMs = this.#waitMs) {
      if (this.#end.aborted) return refusedOutcome(url, clock.now(), 'connection-reset');
      await new Promise<void>((resolve) => clock.after(SLICE_MS, resolve));
    }
    try {
      await passGate(this.#gate, clock);
    } catch (error) {
      if (!(error instanceof LeaseExpiredError)) throw error;
      return refusedOutcome(url, clock.now(), 'connection-reset');
    }
    const proof = isReport ? (this.#setup.proofs?.headersFor(url, clock.now()) ?? {}) : {};
    const outcome = await Promise.race([fetcher.fetch(url, proof), brokenOff(url, this.#end, clock)]);
    // The host is released as soon as this ends, so no request to it may start or continue.
    if (this.#end.aborted) fetcher.abort(this.#lease.host);
    const answer = answerOf(outcome, this.#gate, clock.now());
    // A 503 or 429 for the report concerns the watcher only; the site may still be asked, and refuses itself if it
    // wants to. robots.txt speaks for the site. An aborted request says nothing.
    const isOwnWord = (isReport && (outcome.status === 503 || outcome.status === 429)) || this.#end.aborted;
    this.#gate.end(isOwnWord ? { ...answer, strained: false, blockUntilMs: 0 } : answer);
    if (!isOwnWord) this.#trouble = answer.blockUntilMs > 0 ? outcome.reason : null;
    return outcome;
  }

  get #waitMs(): number {
    return this.#gate.nextAtMs() - this.#setup.clock.now();
  }

  /** Another crawler holds the lease of the watcher: no unit asks the host before that time. */
  leaveAlone(untilMs: number): void {
    this.#gate.block(untilMs);
  }

  async close(): Promise<void> {
    const { store, role, clock, options, judge, rank, fetcher, reading } = this.#setup;
    const { hostId, host } = this.#lease;
    const robots = this.#robotsNews;
    // A unit that finds robots.txt already read does not report its sitemaps, so they are reported here.
    const found = robots === null ? [] : judge.sitemapsOf(this.#robots!, host);
    for (const sitemap of found) rank(sitemap);
    await role.mayCommit();
    const { owner } = role;
    const nowMs = clock.now();
    const trouble = this.#trouble;
    const update = {
      ...{ hostId, manners: this.#gate.manners },
      ...(robots === null ? {} : { robots }),
      ...(trouble === undefined ? {} : { trouble }),
    };
    const nothing = { results: [], archive: new Map<string, number>(), ranks: [] };
    const { patternBudget } = options;
    await store.commit({ owner, nowMs, ...nothing, hosts: [update], found, patternBudget });
    await this.#hold.giveBack();
    // `closeHost` waits for requests in progress, and a run that ends must not wait.
    if (!reading.signal.aborted) fetcher.closeHost(host);
  }
}

/** Resolves at the signal, so that the answer is no longer awaited. */
function brokenOff(url: string, signal: AbortSignal, clock: Clock): Promise<FetchOutcome> {
  const refused = (): FetchOutcome => refusedOutcome(url, clock.now(), 'connection-reset');
  if (signal.aborted) return Promise.resolve(refused());
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(refused()), { once: true }));
}
