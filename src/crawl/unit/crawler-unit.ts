/**
 * A crawler unit fetches, parses, judges and archives the URLs of its hosts (decision 4). It sleeps while it has
 * nothing to do. A message, a response, or the time of the next request to a host wakes it (W11).
 *
 * What always holds:
 * - Requests in progress plus uncommitted results never exceed the unit's window, or twice the
 *   window in a cluster. So a crash loses at most that many fetches.
 * - A result is reported after its bytes are in the archive, never before.
 * - A request that was in progress when the lease of its host ended has no result: its URL is given back.
 */
import type { ArchiveWriter } from '../../archive/warc-writer.ts';
import type { Clock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { DocumentAnswer } from '../../documents/thread/document-job.ts';
import type { Fetcher } from '../../fetch/fetcher.ts';
import type { FetchOutcome } from '../../fetch/outcome.ts';
import { HostGate, LeaseExpiredError } from '../../frontier/host-gate.ts';
import { LiveHosts } from '../../frontier/live-hosts.ts';
import type { ClaimedUrl, HostLease, HostUpdate, UrlResult } from '../../store/contract.ts';
import { looksTwice } from './change/double-look.ts';
import { DocumentInterrupted, UnitDocuments, type WaitingDocument } from './documents.ts';
import { answerOf, gateRules } from './host-rules.ts';
import type { LeaseMonitor } from './lease-monitor.ts';
import { busyShareOfThread, RequestLimit } from './load-limit.ts';
import type { FromUnit, ToUnit, UnitSetup } from './messages.ts';
import { NotFoundJudge } from './not-found/not-found-judge.ts';
import { Outbox } from './outbox.ts';
import { crawlUrl, type Fetch, type Stages } from './pipeline.ts';
import { revisitUrl } from './revisit-url.ts';
import { passGate } from './robots-keeper.ts';
import { Uncommitted } from './uncommitted.ts';
import { internalErrorResult } from './unfinished.ts';
import { UnitHost } from './unit-host.ts';
import { UnitRobots } from './unit-robots.ts';

/** A server that sets a new cookie each time would redirect for ever. Two hops are the most that sites need. */
const MAX_COOKIE_HOPS = 4;

/** A host that is blocked for longer than this gives its URLs back. */
const WORTH_WAITING_MS = 5_000;

type FetchArguments = Parameters<Fetch>;
type UnitStages = Stages & { readonly archive: ArchiveWriter };

export interface CrawlerUnitParts {
  readonly setup: UnitSetup;
  readonly stages: Omit<UnitStages, 'seedMoved' | 'isNotFound' | 'readDocument' | 'secondLook'>;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly post: (message: FromUnit) => void;
  /** Null if no other process can take over a host. */
  readonly leases: LeaseMonitor | null;
}

export class CrawlerUnit {
  readonly #parts: CrawlerUnitParts;
  readonly #stages: UnitStages;
  readonly #outbox: Outbox;
  readonly #cap: RequestLimit;
  readonly #hosts = new LiveHosts<ClaimedUrl, UnitHost>();
  readonly #uncommitted: Uncommitted;
  /** URLs in the pipeline, without the documents that are read. */
  #underWay = 0;
  readonly #documents = new UnitDocuments(() => this.#draining);
  readonly #robots: UnitRobots;
  readonly #notFound: NotFoundJudge<UnitHost>;
  /** Memory that the controller can read at any time. */
  readonly #shown: Float64Array;
  #draining = false;
  #hasFailed = false;
  #hasDrained = false;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #cancelWake: () => void = () => {};

  constructor(parts: CrawlerUnitParts) {
    const { setup, stages, clock } = parts;
    this.#parts = parts;
    this.#shown = new Float64Array(setup.parsing);
    this.#stages = {
      ...stages,
      seedMoved: (url) => this.#outbox.movedSeeds.push(url),
      isNotFound: (hostId, task, response) => {
        const host = this.#hosts.get(hostId);
        return host !== undefined && this.#notFound.isNotFound(host, task, response);
      },
      secondLook: looksTwice(setup.refresh) ? (hostId, url) => this.#lookAgain(hostId, url) : null,
      readDocument: (document) => this.#readDocument(document),
    };
    this.#outbox = new Outbox(setup.window, clock, () => this.#report());
    this.#uncommitted = new Uncommitted(this.#maxUncommitted(setup.window));
    this.#robots = new UnitRobots({
      clock,
      stages: this.#stages,
      outbox: this.#outbox,
      fetch: (host, url) => this.#fetchThrough(host, url),
      isDraining: () => this.#draining,
      expiries: () => this.#expiries,
      returnHost: (host) => this.#returnHost(host),
      onRead: () => this.#pump(),
    });
    this.#notFound = new NotFoundJudge({
      clock,
      fetch: (host, url) => this.#probe(host, url),
      isDraining: () => this.#draining,
      isInside: (url) => stages.refuses(url) === null && stages.links.leavesOut({ url, depth: 1, hops: 0 }) === null,
    });
    this.#cap = new RequestLimit(setup.window, busyShareOfThread());
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
        this.#block(message.hostId, message.untilMs);
        break;
      case 'not-found':
        this.#hosts.get(message.hostId)?.learnNotFound(message.answer);
        break;
      case 'return':
        this.#returnWaiting(message.hostId);
        break;
      case 'seed':
        this.#stages.links.addSeed(message.url);
        break;
      case 'lessons':
        for (const lesson of message.lessons) this.#stages.links.learnParameter(lesson);
        break;
      case 'drop':
        this.#dropHost(message.hostId);
        break;
      case 'lose':
        for (const hostId of message.hostIds) this.#loseHost(hostId);
        // The last report on these hosts goes first. No report on them follows it until they are leased again.
        this.#report();
        this.#parts.post({ type: 'lost' });
        break;
      case 'renewed':
        this.#parts.leases?.renewed();
        break;
      case 'window':
        this.#cap.allow(message.window);
        this.#uncommitted.allow(this.#maxUncommitted(message.window));
        break;
      case 'receipt':
        for (const [i, links] of this.#uncommitted.settle().entries()) {
          this.#stages.links.learn(links, message.linkIds[i]!);
        }
        break;
      case 'sync':
        this.#stages.archive.sync().then(
          () => this.#parts.post({ type: 'synced' }),
          (error: OrbweaverError) => this.#fatal(error),
        );
        break;
      case 'rest':
        this.#stages.archive.rest().then(
          () => this.#parts.post({ type: 'rested' }),
          (error: OrbweaverError) => this.#fatal(error),
        );
        break;
      case 'drain':
        this.#draining = true;
        for (const host of this.#hosts) if (host.paused && host.gate.underWay === 0) host.gate.shut();
        break;
    }
    this.#pump();
  }

  #takeHost(lease: HostLease, parallel: number): void {
    const { options } = this.#parts.setup;
    const gate = new HostGate(
      gateRules(lease.host, options, parallel),
      lease.manners,
      this.#parts.clock,
      this.#parts.leases ?? undefined,
    );
    const host = new UnitHost(lease, gate, {
      asksWatchers: options.watchers,
      learnsNoise: this.#parts.setup.refresh?.learnNoise ?? false,
    });
    this.#hosts.add(host);
    if (!options.ignoreRobots) this.#robots.rule(host, lease.robots);
  }

  #takeMore(hostId: number, urls: readonly ClaimedUrl[]): void {
    const host = this.#hosts.get(hostId);
    if (!host) return;
    host.queue.push(...urls);
    host.askedForMore = false;
  }

  /** Another unit or worker that shares the host was told to wait. */
  #block(hostId: number, untilMs: number): void {
    const host = this.#hosts.get(hostId);
    host?.gate.block(untilMs);
    if (host && untilMs > this.#parts.clock.now() + WORTH_WAITING_MS) this.#returnHost(host);
  }

  /**
   * Other workers have more time for the host. It stays while its robots.txt is read, because a
   * host without URLs here may go to another worker at once.
   */
  #returnWaiting(hostId: number): void {
    const host = this.#hosts.get(hostId);
    if (host && !host.paused && host.queue.length > 0) this.#returnHost(host);
  }

  #dropHost(hostId: number): void {
    const host = this.#hosts.get(hostId);
    if (!host) return;
    host.gate.shut();
    this.#hosts.remove(hostId);
    this.#outbox.wantsMore.delete(hostId);
    this.#parts.fetcher.closeHost(host.host);
  }

  #loseHost(hostId: number): void {
    const host = this.#hosts.get(hostId);
    if (!host) return;
    this.#outbox.touched.delete(hostId);
    this.#parts.fetcher.abort(host.host);
    this.#dropHost(hostId);
  }

  /**
   * In a cluster, results gather before a commit, and a commit to a distant store
   * takes a while. The requests continue meanwhile.
   */
  #maxUncommitted(window: number): number {
    return this.#parts.setup.shared ? 2 * window : window;
  }

  get #expiries(): number {
    return this.#parts.leases?.expiries ?? 0;
  }

  /** Starts the requests that may start now, and sleeps until the next host may be asked. */
  #pump(): void {
    const nowMs = this.#parts.clock.now();
    while (!this.#draining && this.#uncommitted.hasRoom && this.#documents.hasRoom) {
      if (this.#underWay >= this.#cap.limit(nowMs)) {
        this.#wakeAt(this.#cap.nextUpdateMs(), nowMs);
        break;
      }
      const host = this.#hosts.next(nowMs);
      if (typeof host === 'number') {
        this.#wakeAt(host, nowMs);
        break;
      }
      this.#uncommitted.begin();
      this.#setUnderWay(1);
      void this.#crawl(host, host.queue.shift()!);
      this.#askForMore(host);
    }
    if (this.#draining) this.#finishDraining();
  }

  #setUnderWay(change: 1 | -1): void {
    this.#underWay += change;
    this.#shown[1] = this.#underWay;
  }

  async #crawl(host: UnitHost, task: ClaimedUrl): Promise<void> {
    // All code before the request runs without waiting, so the gate is passed at the moment at which it was found open.
    const fetch: Fetch = async (url, headers) => {
      host.gate.begin();
      const first = this.#fetchThrough(host, url, headers);
      const outcome = await (this.#parts.setup.options.cookies
        ? this.#followCookies(first, host, url, headers)
        : first);
      // Many large sitemaps may arrive at the same time, and the links of one of them fill the room. A waiting URL
      // wakes the next one when it ends, so nothing else may wait here, such as a request for robots.txt.
      if (this.#uncommitted.isFullOfLinks) await this.#uncommitted.room();
      return outcome;
    };
    const { earlier } = task;
    const expiries = this.#expiries;
    let result: UrlResult;
    try {
      result = earlier
        ? await revisitUrl({ ...task, earlier }, host, fetch, this.#stages)
        : await crawlUrl(task, host, fetch, this.#stages);
    } catch (error) {
      if (error instanceof OrbweaverError) return this.#fatal(error);
      const isInterrupted = error instanceof LeaseExpiredError || error instanceof DocumentInterrupted;
      if (isInterrupted) return this.#takeNoResult(host, task);
      this.#parts.post({ type: 'fault', url: task.url, detail: (error as Error).stack ?? String(error) });
      result = internalErrorResult(task, host.hostId, this.#parts.clock.now());
    }
    if (expiries !== this.#expiries || host.gate.isShut) return this.#takeNoResult(host, task);
    this.#setUnderWay(-1);
    this.#uncommitted.finish(result);
    this.#outbox.put(result);
    this.#outbox.touched.add(host.hostId);
    this.#pump();
    this.#outbox.schedule(this.#underWay === 0);
  }

  /** A document is no request, so other requests begin while it is read. */
  async #readDocument(document: WaitingDocument): Promise<DocumentAnswer> {
    this.#setUnderWay(-1);
    const answer = this.#documents.read(document).finally(() => this.#setUnderWay(1));
    this.#pump();
    return answer;
  }

  /** The URL waits again if the host is still ours. Otherwise it belongs to the new holder of the host. */
  #takeNoResult(host: UnitHost, { id }: ClaimedUrl): void {
    this.#setUnderWay(-1);
    this.#uncommitted.cancel();
    if (!host.gate.isShut) {
      this.#outbox.returned.push({ hostId: host.hostId, ids: [id] });
      this.#outbox.touched.add(host.hostId);
    }
    // The report comes first, because a drained unit sends no more reports.
    this.#outbox.schedule(this.#underWay === 0);
    this.#pump();
  }

  async #fetchThrough(host: UnitHost, url: string, headers?: Readonly<Record<string, string>>): Promise<FetchOutcome> {
    const expiries = this.#expiries;
    const outcome = await this.#parts.fetcher.fetch(url, headers);
    const answer = answerOf(outcome, host.gate, this.#parts.clock.now());
    host.gate.end(answer);
    host.requestEnded(answer.blockUntilMs > 0 ? outcome.reason : null);
    this.#outbox.answers.count++;
    if (outcome.status === 0 && this.#expiries === expiries) this.#outbox.answers.failures++;
    if (host.reportsWatcher(outcome.rawHeaders)) this.#outbox.touched.add(host.hostId);
    if (answer.blockUntilMs > this.#parts.clock.now() + WORTH_WAITING_MS) this.#returnHost(host);
    return outcome;
  }

  /**
   * Follows redirects of a URL to itself while each of them changes the cookies, as browsers do. Every request
   * waits for the gate. The pipeline sees the last response only.
   */
  async #followCookies(
    first: Promise<FetchOutcome>,
    host: UnitHost,
    ...request: FetchArguments
  ): Promise<FetchOutcome> {
    let outcome = await first;
    for (let hop = 0; outcome.isCookieHop && hop < MAX_COOKIE_HOPS; hop++) {
      outcome.release();
      await passGate(host.gate, this.#parts.clock);
      outcome = await this.#fetchThrough(host, ...request);
    }
    return outcome;
  }

  /** Sends a request that belongs to no URL. The other URLs of the host wait meanwhile. */
  async #probe(host: UnitHost, url: string): Promise<FetchOutcome> {
    host.paused = true;
    try {
      await passGate(host.gate, this.#parts.clock);
      return await this.#fetchThrough(host, url);
    } finally {
      host.paused = false;
      this.#outbox.touched.add(host.hostId);
    }
  }

  async #lookAgain(hostId: number, url: string): Promise<FetchOutcome | null> {
    const host = this.#hosts.get(hostId);
    return host === undefined || this.#draining ? null : this.#probe(host, url);
  }

  /** The URLs of a blocked host go back to the store, where they wait without occupying a place here. */
  #returnHost(host: UnitHost): void {
    if (host.gate.isShut) return;
    this.#outbox.returned.push({ hostId: host.hostId, ids: host.takeWaiting() });
    this.#outbox.touched.add(host.hostId);
    this.#outbox.schedule();
  }

  #askForMore(host: UnitHost): void {
    if (host.askedForMore || host.queue.length > this.#parts.setup.window / 2) return;
    host.askedForMore = true;
    this.#outbox.wantsMore.add(host.hostId);
    this.#outbox.schedule();
  }

  #report(): void {
    let archive: ReadonlyMap<string, number>;
    try {
      archive = this.#stages.archive.flush();
    } catch (error) {
      this.#fatal(error as OrbweaverError);
      return;
    }
    const report = this.#outbox.take();
    this.#uncommitted.report(report.results, report.same.ids.length);
    this.#parts.post({ type: 'report', ...report, hosts: this.#hostUpdates(), archive });
    if (this.#draining) this.#finishDraining();
  }

  #hostUpdates(): HostUpdate[] {
    const updates = [...this.#outbox.touched].flatMap((hostId) => this.#hosts.get(hostId)?.takeUpdate() ?? []);
    this.#outbox.touched.clear();
    return updates;
  }

  #wakeAt(atMs: number, nowMs: number): void {
    if (atMs === this.#wakeAtMs) return;
    this.#cancelWake();
    this.#wakeAtMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.#cancelWake = this.#parts.clock.after(atMs - nowMs, () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#pump();
    });
  }

  /**
   * The archive cannot be written. No report follows, because every later `flush` fails too. The URLs fetched since the
   * last report still wait in the store and are fetched again.
   */
  #fatal({ code, message }: OrbweaverError): void {
    this.#draining = true;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#parts.post({ type: 'fatal', code, message });
  }

  #finishDraining(): void {
    const underWay = this.#underWay + this.#robots.underWay + this.#documents.underWay;
    if (underWay > 0 || this.#outbox.isScheduled || !this.#outbox.isEmpty) return;
    if (this.#hasDrained) return;
    this.#hasDrained = true;
    this.#parts.leases?.stop();
    this.#parts.post({ type: 'drained' });
  }
}
