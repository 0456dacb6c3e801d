/**
 * A rate limit per client and for all clients together, with token buckets. Its memory
 * is bounded for any number of clients.
 *
 * Many heavy clients must not use up the common bucket for a light client. A client that asked for less than half of
 * its own limit over the last minute has a reserve that the others cannot use.
 */
import { putNewest } from '../../core/bounded-map.ts';

export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

interface Client extends Bucket {
  /** Questions in about the last minute, answered or refused. */
  recent: number;
}

const MINUTE_MS = 60_000;
/** A client is light below this part of its own limit per minute. */
const LIGHT_SHARE = 0.5;
/** Size of the reserve, as a part of the common limit and on top of it. */
const RESERVE = 0.25;

export class RateLimit {
  readonly #perClient: Rate;
  readonly #overall: Rate;
  readonly #reserve: Rate;
  readonly #maxClients: number;
  /** In the order of last use. The least recently used client is forgotten; by then its bucket is mostly full. */
  readonly #clients = new Map<string, Client>();
  readonly #all: Bucket;
  readonly #reserved: Bucket;

  constructor(perClient: Rate, overall: Rate, maxClients = 4_096) {
    this.#perClient = perClient;
    this.#overall = overall;
    this.#reserve = { burst: Math.floor(RESERVE * overall.burst), perSecond: RESERVE * overall.perSecond };
    this.#maxClients = maxClients;
    this.#all = { tokens: overall.burst, atMs: 0 };
    this.#reserved = { tokens: this.#reserve.burst, atMs: 0 };
  }

  get clients(): number {
    return this.#clients.size;
  }

  /**
   * Returns the seconds to wait; 0 to go on. `cost` is the number of questions that this one counts for. `scale`
   * multiplies the limit of a client that stands for many.
   */
  take(client: string, nowMs: number, cost = 1, scale = 1): number {
    const { burst, perSecond } = this.#perClient;
    const rate = { burst: burst * scale, perSecond: perSecond * scale };
    const own = this.#clientOf(client, nowMs, rate.burst);
    own.recent *= Math.exp(-Math.max(0, nowMs - own.atMs) / MINUTE_MS);
    const ownSeconds = waitOf(own, rate, nowMs, cost);
    const allSeconds = waitOf(this.#all, this.#overall, nowMs, cost);
    const isLight = own.recent < (LIGHT_SHARE * rate.perSecond * MINUTE_MS) / 1_000;
    own.recent += cost;
    const isReserved = allSeconds > 0 && isLight && waitOf(this.#reserved, this.#reserve, nowMs, cost) === 0;
    if (ownSeconds > 0 || (allSeconds > 0 && !isReserved)) return Math.ceil(Math.max(ownSeconds, allSeconds));
    // A refused question uses up nothing of the common bucket.
    own.tokens -= cost;
    (isReserved ? this.#reserved : this.#all).tokens -= cost;
    return 0;
  }

  #clientOf(client: string, nowMs: number, burst: number): Client {
    const found = this.#clients.get(client) ?? { tokens: burst, atMs: nowMs, recent: 0 };
    putNewest(this.#clients, client, found, this.#maxClients);
    return found;
  }
}

/**
 * Fills the bucket up to now and returns the seconds until there is enough. A cost above the
 * bucket size waits for a full bucket.
 */
function waitOf(bucket: Bucket, { burst, perSecond }: Rate, nowMs: number, cost: number): number {
  const passed = Math.max(0, nowMs - bucket.atMs) / 1_000;
  bucket.tokens = Math.min(burst, bucket.tokens + passed * perSecond);
  bucket.atMs = nowMs;
  const needed = Math.min(cost, Math.max(1, burst));
  return bucket.tokens >= needed ? 0 : (needed - bucket.tokens) / perSecond;
}
