/**
 * Which pages of a copy a refresh leaves to watchers. In: the hosts that a believed watcher leads, with those of their pages that it does not
 * tell of, and the hosts that another crawler has. Out: whether a page is left out of the ordinary schedule.
 *
 * Always: where every host is led, no page that a watcher covers is read from the store, however many there are.
 */
import type { MarkedUrl, Store, VisitRecord } from '../../store/contract.ts';
import { isBelieved } from '../source-trust.ts';

const HOSTS_AT_ONCE = 64;
const MARKS_AT_ONCE = 10_000;

/** A set of them, or a map by them: there may be as many as a site has pages, and whoever has them lends them. */
export interface PageIds {
  has(id: number): boolean;
  keys(): Iterable<number>;
}

export class LedPages {
  readonly #store: Store;
  /** By host, the pages that go by the ordinary schedule all the same. */
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

  /** Whether there is no host but these; one that was never asked has no pages. */
  async coversAll(): Promise<boolean> {
    this.#coversAll ??= await this.#findNoOther();
    return this.#coversAll;
  }

  async #findNoOther(): Promise<boolean> {
    if (this.#led.size + this.#held.size === 0) return false;
    for (let after = 0; ; ) {
      const hosts = await this.#store.hosts(after, HOSTS_AT_ONCE);
      if (hosts.length === 0) return true;
      after = hosts.at(-1)!.id;
      const isOther = ({ id, manners }: (typeof hosts)[number]) =>
        manners.askedAtMs > 0 && !this.#led.has(id) && !this.#held.has(id);
      if (hosts.some(isOther)) return false;
    }
  }

  /** The pages of led hosts that are not left out, ascending. */
  get besides(): readonly number[] {
    return [...this.#led.values()].flatMap((ids) => [...ids.keys()]).sort((a, b) => a - b);
  }
}

/** By what the store knows, asking nobody: what a look at the plan shows. */
export async function ledBefore(store: Store): Promise<LedPages> {
  const led = new Map<number, PageIds>();
  for (const record of await store.watchers()) {
    if (record.cursor === null || !isBelieved(record)) continue;
    const marked = new Set<number>();
    for await (const some of marksOf(store, record.hostId)) for (const { id } of some) marked.add(id);
    led.set(record.hostId, marked);
  }
  return new LedPages(store, led);
}

/** Some at a time: there may be as many as the host has pages. */
export async function* marksOf(store: Store, hostId: number): AsyncGenerator<readonly MarkedUrl[]> {
  for (let after = 0; ; ) {
    const some = await store.marks(hostId, after, MARKS_AT_ONCE);
    yield some;
    if (some.length < MARKS_AT_ONCE) return;
    after = some.at(-1)!.id;
  }
}
