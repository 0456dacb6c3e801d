/**
 * The hosts this process holds, and which unit has which of their URLs.
 *
 * A host with a delay goes whole to one unit. One without may be shared out: each unit gets a part of its parallelism, and
 * the parts never add up to more than the host is allowed (C5), since a part is fixed when it is given and given once. Where the
 * host is shared with other workers (M5), what is given out here is this worker's part.
 */
import { monotonicMs } from '../core/clock.ts';
import type { HostLease, HostShare, RobotsCopy } from '../store/contract.ts';
import type { UnitThread } from './unit-thread.ts';

export interface Share {
  readonly unit: UnitThread;
  /** URLs the unit has and has not answered for. */
  readonly ids: Set<number>;
  hungry: boolean;
}

export class LiveLease {
  readonly hostId: number;
  readonly host: string;
  readonly shares: Share[] = [];
  /** What is left of the host's parallelism to be given to another unit. */
  spareParallel: number;
  robots: RobotsCopy | null;
  manners: HostLease['manners'];
  readonly share: HostShare | undefined;
  /** Since when it is ours, by the even clock. */
  readonly takenAtMs: number;
  /** It is going to be divided into so many shares, as soon as nothing of it is out; 1 while it is not. */
  offered = 1;
  /** It is fed no more, and goes back as soon as nothing of it is out. */
  isLeaving = false;
  /** A unit is gone that may have asked it until then. */
  isAskedUntold = false;
  /** All that waits there is out: the store need not be asked again before this time, or before something changes. */
  dryUntilMs = 0;

  constructor(lease: HostLease, parallel: number, takenAtMs = monotonicMs()) {
    this.takenAtMs = takenAtMs;
    this.hostId = lease.hostId;
    this.host = lease.host;
    this.robots = lease.robots;
    this.manners = lease.manners;
    this.spareParallel = parallel;
    this.share = lease.share;
  }

  addShare(unit: UnitThread, parallel: number, ids: Iterable<number>): Share {
    this.spareParallel -= parallel;
    const share: Share = { unit, ids: new Set(ids), hungry: false };
    unit.assigned += share.ids.size;
    this.shares.push(share);
    return share;
  }

  shareOf(unit: UnitThread): Share | undefined {
    return this.shares.find((share) => share.unit === unit);
  }

  give(share: Share, ids: Iterable<number>): void {
    const before = share.ids.size;
    for (const id of ids) share.ids.add(id);
    share.unit.assigned += share.ids.size - before;
  }

  /** The unit answered for a URL. */
  settle(unit: UnitThread, id: number): void {
    if (this.shareOf(unit)?.ids.delete(id)) unit.assigned--;
  }

  /** The unit gave URLs back: they wait again. */
  takeBack(unit: UnitThread, ids: readonly number[]): void {
    for (const id of ids) this.settle(unit, id);
    this.dryUntilMs = 0;
  }

  /** All URLs that are out, with whichever unit. */
  out(): ReadonlySet<number> {
    if (this.shares.length === 1) return this.shares[0]!.ids;
    return new Set(this.shares.flatMap(({ ids }) => [...ids]));
  }

  get idle(): boolean {
    return this.shares.every(({ ids }) => ids.size === 0);
  }
}

/** A share's part of the requests that a host may be sent at a time: those of all shares add up to it. */
export function parallelOf(perHost: number, { index, of }: HostShare = { index: 0, of: 1 }): number {
  return Math.floor(perHost / of) + (index < perHost % of ? 1 : 0);
}
