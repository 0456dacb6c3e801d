/**
 * Who works on what: claims hosts from the store, hands them to units, refills their batches and gives hosts back. Buffers
 * are bounded and the unit with the least to do is filled first (M3); a URL is out with one unit at a time (M2).
 */
import type { Clock } from '../core/clock.ts';
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { ClaimedUrl, HostLease, HostManners, HostUpdate, Store } from '../store/contract.ts';
import { isLoopback } from './host-rules.ts';
import { LiveLease, parallelOf, type Share } from './live-leases.ts';
import type { UnitThread } from './unit-thread.ts';
import type { Work } from './work.ts';

export const LEASE_MS = 60_000;
/** A host with a delay takes a second or more a URL: a handful is enough to have at hand. */
const DELAYED_BATCH = 8;
/** How late a retry that falls due, or a URL that another process found, may be seen at a host that had nothing more. */
const DRY_MS = 1_000;
/** A unit: with more hosts than this for each, chance alone divides the work of delayed ones evenly enough. */
const FEW_HOSTS = 32;

/** How long a host that was shared is left alone when it begins to ask for a delay; units give back what they have for it. */
const JOIN_PAUSE_MS = 10_000;

export class Dispatcher {
  readonly live = new Map<number, LiveLease>();
  readonly #store: Pick<Store, 'release'>;
  readonly #work: Work;
  readonly #options: CrawlOptions;
  readonly #owner: string;
  readonly #clock: Clock;
  readonly #batch: number;
  /** Those that are given work. */
  readonly units: readonly UnitThread[];
  readonly #everyUnit: () => readonly UnitThread[];

  constructor(
    store: Pick<Store, 'release'>,
    work: Work,
    options: CrawlOptions,
    owner: string,
    clock: Clock,
    units: readonly UnitThread[],
    batch: number,
    everyUnit: () => readonly UnitThread[] = () => units,
  ) {
    this.#store = store;
    this.#work = work;
    this.#options = options;
    this.#owner = owner;
    this.#clock = clock;
    this.units = units;
    this.#batch = batch;
    this.#everyUnit = everyUnit;
  }

  /** URLs that are out with the units. */
  get out(): number {
    return this.#everyUnit().reduce((sum, { assigned }) => sum + assigned, 0);
  }

  /** Fills units as far as the work allows: first the hosts they have, then new ones. */
  async fill(): Promise<void> {
    await this.#work.prepare(this.out);
    const allowance = (): number => this.#work.allowance(this.out);
    // Asking the store for nothing, for every host that is slow to answer, would cost more than the pages of the others.
    for (const lease of this.live.values()) {
      if (lease.dryUntilMs <= this.#clock.now()) await this.#feed(lease, allowance());
    }
    await this.#releaseIdle();
    await this.#claim(allowance);
  }

  /** Divides what waits at a host evenly among the units that have room for it. */
  async #feed(lease: LiveLease, allowance: number): Promise<void> {
    const nowMs = this.#clock.now();
    // What a blocked host gave back must not go out again: it would hold the crawl until the block ends.
    if (allowance <= 0 || lease.manners.blockedUntilMs > nowMs) return;
    if (lease.isLeaving) return;
    // About to be divided; or shared, and it has got a delay: then it goes back, to be one worker's alone.
    if (lease.offered > 1 || (lease.share && this.#isDelayed(lease))) return;
    const hungry = lease.shares.filter((share) => share.hungry && this.units.includes(share.unit));
    const newcomers = this.#newcomersTo(lease);
    const eaters = hungry.length + newcomers.length;
    if (eaters === 0) return;
    const limit = Math.min(this.#batchFor(lease) * eaters, allowance);
    const urls = await this.#work.more(lease.hostId, limit, lease.out(), lease.share);
    // It may have been lost meanwhile.
    if (this.live.get(lease.hostId) !== lease) return;
    if (urls.length < limit) lease.dryUntilMs = nowMs + DRY_MS;
    const portion = Math.ceil(urls.length / eaters);
    const portions = Array.from({ length: eaters }, (_, i) => urls.slice(i * portion, (i + 1) * portion));
    hungry.forEach((share, i) => {
      this.#refill(lease, share, portions[i]!);
    });
    newcomers.forEach((unit, i) => {
      this.#shareOut(lease, unit, portions[hungry.length + i]!);
    });
  }

  #refill(lease: LiveLease, share: Share, urls: readonly ClaimedUrl[]): void {
    if (urls.length === 0) return;
    share.hungry = false;
    lease.give(
      share,
      urls.map(({ id }) => id),
    );
    share.unit.post({ type: 'more', hostId: lease.hostId, urls });
  }

  /** A host without a delay, whose robots.txt is known to ask for none, is worked on by the other units too. */
  #newcomersTo(lease: LiveLease): readonly UnitThread[] {
    if (lease.spareParallel <= 0 || this.#isDelayed(lease)) return [];
    if (lease.robots === null && !this.#options.ignoreRobots) return [];
    return this.units.filter((unit) => !lease.shareOf(unit)).slice(0, lease.spareParallel);
  }

  #shareOut(lease: LiveLease, unit: UnitThread, urls: readonly ClaimedUrl[]): void {
    if (urls.length === 0) return;
    const parallel = Math.ceil(lease.spareParallel / Math.max(1, this.units.length - lease.shares.length));
    lease.addShare(
      unit,
      parallel,
      urls.map(({ id }) => id),
    );
    const { hostId, host, manners, robots } = lease;
    unit.post({ type: 'lease', lease: { hostId, host, manners, robots, urls }, parallel });
  }

  async #claim(allowance: () => number): Promise<void> {
    const room = Math.min(this.#options.liveHosts - this.live.size, allowance());
    if (room <= 0) return;
    const leases = await this.#work.claim(room, this.#batch, this.live);
    for (const lease of leases) this.#take(lease, allowance());
    await this.#releaseIdle();
  }

  #take(claimed: HostLease, allowance: number): void {
    const lease = new LiveLease(claimed, parallelOf(this.#options.perHost, claimed.share));
    this.live.set(lease.hostId, lease);
    // Whoever had it before died, or shares it, and was told to leave it alone: it goes back until then.
    const room = claimed.manners.blockedUntilMs > this.#clock.now() ? 0 : Math.min(this.#batchFor(lease), allowance);
    const urls = claimed.urls.slice(0, Math.max(0, room));
    if (urls.length === 0) return;
    // While there are too few hosts to keep all units equally busy, part of the host is kept back for the others; and always
    // of one without a delay: it may be the only one of hundreds that has much to give.
    const divided = !this.#isDelayed(lease) || this.live.size <= FEW_HOSTS * this.units.length;
    const parts = divided ? this.units.length : 1;
    const parallel = Math.ceil(lease.spareParallel / parts);
    const unit = this.#idlest(this.units)!;
    lease.addShare(
      unit,
      parallel,
      urls.map(({ id }) => id),
    );
    if (parts === 1) lease.spareParallel = 0;
    unit.post({ type: 'lease', lease: { ...claimed, urls }, parallel });
    publish('crawl/host', { host: lease.host, live: true });
  }

  #batchFor(lease: LiveLease): number {
    return this.#isDelayed(lease) ? Math.min(DELAYED_BATCH, this.#batch) : this.#batch;
  }

  #isDelayed(lease: LiveLease): boolean {
    const delayMs = this.#options.delay ?? (isLoopback(lease.host) ? 0 : null);
    return delayMs !== 0 || (lease.manners.delayMs ?? 0) > 0;
  }

  #idlest(units: readonly UnitThread[]): UnitThread | null {
    return units.reduce<UnitThread | null>(
      (best, unit) => (best && best.assigned <= unit.assigned ? best : unit),
      null,
    );
  }

  /** Hosts whose URLs are all answered for and that had none to add. */
  async #releaseIdle(): Promise<void> {
    const idle = [...this.live.values()].filter((lease) => lease.idle);
    const whole = idle.filter(({ offered }) => offered === 1);
    if (whole.length > 0) await this.release(whole);
    for (const lease of idle) if (lease.offered > 1) await this.#offer(lease);
  }

  /** So many other workers have nothing to do: one host at a time is made ready to be shared with them (M5). */
  async shareWith(idleWorkers: number): Promise<void> {
    const { sharing } = this.#work;
    const shares = Math.min(this.#options.perHost, idleWorkers + 1);
    if (!sharing || shares < 2 || [...this.live.values()].some(({ offered }) => offered > 1)) return;
    const crowded = await sharing.crowded(shares);
    const lease = crowded.map((id) => this.live.get(id)).find((one) => one && this.#mayShare(one));
    if (lease) lease.offered = shares;
  }

  #mayShare(lease: LiveLease): boolean {
    const isRuled = lease.robots !== null || this.#options.ignoreRobots;
    return lease.share === undefined && isRuled && !this.#isDelayed(lease);
  }

  async #offer(lease: LiveLease): Promise<void> {
    const kept = await this.#work.sharing!.offer(lease.hostId, lease.offered);
    if (this.live.get(lease.hostId) !== lease) return;
    lease.offered = 1;
    if (kept === null) return;
    for (const { unit } of lease.shares) unit.post({ type: 'drop', hostId: lease.hostId });
    const { manners, robots } = lease;
    const parallel = parallelOf(this.#options.perHost, kept.share);
    const fresh = new LiveLease({ ...kept, manners, robots }, parallel, lease.takenAtMs);
    this.live.set(lease.hostId, fresh);
    // At once, or it would be taken for one that is done.
    await this.#feed(fresh, this.#work.allowance(this.out));
  }

  async release(leases: readonly LiveLease[]): Promise<void> {
    for (const { hostId, host, shares } of leases) {
      this.live.delete(hostId);
      for (const { unit } of shares) unit.post({ type: 'drop', hostId });
      publish('crawl/host', { host, live: false });
    }
    const nowMs = this.#clock.now();
    for (const [isUntold, some] of Map.groupBy(leases, ({ isAskedUntold }) => isAskedUntold)) {
      const ids = some.map(({ hostId }) => hostId);
      await this.#store.release(this.#owner, ids, nowMs, isUntold ? nowMs : 0);
    }
    if (leases.some(({ isLeaving }) => isLeaving)) this.#work.handedOver?.();
  }

  /** These go back as soon as what is under way there is done; what was said before of others is no more. */
  letGo(hostIds: readonly number[]): void {
    const leaving = new Set(hostIds);
    for (const lease of this.live.values()) {
      lease.isLeaving = leaving.has(lease.hostId) && lease.offered === 1;
      if (!lease.isLeaving) continue;
      for (const { unit } of lease.shares) unit.post({ type: 'return', hostId: lease.hostId });
    }
  }

  /**
   * Others have them by now: they are no more ours, whatever is out. Those that were taken after `asOfMs`, by the even clock, are not
   * meant. Returns the hosts among these that were ours.
   */
  lose(hostIds: readonly number[], asOfMs: number): readonly number[] {
    const lost = hostIds.flatMap((id) => this.live.get(id) ?? []).filter(({ takenAtMs }) => takenAtMs <= asOfMs);
    for (const lease of lost) {
      for (const { unit, ids } of lease.shares) unit.assigned -= ids.size;
      this.live.delete(lease.hostId);
      publish('crawl/host', { host: lease.host, live: false });
    }
    return lost.map(({ hostId }) => hostId);
  }

  /** What a host said to one unit counts for all that share it. */
  learn(from: UnitThread, { hostId, manners, robots }: HostUpdate): void {
    const lease = this.live.get(hostId);
    if (!lease) return;
    // A unit that shares the host may not have heard of the block yet when it reports: a block is never taken back.
    const blockedUntilMs = Math.max(manners.blockedUntilMs, lease.manners.blockedUntilMs);
    lease.manners = { ...manners, blockedUntilMs };
    if (robots) lease.robots = robots;
    if (manners.blockedUntilMs <= this.#clock.now()) return;
    for (const { unit } of lease.shares) {
      if (unit !== from) unit.post({ type: 'block', hostId, untilMs: manners.blockedUntilMs });
    }
  }

  /** What hosts that are shared with other workers said to any of them. */
  hear(shared: ReadonlyMap<number, HostManners>): void {
    const nowMs = this.#clock.now();
    for (const [hostId, { delayMs, blockedUntilMs }] of shared) {
      const lease = this.live.get(hostId);
      if (!lease) continue;
      const wasDelayed = this.#isDelayed(lease);
      const isBlocked = blockedUntilMs > Math.max(nowMs, lease.manners.blockedUntilMs);
      lease.manners = { ...lease.manners, delayMs, blockedUntilMs };
      // What units have at hand goes back: a delay is for one worker to keep.
      const isToEnd = !wasDelayed && this.#isDelayed(lease);
      const untilMs = isToEnd ? Math.max(blockedUntilMs, nowMs + JOIN_PAUSE_MS) : blockedUntilMs;
      if (isBlocked || isToEnd) for (const { unit } of lease.shares) unit.post({ type: 'block', hostId, untilMs });
    }
  }

  /** Links to these hosts were found: something may wait there now. */
  expect(hosts: ReadonlySet<string>): void {
    for (const lease of this.live.values()) if (hosts.has(lease.host)) lease.dryUntilMs = 0;
  }

  /** A unit died: what it had goes back, and its hosts are let go (W12). */
  async abandon(dead: UnitThread): Promise<void> {
    const touched = [...this.live.values()].filter((lease) => lease.shareOf(dead));
    for (const lease of touched) {
      lease.shares.splice(lease.shares.indexOf(lease.shareOf(dead)!), 1);
      lease.dryUntilMs = 0;
      lease.isAskedUntold = true;
    }
    dead.assigned = 0;
    await this.#releaseIdle();
  }
}
