/**
 * The hosts that this process holds, and which unit has which of their URLs.
 *
 * A host with a delay goes to one unit. A host without a delay may be divided: each unit gets a part of its
 * parallelism. A part is fixed when it is given, and it is given once, so the parts never exceed the limit of the host
 * (C5). If the host is shared with other workers (M5), only this worker's part is divided here.
 */
import { NoiseEvidence } from '../change/evidence/noise-evidence.ts';
import { Template } from '../content/template/template.ts';
import { monotonicMs } from '../core/clock.ts';
import type { ClaimedUrl, HostLease, HostShare, HostUpdate, RobotsCopy } from '../store/contract.ts';
import type { UnitThread } from './crew/unit-thread.ts';

export interface Share {
  readonly unit: UnitThread;
  /** URLs that the unit holds and has not settled. */
  readonly ids: Set<number>;
  wantsMore: boolean;
}

export class LiveLease {
  readonly hostId: number;
  readonly host: string;
  readonly shares: Share[] = [];
  /** The part of the host's parallelism that is still free for another unit. */
  spareParallel: number;
  robots: RobotsCopy | null;
  /** The template of the host, as all units together have learned it. */
  template: Uint8Array | undefined;
  /** The evidence for noise, as all units together have gathered it. */
  noise: Uint8Array | undefined;
  notFound: HostLease['notFound'];
  manners: HostLease['manners'];
  readonly share: HostShare | undefined;
  /** The start of the lease, on the monotonic clock. */
  readonly takenAtMs: number;
  /** The number of shares into which the host is divided as soon as none of its URLs is out; 1 for no division. */
  offered = 1;
  /** The host gets no more URLs and is released as soon as none of its URLs is out. */
  isLeaving = false;
  /** A unit has died or left that may have asked the host until then, without a report. */
  isLastRequestUnknown = false;
  /**
   * All waiting URLs of the host are out. The store is not asked again before this time, or before something changes.
   */
  dryUntilMs = 0;

  constructor(lease: HostLease, parallel: number, takenAtMs = monotonicMs()) {
    this.takenAtMs = takenAtMs;
    this.hostId = lease.hostId;
    this.host = lease.host;
    this.robots = lease.robots;
    this.template = lease.template;
    this.noise = lease.noise;
    this.notFound = lease.notFound;
    this.manners = lease.manners;
    this.spareParallel = parallel;
    this.share = lease.share;
  }

  addShare(unit: UnitThread, parallel: number, urls: readonly Pick<ClaimedUrl, 'id'>[]): void {
    this.spareParallel -= parallel;
    const share: Share = { unit, ids: new Set(), wantsMore: false };
    this.shares.push(share);
    this.give(share, urls);
  }

  shareOf(unit: UnitThread): Share | undefined {
    return this.shares.find((share) => share.unit === unit);
  }

  give(share: Share, urls: readonly Pick<ClaimedUrl, 'id'>[]): void {
    const before = share.ids.size;
    for (const { id } of urls) share.ids.add(id);
    share.unit.assigned += share.ids.size - before;
  }

  /** The update as it is stored: with the template and the evidence for noise that all units together have. */
  joined(update: HostUpdate): HostUpdate {
    const { template, noise } = update;
    if (!template && !noise) return update;
    if (template) this.template = this.template ? Template.join(this.template, template) : template;
    if (noise) this.noise = this.noise ? NoiseEvidence.join(this.noise, noise) : noise;
    const learned = { ...(template && { template: this.template }), ...(noise && { noise: this.noise }) };
    return { ...update, ...learned } as HostUpdate;
  }

  /** The unit has reported the URL. */
  settle(unit: UnitThread, id: number): void {
    if (this.shareOf(unit)?.ids.delete(id)) unit.assigned--;
  }

  /** The unit gave these URLs back, so they wait again. */
  takeBack(unit: UnitThread, ids: readonly number[]): void {
    for (const id of ids) this.settle(unit, id);
    this.dryUntilMs = 0;
  }

  /** All URLs of the host that any unit holds. */
  out(): ReadonlySet<number> {
    if (this.shares.length === 1) return this.shares[0]!.ids;
    return new Set(this.shares.flatMap(({ ids }) => [...ids]));
  }

  get idle(): boolean {
    return this.shares.every(({ ids }) => ids.size === 0);
  }
}

/** The number of parallel requests of one share. The numbers of all shares add up to `perHost`. */
export function parallelOf(perHost: number, { index, of }: HostShare = { index: 0, of: 1 }): number {
  return Math.floor(perHost / of) + (index < perHost % of ? 1 : 0);
}
