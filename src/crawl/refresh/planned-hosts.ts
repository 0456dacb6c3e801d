/**
 * The hosts in the plan of a refresh, each with its pages to visit. In: pages, step by step. Out: leases of hosts that
 * are available now, and when others will be.
 *
 * A host that asked to be left alone waits until then. A host that another process has is retried
 * soon, because that process may be done or dead. If the other process has it for longer than our
 * patience, the host is left to it for this round.
 */
import type { HostLease, Store } from '../../store/contract.ts';
import type { ProcessRole } from '../process-role.ts';
import type { Held } from '../work.ts';
import { HostPlan } from './host-plan.ts';
import type { PlannedPage } from './refresh-plan.ts';

/** A host that another process has is retried after this time. */
const REFUSED_MS = 2_000;

export class PlannedHosts {
  readonly #store: Pick<Store, 'lease' | 'release'>;
  readonly #role: Pick<ProcessRole, 'owner' | 'leaseMs'>;
  readonly #patienceMs: number;
  readonly #hosts = new Map<number, HostPlan>();
  #left = 0;

  constructor(
    store: Pick<Store, 'lease' | 'release'>,
    role: Pick<ProcessRole, 'owner' | 'leaseMs'>,
    patienceMs: number,
  ) {
    this.#store = store;
    this.#role = role;
    this.#patienceMs = patienceMs;
  }

  /** Pages that were planned and not visited yet. */
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

  markDone(hostId: number, id: number): void {
    if (this.#hosts.get(hostId)?.markDone(id)) this.#left--;
  }

  clear(): void {
    this.#hosts.clear();
    this.#left = 0;
  }

  /** When the next page of any host may be visited; Infinity if there is none. */
  get nextAtMs(): number {
    let atMs = Number.POSITIVE_INFINITY;
    for (const plan of this.#hosts.values()) if (plan.left > 0) atMs = Math.min(atMs, plan.notBeforeMs);
    return atMs;
  }

  /** Leases up to `limit` hosts that have pages to visit now and are not held already. */
  async lease(limit: number, held: Held, nowMs: number): Promise<readonly HostLease[]> {
    const hostIds = this.#ready(limit, held, nowMs);
    if (hostIds.length === 0) return [];
    const { owner, leaseMs } = this.#role;
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
