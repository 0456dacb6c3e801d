/**
 * Rate limits for each address. An address has a bucket of requests that fills at a steady rate. What always holds: the
 * table has at most 10,000 addresses; the one that was not seen for the longest time goes first.
 */
import { putNewest } from '../../core/bounded-map.ts';

const MOST_ADDRESSES = 10_000;

export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** Takes one request from the bucket of the address. False: the address has to wait. */
  take(address: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(address);
    const filled =
      bucket === undefined ? this.#burst : bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * this.#perSecond;
    const tokens = Math.min(this.#burst, filled);
    const isAllowed = tokens >= 1;
    this.#buckets.delete(address);
    putNewest(this.#buckets, address, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs }, MOST_ADDRESSES);
    return isAllowed;
  }
}
