/**
 * The hosts of a refresh's plan, each with the pages of it that are to be looked at. In: pages, step by step. Out: leases of hosts that can be
 * had now, and when others can be.
 *
 * A host that asked to be left alone waits for that time. One that another process has is tried again soon, since that one may be done or
 * dead; if it has it for longer than we are patient, it keeps it for this round.
 */
import type { HostLease, Store } from '../store/contract.ts';
import { HostPlan } from './host-plan.ts';
import type { PlannedPage } from './refresh-plan.ts';
import type { Standing } from './standing.ts';
import type { Held } from './work.ts';

/** A host that another process has is tried again after so long. */
const REFUSED_MS = 2_000;

export class PlannedHosts {
  readonly #store: Pick<Store, 'lease' | 'release'>;
  readonly #standing: Pick<Standing, 'owner' | 'leaseMs'>;
  readonly #patienceMs: number;
  readonly #hosts = new Map<number, HostPlan>();
  #left = 0;

  constructor(
    store: Pick<Store, 'lease' | 'release'>,
    standing: Pick<Standing, 'owner' | 'leaseMs'>,
    patienceMs: number,
  ) {
    this.#store = store;
    this.#standing = standing;
    this.#patienceMs = patienceMs;
  }

  /** Pages that were planned and not looked at. */
  get left(): number {
    return this.#left;
  }

  get(hostId: number): HostPlan | undefined {
    return this.#hosts.get(hostId);
  }

  add(pages: readonly PlannedPage[]): void {
    for (const { id, hostId } of pages) {
      let plan = this.#hosts.get(hostId);
      if (plan === undefined) {
        plan = new HostPlan(hostId);
        this.#hosts.set(hostId, plan);
      }
      if (plan.add(id)) this.#left++;
    }
  }

  isDone(hostId: number, id: number): void {
    if (this.#hosts.get(hostId)?.isDone(id)) this.#left--;
  }

  clear(): void {
    this.#hosts.clear();
    this.#left = 0;
  }

  /** When a page of some host may be looked at; infinite where there is none. */
  get nextAtMs(): number {
    let atMs = Number.POSITIVE_INFINITY;
    for (const plan of this.#hosts.values()) if (plan.left > 0) atMs = Math.min(atMs, plan.notBeforeMs);
    return atMs;
  }

  /** Up to `limit` hosts with something to look at now that are not held already. */
  async lease(limit: number, held: Held, nowMs: number): Promise<readonly HostLease[]> {
    const hostIds = this.#ready(limit, held, nowMs);
    if (hostIds.length === 0) return [];
    const { owner, leaseMs } = this.#standing;
    const leases = await this.#store.lease({ owner, hostIds, nowMs, leaseMs });
    const granted = new Set(leases.map(({ hostId }) => hostId));
    for (const id of hostIds) this.#note(this.#hosts.get(id)!, granted.has(id), nowMs);
    const blocked = leases.filter(({ manners }) => manners.blockedUntilMs > nowMs);
    for (const { hostId, manners } of blocked) this.#hosts.get(hostId)!.notBeforeMs = manners.blockedUntilMs;
    const blockedIds = blocked.map(({ hostId }) => hostId);
    if (blocked.length > 0) await this.#store.release(owner, blockedIds, nowMs);
    return leases.filter((lease) => !blocked.includes(lease));
  }

  #ready(limit: number, held: Held, nowMs: number): number[] {
    const ready: number[] = [];
    for (const { hostId, left, notBeforeMs } of this.#hosts.values()) {
      if (ready.length >= limit) break;
      if (left > 0 && notBeforeMs <= nowMs && !held.has(hostId)) ready.push(hostId);
    }
    return ready;
  }

  #note(plan: HostPlan, isGranted: boolean, nowMs: number): void {
    plan.refusedSinceMs = isGranted ? null : (plan.refusedSinceMs ?? nowMs);
    if (plan.refusedSinceMs === null) return;
    const isTooLong = nowMs - plan.refusedSinceMs > this.#patienceMs;
    plan.notBeforeMs = isTooLong ? Number.POSITIVE_INFINITY : nowMs + REFUSED_MS;
  }
}
