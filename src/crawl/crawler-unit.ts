/**
 * A crawler unit: fetches, parses, judges and archives the URLs of the hosts it was given (decision 4). It does nothing
 * while it has nothing to do and is woken by a message, a response or a host's time (W11).
 *
 * What always holds: requests under way plus results not yet committed never exceed the unit's window, so a crash loses at
 * most that many fetches. A result is reported after its bytes are in the archive, never before.
 */
import type { ArchiveWriter } from '../archive/warc-writer.ts';
import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { FetchOutcome } from '../fetch/outcome.ts';
import { HostGate } from '../frontier/host-gate.ts';
import { type LiveHost, LiveHosts } from '../frontier/live-hosts.ts';
import type { ClaimedUrl, FoundUrl, HostLease, HostUpdate, RobotsCopy, UrlResult } from '../store/contract.ts';
import { answerOf, gateRules } from './host-rules.ts';
import type { FromUnit, ToUnit, UnitReport, UnitSetup } from './messages.ts';
import { crawlUrl, type Stages } from './pipeline.ts';
import { isFresh, passGate, type RobotsRuling, readRobots, rulingFrom } from './robots-keeper.ts';
import { unfinished } from './unfinished.ts';

interface UnitHost extends LiveHost<ClaimedUrl> {
  gate: HostGate;
  robots: RobotsRuling | null;
  /** robots.txt read since the last report. */
  robotsNews: RobotsCopy | null;
  askedForMore: boolean;
}

/** A host blocked for longer than this gives its URLs back. */
const WORTH_WAITING_MS = 5_000;
const REPORT_RESULTS = 24;
const REPORT_WITHIN_MS = 8;

export class CrawlerUnit {
  readonly #setup: UnitSetup;
  readonly #stages: Stages;
  readonly #fetcher: Fetcher;
  readonly #archive: ArchiveWriter;
  readonly #clock: Clock;
  readonly #post: (message: FromUnit) => void;
  readonly #hosts = new LiveHosts<ClaimedUrl, UnitHost>();
  readonly #touched = new Set<number>();
  readonly #hungry = new Set<number>();
  #results: UrlResult[] = [];
  #found: FoundUrl[] = [];
  #returned: { hostId: number; ids: number[] }[] = [];
  #outstanding = 0;
  #reporting = false;
  #cancelReport: () => void = () => {};
  #draining = false;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #cancelWake: () => void = () => {};

  constructor(setup: UnitSetup, stages: Stages, fetcher: Fetcher, clock: Clock, post: (message: FromUnit) => void) {
    this.#setup = setup;
    this.#stages = stages;
    this.#fetcher = fetcher;
    this.#archive = stages.archive;
    this.#clock = clock;
    this.#post = post;
  }

  receive(message: ToUnit): void {
    switch (message.type) {
      case 'start':
        break;
      case 'lease':
        this.#takeHost(message.lease, message.parallel);
        break;
      case 'more':
        this.#takeMore(message.hostId, message.urls);
        break;
      case 'block':
        this.#hosts.get(message.hostId)?.gate.block(message.untilMs);
        break;
      case 'drop':
        this.#dropHost(message.hostId);
        break;
      case 'receipt':
        this.#outstanding -= message.links.length;
        message.links.forEach((urls, i) => {
          const ids = message.linkIds[i]!;
          urls.forEach((url, j) => {
            if (url !== '') this.#stages.links.known.set(url, ids[j]!);
          });
        });
        break;
      case 'sync':
        this.#archive.sync().then(
          () => this.#post({ type: 'synced' }),
          (error: OrbweaverError) => this.#fatal(error),
        );
        break;
      case 'drain':
        this.#draining = true;
        break;
    }
    this.#pump();
  }

  #takeHost(lease: HostLease, parallel: number): void {
    const { options } = this.#setup;
    const gate = new HostGate(gateRules(lease.host, options, parallel), lease.manners, this.#clock);
    const host: UnitHost = {
      hostId: lease.hostId,
      host: lease.host,
      gate,
      queue: [...lease.urls],
      paused: false,
      robots: null,
      robotsNews: null,
      askedForMore: false,
    };
    this.#hosts.add(host);
    if (options.ignoreRobots) return;
    if (lease.robots !== null && isFresh(lease.robots, this.#clock.now())) this.#rule(host, lease.robots);
    else void this.#askForRobots(host);
  }

  async #askForRobots(host: UnitHost): Promise<void> {
    host.paused = true;
    const ask = async (url: string): Promise<FetchOutcome> => {
      await passGate(host.gate, this.#clock);
      return this.#fetchThrough(host, url);
    };
    const copy = await readRobots(host.host, ask, this.#clock);
    host.robotsNews = copy;
    this.#touched.add(host.hostId);
    this.#rule(host, copy);
    for (const sitemap of host.robots?.sitemaps ?? []) {
      const found = this.#stages.links.sitemapOf(sitemap, host.host);
      if (found !== null) this.#found.push(found);
    }
    host.paused = false;
    this.#scheduleReport();
    this.#pump();
  }

  #rule(host: UnitHost, copy: RobotsCopy): void {
    host.robots = rulingFrom(copy, this.#stages.productToken);
    host.gate.honour(host.robots.crawlDelayMs);
    if (host.robots.closedUntilMs > this.#clock.now()) {
      host.gate.block(host.robots.closedUntilMs);
      this.#giveBack(host);
    }
  }

  #takeMore(hostId: number, urls: readonly ClaimedUrl[]): void {
    const host = this.#hosts.get(hostId);
    if (!host) return;
    host.queue.push(...urls);
    host.askedForMore = false;
  }

  #dropHost(hostId: number): void {
    const host = this.#hosts.get(hostId);
    if (!host) return;
    this.#hosts.remove(hostId);
    this.#hungry.delete(hostId);
    this.#fetcher.closeHost(host.host);
  }

  /** Starts what may be started now, and sleeps until the next host may be asked. */
  #pump(): void {
    const nowMs = this.#clock.now();
    while (!this.#draining && this.#outstanding < this.#setup.window) {
      const host = this.#hosts.next(nowMs);
      if (typeof host === 'number') {
        this.#wakeAt(host, nowMs);
        break;
      }
      this.#outstanding++;
      void this.#crawl(host, host.queue.shift()!);
    }
    this.#noticeHunger();
    if (this.#draining) this.#finishDraining();
  }

  async #crawl(host: UnitHost, task: ClaimedUrl): Promise<void> {
    // Everything up to the request runs before this function first waits, so the gate is passed in the same instant in
    // which it was found open.
    const fetch = (url: string): Promise<FetchOutcome> => {
      host.gate.begin();
      return this.#fetchThrough(host, url);
    };
    let result: UrlResult;
    try {
      result = await crawlUrl(task, host.hostId, host.robots, fetch, this.#stages);
    } catch (error) {
      if (error instanceof OrbweaverError) return this.#fatal(error);
      this.#post({ type: 'fault', url: task.url, detail: (error as Error).stack ?? String(error) });
      result = {
        ...unfinished(task.id, host.hostId),
        state: 'failed',
        reason: 'internal-error',
        failures: task.failures + 1,
      };
    }
    this.#results.push(result);
    this.#touched.add(host.hostId);
    this.#scheduleReport();
    this.#pump();
  }

  async #fetchThrough(host: UnitHost, url: string): Promise<FetchOutcome> {
    const outcome = await this.#fetcher.fetch(url);
    const answer = answerOf(outcome, this.#clock.now());
    host.gate.end(answer);
    if (answer.blockUntilMs > this.#clock.now() + WORTH_WAITING_MS) this.#giveBack(host);
    return outcome;
  }

  /** The URLs of a host that must be left alone go back to the store, where they wait without taking up a place here. */
  #giveBack(host: UnitHost): void {
    const ids = host.queue.splice(0).map(({ id }) => id);
    host.askedForMore = true;
    this.#returned.push({ hostId: host.hostId, ids });
    this.#touched.add(host.hostId);
    this.#scheduleReport();
  }

  #noticeHunger(): void {
    if (this.#draining) return;
    for (const host of this.#hosts) {
      if (host.askedForMore || host.paused || host.queue.length > this.#setup.window / 2) continue;
      host.askedForMore = true;
      this.#hungry.add(host.hostId);
    }
    if (this.#hungry.size > 0) this.#scheduleReport();
  }

  /** A crossing of threads and a commit cost the same for one result as for several, so a few are gathered first. */
  #scheduleReport(): void {
    if (this.#results.length >= Math.min(REPORT_RESULTS, this.#setup.window / 4)) {
      this.#report();
    } else if (!this.#reporting) {
      this.#reporting = true;
      this.#cancelReport = this.#clock.after(REPORT_WITHIN_MS, () => this.#report());
    }
  }

  #report(): void {
    this.#cancelReport();
    this.#reporting = false;
    try {
      this.#archive.flush();
    } catch (error) {
      this.#fatal(error as OrbweaverError);
      return;
    }
    const report: UnitReport = {
      type: 'report',
      results: this.#results,
      hosts: this.#hostUpdates(),
      archive: new Map(this.#archive.lengths),
      found: this.#found,
      returned: this.#returned,
      hungry: [...this.#hungry],
    };
    this.#results = [];
    this.#found = [];
    this.#returned = [];
    this.#hungry.clear();
    this.#post(report);
    if (this.#draining) this.#finishDraining();
  }

  #hostUpdates(): HostUpdate[] {
    const updates: HostUpdate[] = [];
    for (const hostId of this.#touched) {
      const host = this.#hosts.get(hostId);
      if (!host) continue;
      const robots = host.robotsNews;
      host.robotsNews = null;
      updates.push({ hostId, manners: host.gate.manners, ...(robots ? { robots } : {}) });
    }
    this.#touched.clear();
    return updates;
  }

  #wakeAt(atMs: number, nowMs: number): void {
    if (atMs === this.#wakeAtMs) return;
    this.#cancelWake();
    this.#wakeAtMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.#cancelWake = this.#clock.after(atMs - nowMs, () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#pump();
    });
  }

  /** The archive cannot be written: nothing more is begun or reported, so nothing is lost that was not fetched again. */
  #fatal({ code, message }: OrbweaverError): void {
    this.#draining = true;
    this.#post({ type: 'fatal', code, message });
  }

  #finishDraining(): void {
    const underWay = [...this.#hosts].some((host) => host.gate.underWay > 0);
    if (underWay || this.#reporting || this.#results.length > 0) return;
    this.#post({ type: 'drained' });
  }
}
