import type { Transport } from './transport.ts';

/**
 * Keep-alive connections, by origin. In comes an origin, out goes the transport that owns its connections.
 *
 * What always holds: never more than `maxHosts` hosts have a pool, unless that many are busy at once; a pool is closed
 * only after its last request. A crawl of 100,000 hosts therefore does not leave 100,000 pools behind.
 */
export interface HostPoolsOptions {
  readonly maxHosts: number;
  readonly createTransport: (origin: string) => Transport;
}

export interface HostPool {
  readonly transport: Transport;
  /** Requests that are not finished. */
  open: number;
}

/** How many pools are looked at, oldest first, for an idle one to close. */
const EVICTION_TRIES = 16;

export class HostPools {
  readonly #options: HostPoolsOptions;
  readonly #pools = new Map<string, HostPool>();
  readonly #closing = new Set<Promise<unknown>>();

  constructor(options: HostPoolsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pools.size;
  }

  /** The pool of an origin, counted as used by one more request until `release`. */
  acquire(origin: string): HostPool {
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      if (this.#pools.size >= this.#options.maxHosts) this.#evict();
      pool = { transport: this.#options.createTransport(origin), open: 0 };
    } else {
      // Back to the young end: a Map keeps the order of insertion.
      this.#pools.delete(origin);
    }
    this.#pools.set(origin, pool);
    pool.open += 1;
    return pool;
  }

  release(pool: HostPool): void {
    pool.open -= 1;
  }

  /** Forgets the origin; its connections close when the requests on them are done. */
  close(origin: string): void {
    const pool = this.#pools.get(origin);
    if (pool === undefined) return;
    this.#pools.delete(origin);
    const closing = pool.transport.close();
    this.#closing.add(closing);
    closing.finally(() => this.#closing.delete(closing));
  }

  /** Ends everything, also what is under way. */
  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.transport.destroy()));
    await Promise.all(this.#closing);
  }

  #evict(): void {
    let tries = EVICTION_TRIES;
    for (const [origin, pool] of this.#pools) {
      if (pool.open === 0) {
        this.close(origin);
        return;
      }
      tries -= 1;
      if (tries === 0) return;
    }
  }
}
