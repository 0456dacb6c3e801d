/**
 * A host as a unit has it: the gate through which all its requests go, what its robots.txt rules, the URLs that wait, and what the
 * controller has still to be told of it.
 */
import type { HostGate } from '../frontier/host-gate.ts';
import type { LiveHost } from '../frontier/live-hosts.ts';
import type { ClaimedUrl, HostLease, HostUpdate, RobotsCopy } from '../store/contract.ts';
import { type RobotsRuling, rulingFrom } from './robots-keeper.ts';
import { placeInHeaders, placeOn } from './watchers/report-place.ts';

export class UnitHost implements LiveHost<ClaimedUrl> {
  readonly hostId: number;
  readonly host: string;
  readonly gate: HostGate;
  readonly queue: ClaimedUrl[];
  /** While its robots.txt is read. */
  paused = false;
  robots: RobotsRuling | null = null;
  askedForMore = false;
  readonly #asksWatchers: boolean;
  /** robots.txt read since the last report. */
  #robotsNews: RobotsCopy | null = null;
  /** Where it says that the report of its watcher is; null while it does not, '' when that was told. */
  #report: string | null = null;

  constructor({ hostId, host, urls }: HostLease, gate: HostGate, asksWatchers: boolean) {
    this.hostId = hostId;
    this.host = host;
    this.gate = gate;
    this.queue = [...urls];
    this.#asksWatchers = asksWatchers;
  }

  /** robots.txt as it was read just now. */
  hear(copy: RobotsCopy, productToken: string): void {
    this.#robotsNews = copy;
    this.rule(copy, productToken);
  }

  rule(copy: RobotsCopy, productToken: string): void {
    this.robots = rulingFrom(copy, productToken);
    if (this.#asksWatchers) this.#report = placeOn(this.host, this.robots.report) ?? this.#report;
    this.gate.honour(this.robots.crawlDelayMs);
  }

  /** Whether an answer is the first to tell of a watcher. */
  tellsOfWatcher(rawHeaders: readonly string[]): boolean {
    if (this.#report !== null || !this.#asksWatchers) return false;
    this.#report = placeInHeaders(this.host, rawHeaders);
    return this.#report !== null;
  }

  /** All that waits, which goes back. */
  takeWaiting(): number[] {
    this.askedForMore = true;
    return this.queue.splice(0).map(({ id }) => id);
  }

  /** What the controller is to know, which it is told once. */
  takeUpdate(): HostUpdate {
    const [robots, report] = [this.#robotsNews, this.#report];
    this.#robotsNews = null;
    if (report !== null) this.#report = '';
    return {
      hostId: this.hostId,
      manners: this.gate.manners,
      ...(robots ? { robots } : {}),
      ...(report ? { report } : {}),
    };
  }
}
