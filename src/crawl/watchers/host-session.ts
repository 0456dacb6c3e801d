/**
 * The controller's own line to a host, for what has to be asked before there is work for a unit: a watcher's report. The host is leased in the
 * store while it is open and every request passes the host's gate, robots.txt first; so there is one place that decides when
 * a host may be asked, here as in a unit. What was learned (manners, robots.txt, its sitemaps) is in the store when it closes.
 * In a cluster it ends when the host may be another worker's, and what it learned is stored only if it is not.
 */
import type { Clock } from '../../core/clock.ts';
import type { CrawlOptions } from '../../core/options.ts';
import type { Fetcher } from '../../fetch/fetcher.ts';
import { type FetchOutcome, refusedOutcome } from '../../fetch/outcome.ts';
import { HostGate, LeaseLapsed } from '../../frontier/host-gate.ts';
import type { FoundUrl, HostLease, RobotsCopy } from '../../store/contract.ts';
import { productToken } from '../fetch-setup.ts';
import { answerOf, gateRules } from '../host-rules.ts';
import type { LinkJudge } from '../link-judge.ts';
import { isFresh, passGate, privateRuling, type RobotsRuling, readRobots, rulingFrom } from '../robots-keeper.ts';
import { type HoldSetup, HostHold } from './host-hold.ts';
import type { ReportFault } from './report.ts';
import type { ReportProofs } from './report-proofs.ts';

/** A host that is to be left alone for longer is not waited for; its own delay is, up to a minute. */
const WORTH_WAITING_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;
const SLICE_MS = 1_000;

/** What all lines of a run share. */
export interface LineSetup extends HoldSetup {
  readonly options: CrawlOptions;
  readonly fetcher: Fetcher;
  readonly judge: LinkJudge;
  /** Gives a found URL its rank. */
  readonly rank: (found: FoundUrl) => void;
  readonly learned: (ids: readonly number[]) => void;
  /** Keys that watchers know us by; null where the user gave none. */
  readonly proofs: ReportProofs | null;
  /** No report is to be read any more; a lease may still be given back. */
  readonly reading: AbortController;
  /** Nobody is to be asked any more, for anything. */
  readonly leaving: AbortController;
}

export class HostLine {
  readonly #setup: LineSetup;
  readonly #hold: HostHold;
  readonly #lease: HostLease;
  readonly #gate: HostGate;
  /** Ends what is asked. */
  readonly #end: AbortSignal;
  #robots: RobotsRuling | null = null;
  #robotsNews: RobotsCopy | null = null;

  private constructor(setup: LineSetup, hold: HostHold, lease: HostLease, end: AbortSignal) {
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

  /** No line where the host is another worker's, or is to be left alone. What is asked on it is broken off by `end`. */
  static async open(
    hostId: number,
    setup: LineSetup,
    end: AbortSignal,
  ): Promise<HostLine | 'another-worker' | 'left-alone'> {
    const held = await HostHold.take(hostId, setup);
    if (held === null) return 'another-worker';
    const line = new HostLine(setup, held.hold, held.lease, end);
    if (await line.#isOpen()) return line;
    const isOurs = await line.isOurs();
    await line.close();
    return isOurs ? 'left-alone' : 'another-worker';
  }

  /** Whether the host is ours still, when it is known what was lost. */
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
    // That of robots.txt is known from the last time, before it is read.
    const delayMs = Math.max(this.#gate.delayMs, this.#lease.manners.delayMs ?? 0);
    const longestMs = Math.min(Math.max(WORTH_WAITING_MS, delayMs), LONGEST_WAIT_MS);
    return this.#waitMs <= longestMs;
  }

  async #readRobots(): Promise<void> {
    const { clock, options } = this.#setup;
    const { robots, host } = this.#lease;
    let copy = robots !== null && isFresh(robots, clock.now()) ? robots : null;
    if (copy === null) {
      const read = await readRobots(host, (url) => this.#request(url, false), clock);
      // What was broken off says nothing of the host.
      if (read === 'private-address' || this.#end.aborted) {
        this.#robots = privateRuling(clock.now());
        return;
      }
      copy = read;
      this.#robotsNews = copy;
    }
    this.#robots = rulingFrom(copy, productToken(options.userAgent));
    this.#gate.honour(this.#robots.crawlDelayMs);
    if (this.#robots.closedUntilMs > clock.now()) this.#gate.block(this.#robots.closedUntilMs);
  }

  /** What robots.txt says of where the report is; '' for nothing. */
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
    // Who leaves does not wait for a host with a long delay.
    for (let waitMs = this.#waitMs; waitMs > SLICE_MS; waitMs = this.#waitMs) {
      if (this.#end.aborted) return refusedOutcome(url, clock.now(), 'connection-reset');
      await new Promise<void>((resolve) => clock.after(SLICE_MS, resolve));
    }
    try {
      await passGate(this.#gate, clock);
    } catch (error) {
      if (!(error instanceof LeaseLapsed)) throw error;
      return refusedOutcome(url, clock.now(), 'connection-reset');
    }
    const proof = isReport ? (this.#setup.proofs?.headersFor(url, clock.now()) ?? {}) : {};
    const outcome = await Promise.race([fetcher.fetch(url, proof), brokenOff(url, this.#end, clock)]);
    // The host goes back as soon as this ends: nothing is sent there any more, nor still under way.
    if (this.#end.aborted) fetcher.abort(this.#lease.host);
    const answer = answerOf(outcome, clock.now());
    // A watcher that is not ready, or has too many visitors, speaks for itself; the site may be asked all the same, and
    // says so itself if
    // not. robots.txt speaks for the site. What was broken off says nothing.
    const isOwnWord = (isReport && (outcome.status === 503 || outcome.status === 429)) || this.#end.aborted;
    this.#gate.end(isOwnWord ? { ...answer, strained: false, blockUntilMs: 0 } : answer);
    return outcome;
  }

  get #waitMs(): number {
    return this.#gate.nextAtMs() - this.#setup.clock.now();
  }

  /** Somebody else holds the lease of its watcher: no unit asks the host before that time. */
  leaveAlone(untilMs: number): void {
    this.#gate.block(untilMs);
  }

  async close(): Promise<void> {
    const { store, standing, clock, options, judge, rank, fetcher, reading } = this.#setup;
    const { hostId, host } = this.#lease;
    const robots = this.#robotsNews;
    // A unit that finds robots.txt read already does not tell of its sitemaps.
    const found = robots === null ? [] : this.#robots!.sitemaps.flatMap((text) => judge.sitemapOf(text, host) ?? []);
    for (const sitemap of found) rank(sitemap);
    await standing.mayCommit();
    const { owner } = standing;
    const nowMs = clock.now();
    const update = { hostId, manners: this.#gate.manners, ...(robots === null ? {} : { robots }) };
    const nothing = { results: [], archive: new Map<string, number>(), ranks: [] };
    const { patternBudget } = options;
    await store.commit({ owner, nowMs, ...nothing, hosts: [update], found, patternBudget });
    await this.#hold.giveBack();
    // It waits for what is under way, which nobody does who leaves.
    if (!reading.signal.aborted) fetcher.closeHost(host);
  }
}

/** Resolves at the signal: an answer is not waited for then. */
function brokenOff(url: string, signal: AbortSignal, clock: Clock): Promise<FetchOutcome> {
  const refused = (): FetchOutcome => refusedOutcome(url, clock.now(), 'connection-reset');
  if (signal.aborted) return Promise.resolve(refused());
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(refused()), { once: true }));
}
