/**
 * The pages whose visits show whether change sources are reliable. In: pages that a source of their host lists. Out:
 * pages that the source reports as changed, up to a limit per host, and for each host an even sample of the others.
 */
import type { VisitRecord } from '../../store/contract.ts';
import { isClaimed } from '../watchers/trust-rule.ts';

/** A few more than a verdict needs, because some pages will not answer. */
const SAMPLE = 32;
/** Pages of a host that its source reports as changed. Further pages are visited in the last step. */
const MAX_NAMED = 1_000;

export class SourceSpotChecks {
  readonly #named: VisitRecord[] = [];
  readonly #namedOf = new Map<number, number>();
  readonly #silent = new Map<number, EvenSample<VisitRecord>>();

  offer(visit: VisitRecord): void {
    const { hostId } = visit;
    if (isClaimed(visit)) {
      const before = this.#namedOf.get(hostId) ?? 0;
      this.#namedOf.set(hostId, before + 1);
      if (before < MAX_NAMED) this.#named.push(visit);
      return;
    }
    const sample = this.#silent.get(hostId) ?? new EvenSample<VisitRecord>(SAMPLE);
    this.#silent.set(hostId, sample);
    sample.offer(visit);
  }

  get pages(): VisitRecord[] {
    return [...this.#named, ...[...this.#silent.values()].flatMap(({ items }) => items)];
  }
}

/** An evenly spread sample of a stream of any length: when the sample is full, every second item is removed. */
export class EvenSample<T> {
  readonly #size: number;
  #kept: T[] = [];
  #stride = 1;
  #seen = 0;

  /** The sample keeps at least `size` items, if there are that many. */
  constructor(size: number) {
    this.#size = size;
  }

  get items(): readonly T[] {
    return this.#kept;
  }

  offer(item: T): void {
    if (this.#seen++ % this.#stride !== 0) return;
    this.#kept.push(item);
    if (this.#kept.length < 2 * this.#size) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#stride *= 2;
  }
}

/*
 * Orders reported pages and a sample of unreported pages. Reported pages come first, except for a share of
 * the budget: without it, a watcher that always reports more than the budget would be trusted for ever,
 * because no unreported page would be visited.
 */

/** The share for spot checks, of the total budget and of the budget of each host. */
const SPOT_CHECK_SHARE = 0.25;

/** A missing budget is Infinity. */
export function withSpotChecks(
  reported: readonly VisitRecord[],
  silent: readonly VisitRecord[],
  budget: number,
  hostBudget: number,
): VisitRecord[] {
  const ofAll = Math.floor(budget * SPOT_CHECK_SHARE);
  const ofHost = Math.floor(hostBudget * SPOT_CHECK_SHARE);
  if (ofAll === Number.POSITIVE_INFINITY && ofHost === Number.POSITIVE_INFINITY) return [...reported, ...silent];
  const first: VisitRecord[] = [];
  const later: VisitRecord[] = [];
  const taken = new Map<number, number>();
  for (const visit of silent) {
    const before = taken.get(visit.hostId) ?? 0;
    const isFirst = first.length < ofAll && before < ofHost;
    if (isFirst) taken.set(visit.hostId, before + 1);
    (isFirst ? first : later).push(visit);
  }
  return [...first, ...reported, ...later];
}
