/**
 * The pages whose looks show whether sources tell the truth. In: pages that a source of their host tells of. Out: those it says have changed, as
 * many of a host as will do, and of each host an even sample of those it says have not.
 */
import type { VisitRecord } from '../store/contract.ts';
import { EvenSample } from './even-sample.ts';
import { isClaimed } from './source-trust.ts';

/** A little more than proves it, since some will not answer. */
const SAMPLE = 32;
/** Pages of a host that its source names: the others come with the rest. */
const MOST_NAMED = 1_000;

export class SourceProof {
  readonly #named: VisitRecord[] = [];
  readonly #namedOf = new Map<number, number>();
  readonly #silent = new Map<number, EvenSample<VisitRecord>>();

  offer(visit: VisitRecord): void {
    const { hostId } = visit;
    if (isClaimed(visit)) {
      const before = this.#namedOf.get(hostId) ?? 0;
      this.#namedOf.set(hostId, before + 1);
      if (before < MOST_NAMED) this.#named.push(visit);
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
