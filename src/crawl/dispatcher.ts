/**
 * Divides the work: claims hosts from the store, hands them to units, refills their batches and releases hosts. Buffers
 * are bounded, and the unit with the least work is filled first (M3). Only one unit has a URL at a time (M2).
 */
import type { Clock } from '../core/clock.ts';
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import type { ClaimedUrl, HostLease, HostManners, HostUpdate, Store } from '../store/contract.ts';
import type { UnitThread } from './crew/unit-thread.ts';
import { LiveLease, parallelOf, type Share } from './live-leases.ts';
import { isLoopback } from './unit/host-rules.ts';
import type { Work } from './work.ts';

export const LEASE_MS = 60_000;
/** A host with a delay takes a second or more per URL, so a unit needs only a few of its URLs. */
const DELAYED_BATCH = 8;
/**
 * The longest time until a due retry, or a URL that another process found, is noticed at a host that had no more URLs.
 */
const DRY_MS = 1_000;
/** Hosts per unit. With more hosts than this, chance alone spreads the work of hosts with a delay evenly enough. */
const FEW_HOSTS = 32;

/** The pause of a shared host that begins to ask for a delay. The units give back their URLs of this host. */
const JOIN_PAUSE_MS = 10_000;

export interface DispatcherParts {
  readonly store: Pick<Store, 'release'>;
  readonly work: Work;
  readonly options: CrawlOptions;
  /** The name of this process on its leases. */
  readonly owner: string;
  readonly clock: Clock;
  /** The units that receive work. The list may change while the run goes on. */
  readonly units: readonly UnitThread[];
  /** The largest number of URLs of one host that a unit holds. */
  readonly batch: number;
  /** The largest number of URLs of one host that all units hold together. The default is no limit. */
  readonly mostOut?: () => number;
  /** Includes the units that finish their work and receive no more. The default is `units`. */
  readonly everyUnit?: () => readonly UnitThread[];
}

export class Dispatcher {
  readonly live = new Map<number, LiveLease>();
  readonly #parts: DispatcherParts;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** URLs that the units hold. */
  get out(): number {
    const { units, everyUnit } = this.#parts;
    return (everyUnit?.() ?? units).reduce((sum, { assigned }) => sum + assigned, 0);
  }

  /** Fills the units as far as the work allows: first from the hosts they have, then from new hosts. */
  async fill(): Promise<void> {
    await this.#parts.work.prepare(this.out);
    const allowance = (): number => this.#parts.work.allowance(this.out);
    // Asking the store in vain about every slow host would cost more than the pages of the other hosts.
    for (const lease of this.live.values()) {
      if (lease.dryUntilMs <= this.#parts.clock.now()) await this.#sendMore(lease, allowance());
    }
    await this.#releaseIdle();
    await this.#claim(allowance);
  }

  /** Divides the waiting URLs of a host evenly among the units that have room for them. */
  async #sendMore(lease: LiveLease, allowance: number): Promise<void> {
    const nowMs = this.#parts.clock.now();
    // URLs that came back from a blocked host must not go out again: they would hold up the crawl until the block ends.
    if (allowance <= 0 || lease.manners.blockedUntilMs > nowMs) return;
    if (lease.isLeaving) return;
    // The host is about to be divided. Or it is shared and has got a delay: then it
    // is released, so that one worker can have it alone.
    if (lease.offered > 1 || (lease.share && this.#isDelayed(lease))) return;
    const requesters = lease.shares.filter((share) => share.wantsMore && this.#parts.units.includes(share.unit));
    const newcomers = this.#newcomersTo(lease);
    const takers = requesters.length + newcomers.length;
    if (takers === 0) return;
    const out = lease.out();
    const limit = Math.min(this.#batchFor(lease) * takers, allowance, this.#mostOut - out.size);
    if (limit <= 0) return;
    const urls = await this.#parts.work.more(lease.hostId, limit, out, lease.share);
    // The host may have been lost in the meantime.
    if (this.live.get(lease.hostId) !== lease) return;
    if (urls.length < limit) lease.dryUntilMs = nowMs + DRY_MS;
    const portion = Math.ceil(urls.length / takers);
    const portions = Array.from({ length: takers }, (_, i) => urls.slice(i * portion, (i + 1) * portion));
    requesters.forEach((share, i) => {
      this.#refill(lease, share, portions[i]!);
    });
    newcomers.forEach((unit, i) => {
      this.#shareOut(lease, unit, portions[requesters.length + i]!);
    });
  }

  #refill(lease: LiveLease, share: Share, urls: readonly ClaimedUrl[]): void {
    if (urls.length === 0) return;
    share.wantsMore = false;
    lease.give(share, urls);
    share.unit.post({ type: 'more', hostId: lease.hostId, urls });
  }

  /** The other units join the work on a host without a delay, if its robots.txt is known and asks for no delay. */
  #newcomersTo(lease: LiveLease): readonly UnitThread[] {
    if (lease.spareParallel <= 0 || this.#isDelayed(lease)) return [];
    if (lease.robots === null && !this.#parts.options.ignoreRobots) return [];
    return this.#parts.units.filter((unit) => !lease.shareOf(unit)).slice(0, lease.spareParallel);
  }

  #shareOut(lease: LiveLease, unit: UnitThread, urls: readonly ClaimedUrl[]): void {
    if (urls.length === 0) return;
    const parallel = Math.ceil(lease.spareParallel / Math.max(1, this.#parts.units.length - lease.shares.length));
    lease.addShare(unit, parallel, urls);
    const { hostId, host, manners, robots, notFound, template, noise } = lease;
    const learned = { ...(notFound && { notFound }), ...(template && { template }), ...(noise && { noise }) };
    const known = { manners, robots, ...learned };
    unit.post({ type: 'lease', lease: { hostId, host, ...known, urls }, parallel });
  }

  async #claim(allowance: () => number): Promise<void> {
    const room = Math.min(this.#parts.options.liveHosts - this.live.size, allowance());
    if (room <= 0) return;
    const leases = await this.#parts.work.claim(room, this.#parts.batch, this.live);
    for (const lease of leases) this.#take(lease, allowance());
    await this.#releaseIdle();
  }

  #take(claimed: HostLease, allowance: number): void {
    const lease = new LiveLease(claimed, parallelOf(this.#parts.options.perHost, claimed.share));
    this.live.set(lease.hostId, lease);
    // The host is blocked: it told an earlier holder, which has died, or another worker that
    // shares it, to wait. It is released until the block ends.
    const room =
      claimed.manners.blockedUntilMs > this.#parts.clock.now()
        ? 0
        : Math.min(this.#batchFor(lease), allowance, this.#mostOut);
    const urls = claimed.urls.slice(0, Math.max(0, room));
    if (urls.length === 0) return;
    // While there are too few hosts to keep all units equally busy, part of the parallelism of the host is kept for
    // other units. This always applies to a host without a delay: it may be the only one of hundreds with many URLs.
    const divided = !this.#isDelayed(lease) || this.live.size <= FEW_HOSTS * this.#parts.units.length;
    const parts = divided ? this.#parts.units.length : 1;
    const parallel = Math.ceil(lease.spareParallel / parts);
    const unit = this.#idlestUnit;
    lease.addShare(unit, parallel, urls);
    if (parts === 1) lease.spareParallel = 0;
    unit.post({ type: 'lease', lease: { ...claimed, urls }, parallel });
    publish('crawl/host', { host: lease.host, live: true });
  }

  #batchFor(lease: LiveLease): number {
    return this.#isDelayed(lease) ? Math.min(DELAYED_BATCH, this.#parts.batch) : this.#parts.batch;
  }

  get #mostOut(): number {
    return this.#parts.mostOut?.() ?? Number.POSITIVE_INFINITY;
  }

  #isDelayed(lease: LiveLease): boolean {
    const delayMs = this.#parts.options.delay ?? (isLoopback(lease.host) ? 0 : null);
    return delayMs !== 0 || (lease.manners.delayMs ?? 0) > 0;
  }

  get #idlestUnit(): UnitThread {
    return this.#parts.units.reduce((best, unit) => (best.assigned <= unit.assigned ? best : unit));
  }

  /** Releases hosts that have no URL out and no more URLs to hand out. Divides a host if a division was decided. */
  async #releaseIdle(): Promise<void> {
    const idle = [...this.live.values()].filter((lease) => lease.idle);
    const whole = idle.filter(({ offered }) => offered === 1);
    if (whole.length > 0) await this.release(whole);
    for (const lease of idle) if (lease.offered > 1) await this.#offer(lease);
  }

  /** Prepares one host at a time to be shared with the workers that have nothing to do (M5). */
  async shareWith(idleWorkers: number): Promise<void> {
    const { sharing } = this.#parts.work;
    const shares = Math.min(this.#parts.options.perHost, idleWorkers + 1);
    if (!sharing || shares < 2 || [...this.live.values()].some(({ offered }) => offered > 1)) return;
    const crowded = await sharing.crowded(shares);
    const lease = crowded.map((id) => this.live.get(id)).find((one) => one && this.#mayShare(one));
    if (lease) lease.offered = shares;
  }

  #mayShare(lease: LiveLease): boolean {
    const isRuled = lease.robots !== null || this.#parts.options.ignoreRobots;
    return lease.share === undefined && isRuled && !this.#isDelayed(lease);
  }

  async #offer(lease: LiveLease): Promise<void> {
    const kept = await this.#parts.work.sharing!.offer(lease.hostId, lease.offered);
    if (this.live.get(lease.hostId) !== lease) return;
    lease.offered = 1;
    if (kept === null) return;
    for (const { unit } of lease.shares) unit.post({ type: 'drop', hostId: lease.hostId });
    const { manners, robots, notFound } = lease;
    const parallel = parallelOf(this.#parts.options.perHost, kept.share);
    const fresh = new LiveLease({ ...kept, manners, robots, ...(notFound && { notFound }) }, parallel, lease.takenAtMs);
    this.live.set(lease.hostId, fresh);
    // The new lease is fed at once, because a lease without URLs would be released as done.
    await this.#sendMore(fresh, this.#parts.work.allowance(this.out));
  }

  async release(leases: readonly LiveLease[]): Promise<void> {
    for (const { hostId, host, shares } of leases) {
      this.live.delete(hostId);
      for (const { unit } of shares) unit.post({ type: 'drop', hostId });
      publish('crawl/host', { host, live: false });
    }
    const nowMs = this.#parts.clock.now();
    for (const [isUncertain, some] of Map.groupBy(leases, ({ isLastRequestUnknown }) => isLastRequestUnknown)) {
      const ids = some.map(({ hostId }) => hostId);
      await this.#parts.store.release(this.#parts.owner, ids, nowMs, isUncertain ? nowMs : 0);
    }
    if (leases.some(({ isLeaving }) => isLeaving)) this.#parts.work.handedOver?.();
  }

  /** Releases these hosts as soon as their requests in progress are done. This list replaces an earlier one. */
  handOver(hostIds: readonly number[]): void {
    const leaving = new Set(hostIds);
    for (const lease of this.live.values()) {
      lease.isLeaving = leaving.has(lease.hostId) && lease.offered === 1;
      if (!lease.isLeaving) continue;
      for (const { unit } of lease.shares) unit.post({ type: 'return', hostId: lease.hostId });
    }
  }

  /** The units give back the URLs of the host that they have not begun, because some of them are left out now. */
  recall(hostId: number): void {
    for (const { unit } of this.live.get(hostId)?.shares ?? []) unit.post({ type: 'return', hostId });
  }

  /**
   * Other workers hold these hosts now, so their leases end here, even if URLs are out. Leases that began after
   * `asOfMs` on the monotonic clock are kept. Returns the ids of the leases that ended.
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

  /** The manners that one unit learned apply to all units that share the host. */
  learn(from: UnitThread, { hostId, manners, robots, notFound }: HostUpdate): void {
    const lease = this.live.get(hostId);
    if (!lease) return;
    // A unit that shares the host may report before it learns of a block, so a block is never shortened.
    const blockedUntilMs = Math.max(manners.blockedUntilMs, lease.manners.blockedUntilMs);
    lease.manners = { ...manners, blockedUntilMs };
    if (robots) lease.robots = robots;
    const others = lease.shares.filter(({ unit }) => unit !== from);
    if (notFound) {
      lease.notFound = notFound;
      for (const { unit } of others) unit.post({ type: 'not-found', hostId, answer: notFound });
    }
    if (manners.blockedUntilMs <= this.#parts.clock.now()) return;
    for (const { unit } of others) unit.post({ type: 'block', hostId, untilMs: manners.blockedUntilMs });
  }

  /** Takes over the manners that any worker learned of hosts that are shared between workers. */
  learnShared(shared: ReadonlyMap<number, HostManners>): void {
    const nowMs = this.#parts.clock.now();
    for (const [hostId, { delayMs, blockedUntilMs }] of shared) {
      const lease = this.live.get(hostId);
      if (!lease) continue;
      const wasDelayed = this.#isDelayed(lease);
      const isBlocked = blockedUntilMs > Math.max(nowMs, lease.manners.blockedUntilMs);
      lease.manners = { ...lease.manners, delayMs, blockedUntilMs };
      // The units give back their URLs, because only one worker may ask a host with a delay.
      const isToEnd = !wasDelayed && this.#isDelayed(lease);
      const untilMs = isToEnd ? Math.max(blockedUntilMs, nowMs + JOIN_PAUSE_MS) : blockedUntilMs;
      if (isBlocked || isToEnd) for (const { unit } of lease.shares) unit.post({ type: 'block', hostId, untilMs });
    }
  }

  /** Links to these hosts were found, so URLs may wait there now. */
  expect(hosts: ReadonlySet<string>): void {
    for (const lease of this.live.values()) if (hosts.has(lease.host)) lease.dryUntilMs = 0;
  }

  /** A unit died or left. Its URLs wait again, and hosts that no other unit works on are released (W12). */
  async abandon(dead: UnitThread): Promise<void> {
    const touched = [...this.live.values()].filter((lease) => lease.shareOf(dead));
    for (const lease of touched) {
      lease.shares.splice(lease.shares.indexOf(lease.shareOf(dead)!), 1);
      lease.dryUntilMs = 0;
      lease.isLastRequestUnknown = true;
    }
    dead.assigned = 0;
    await this.#releaseIdle();
  }
}
