/**
 * A host in a unit: the gate for all its requests, the ruling of its robots.txt,
 * its waiting URLs, and its news for the controller.
 */
import { NoiseEvidence } from '../../change/evidence/noise-evidence.ts';
import { Template } from '../../content/template/template.ts';
import type { Reason } from '../../core/reasons.ts';
import type { HostGate } from '../../frontier/host-gate.ts';
import type { LiveHost } from '../../frontier/live-hosts.ts';
import type { ClaimedUrl, HostLease, HostUpdate, NotFoundAnswer, RobotsCopy } from '../../store/contract.ts';
import type { ProbedHost } from './not-found/not-found-judge.ts';
import { placeInHeaders, placeOn } from './report-url.ts';
import { type RobotsRead, type RobotsRuling, rulingFrom } from './robots-keeper.ts';

export class UnitHost implements LiveHost<ClaimedUrl>, ProbedHost {
  readonly hostId: number;
  readonly host: string;
  readonly gate: HostGate;
  readonly queue: ClaimedUrl[];
  /** True while robots.txt is being read. */
  paused = false;
  robots: RobotsRuling | null = null;
  askedForMore = false;
  readonly template: Template;
  readonly noise: NoiseEvidence | null;
  notFound: NotFoundAnswer | null;
  readonly answersSeen = new Set<string>();
  readonly #asksWatchers: boolean;
  /** The robots.txt that was read since the last report. */
  #robotsNews: RobotsCopy | null = null;
  /** The trouble of the last request since the last report; undefined if no request has ended since. */
  #trouble: Reason | null | undefined = undefined;
  #hasNotFoundNews = false;
  /** The URL of the watcher report. Null until the host names one, '' after the controller was told. */
  #report: string | null = null;

  constructor(
    { hostId, host, urls, notFound, template, noise }: HostLease,
    gate: HostGate,
    { asksWatchers, learnsNoise }: { readonly asksWatchers: boolean; readonly learnsNoise: boolean },
  ) {
    this.hostId = hostId;
    this.host = host;
    this.gate = gate;
    this.queue = [...urls];
    this.template = template ? Template.decode(template) : new Template();
    this.noise = learnsNoise ? new NoiseEvidence(noise) : null;
    this.notFound = notFound ?? null;
    this.#asksWatchers = asksWatchers;
  }

  /** Takes a robots.txt that was read just now. */
  setRobots({ copy, trouble, retryMs }: RobotsRead, productToken: string): void {
    this.#robotsNews = copy;
    this.#trouble = trouble;
    this.rule(copy, productToken, retryMs);
  }

  rule(copy: RobotsCopy, productToken: string, retryMs: number | null = null): void {
    this.robots = rulingFrom(copy, productToken, retryMs);
    if (this.#asksWatchers) this.#report = placeOn(this.host, this.robots.report) ?? this.#report;
    this.gate.honour(this.robots.crawlDelayMs);
  }

  /** A request has ended. `trouble` says why all URLs of the host have to wait now; null if they have not. */
  requestEnded(trouble: Reason | null): void {
    this.#trouble = trouble;
  }

  /** Another unit has asked the host. */
  learnNotFound(answer: NotFoundAnswer): void {
    this.notFound = answer;
  }

  /** The host was asked for a path that does not exist. */
  setNotFound(answer: NotFoundAnswer): void {
    this.notFound = answer;
    this.#hasNotFoundNews = true;
  }

  /** Whether this response is the first one that names a watcher report. */
  reportsWatcher(rawHeaders: readonly string[]): boolean {
    if (this.#report !== null || !this.#asksWatchers) return false;
    this.#report = placeInHeaders(this.host, rawHeaders);
    return this.#report !== null;
  }

  /** Removes and returns all waiting URLs. */
  takeWaiting(): number[] {
    this.askedForMore = true;
    return this.queue.splice(0).map(({ id }) => id);
  }

  /** The news for the controller. Each item is reported once. */
  takeUpdate(): HostUpdate {
    const [robots, report, trouble] = [this.#robotsNews, this.#report, this.#trouble];
    this.#robotsNews = null;
    this.#trouble = undefined;
    if (report !== null) this.#report = '';
    const isIdle = this.queue.length === 0 && this.gate.underWay === 0;
    const template = this.template.takeNews(isIdle);
    const noise = this.noise?.takeNews(isIdle);
    const notFound = this.#hasNotFoundNews ? this.notFound : null;
    this.#hasNotFoundNews = false;
    return {
      hostId: this.hostId,
      manners: this.gate.manners,
      ...(robots ? { robots } : {}),
      ...(trouble === undefined ? {} : { trouble }),
      ...(report ? { report } : {}),
      ...(template ? { template } : {}),
      ...(noise ? { noise } : {}),
      ...(notFound ? { notFound } : {}),
    };
  }
}
