/**
 * Which pages a refresh leaves to watchers. In: the hosts with a trusted watcher (led hosts), each with
 * the pages that its watcher does not report, and the hosts that another crawler holds. Out: whether a
 * page is left out of the ordinary schedule.
 *
 * What always holds: if every host is led, no page that a watcher covers is read from the
 * store, however many there are.
 */
import type { HostRecord, MarkedUrl, Store, VisitRecord } from '../../store/contract.ts';
import { inBatches } from '../../store/read-in-batches.ts';
import { isTrusted } from './trust-rule.ts';

const HOSTS_AT_ONCE = 64;
const MARKS_AT_ONCE = 10_000;

/**
 * A set of page ids, or a map with page ids as keys. It can be as large as the site, so it is shared and not copied.
 */
export interface PageIds {
  has(id: number): boolean;
  keys(): Iterable<number>;
}

export class CoveredPages {
  readonly #store: Store;
  /** By host id: the pages that stay on the ordinary schedule. */
  readonly #led: ReadonlyMap<number, PageIds>;
  readonly #held: ReadonlySet<number>;
  #coversAll: boolean | null = null;

  constructor(store: Store, led: ReadonlyMap<number, PageIds>, held: ReadonlySet<number> = new Set<number>()) {
    this.#store = store;
    this.#led = led;
    this.#held = held;
  }

  leavesOut({ id, hostId }: Pick<VisitRecord, 'id' | 'hostId'>): boolean {
    return this.#held.has(hostId) || this.#led.get(hostId)?.has(id) === false;
  }

  isHeld(hostId: number): boolean {
    return this.#held.has(hostId);
  }

  /** Whether every host is led or held. A host that was never asked has no pages. */
  async coversAll(): Promise<boolean> {
    this.#coversAll ??= await this.#findNoOther();
    return this.#coversAll;
  }

  async #findNoOther(): Promise<boolean> {
    if (this.#led.size + this.#held.size === 0) return false;
    const isOther = ({ id, manners }: HostRecord) => manners.askedAtMs > 0 && !this.#led.has(id) && !this.#held.has(id);
    for await (const hosts of inBatches((after, limit) => this.#store.hosts(after, limit), HOSTS_AT_ONCE))
      if (hosts.some(isOther)) return false;
    return true;
  }

  /** The pages of led hosts that stay on the ordinary schedule, in ascending order. */
  get besides(): readonly number[] {
    return [...this.#led.values()].flatMap((ids) => [...ids.keys()]).sort((a, b) => a - b);
  }
}

/** The led pages as the store knows them, without requests: for `refresh --dry-run` and `explain`. */
export async function coveredBefore(store: Store): Promise<CoveredPages> {
  const led = new Map<number, PageIds>();
  for (const record of await store.watchers()) {
    if (record.cursor === null || !isTrusted(record)) continue;
    const marked = new Set<number>();
    for await (const some of marksOf(store, record.hostId)) for (const { id } of some) marked.add(id);
    led.set(record.hostId, marked);
  }
  return new CoveredPages(store, led);
}

/** Reads the marks in chunks: there may be as many as the host has pages. */
export function marksOf(store: Store, hostId: number): AsyncIterable<readonly MarkedUrl[]> {
  return inBatches((after, limit) => store.marks(hostId, after, limit), MARKS_AT_ONCE);
}
