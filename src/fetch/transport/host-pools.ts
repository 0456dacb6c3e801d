import type { Transport } from './transport.ts';

/**
 * Keep-alive connections by origin. In: an origin. Out: the transport that owns its connections.
 *
 * What always holds: at most `maxHosts` hosts have a pool, unless more are busy at once. A pool is closed only after
 * its last request. A crawl of 100,000 hosts therefore does not leave 100,000 pools behind.
 */
export interface HostPoolsOptions {
  readonly maxHosts: number;
  readonly createTransport: (origin: string) => Transport;
}

export interface HostPool {
  readonly transport: Transport;
  /** Number of unfinished requests. */
  open: number;
}

/** How many pools are checked, oldest first, to find an idle one to close. */
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

  /** The pool of an origin. It counts one more request until `release` is called. */
  acquire(origin: string): HostPool {
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      if (this.#pools.size >= this.#options.maxHosts) this.#evict();
      pool = { transport: this.#options.createTransport(origin), open: 0 };
    } else {
      // Moves the pool to the end, because a Map keeps the order of insertion.
      this.#pools.delete(origin);
    }
    this.#pools.set(origin, pool);
    pool.open += 1;
    return pool;
  }

  release(pool: HostPool): void {
    pool.open -= 1;
  }

  /** Removes the origin. Its connections close when their requests are done. */
  close(origin: string): void {
    const pool = this.#pools.get(origin);
    if (pool === undefined) return;
    this.#pools.delete(origin);
    const closing = pool.transport.close();
    this.#closing.add(closing);
    closing.finally(() => this.#closing.delete(closing));
  }

  /** Closes everything, including requests in progress. */
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
