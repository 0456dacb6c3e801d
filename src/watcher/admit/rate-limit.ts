/**
 * How often one client, and all together, may ask: buckets that fill up again. Bounded, however many clients there are.
 *
 * Many who ask much must not use up what all have together for one who asks little: a client that has asked for less
 * than half of what it
 * may, over the last minute, has a reserve that the others cannot touch.
 */

export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

interface Client extends Bucket {
  /** Questions of about the last minute, answered or refused. */
  recent: number;
}

const MINUTE_MS = 60_000;
/** Of what a client may ask in a minute. */
const LITTLE = 0.5;
/** Of what all have together, on top of it. */
const RESERVE = 0.25;

export class RateLimit {
  readonly #perClient: Rate;
  readonly #overall: Rate;
  readonly #reserve: Rate;
  readonly #maxClients: number;
  /** In the order of last use: the one that was longest away is forgotten, and by then mostly full. */
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
   * Seconds to wait; 0: go on. `cost`: as many questions as this one counts for. `scale`: of a client that stands for
   * many.
   */
  take(client: string, nowMs: number, cost = 1, scale = 1): number {
    const { burst, perSecond } = this.#perClient;
    const rate = { burst: burst * scale, perSecond: perSecond * scale };
    const own = this.#clientOf(client, nowMs, rate.burst);
    own.recent *= Math.exp(-Math.max(0, nowMs - own.atMs) / MINUTE_MS);
    const ownSeconds = waitOf(own, rate, nowMs, cost);
    const allSeconds = waitOf(this.#all, this.#overall, nowMs, cost);
    const asksLittle = own.recent < (LITTLE * rate.perSecond * MINUTE_MS) / 1_000;
    own.recent += cost;
    const isReserved = allSeconds > 0 && asksLittle && waitOf(this.#reserved, this.#reserve, nowMs, cost) === 0;
    if (ownSeconds > 0 || (allSeconds > 0 && !isReserved)) return Math.ceil(Math.max(ownSeconds, allSeconds));
    // Who is refused uses up nothing of what all have.
    own.tokens -= cost;
    (isReserved ? this.#reserved : this.#all).tokens -= cost;
    return 0;
  }

  #clientOf(client: string, nowMs: number, burst: number): Client {
    const found = this.#clients.get(client) ?? { tokens: burst, atMs: nowMs, recent: 0 };
    this.#clients.delete(client);
    this.#clients.set(client, found);
    if (this.#clients.size > this.#maxClients) this.#clients.delete(this.#clients.keys().next().value!);
    return found;
  }
}

/** Fills it up to now; how long until there is enough. What costs more than a full bucket waits for that. */
function waitOf(bucket: Bucket, { burst, perSecond }: Rate, nowMs: number, cost: number): number {
  const passed = Math.max(0, nowMs - bucket.atMs) / 1_000;
  bucket.tokens = Math.min(burst, bucket.tokens + passed * perSecond);
  bucket.atMs = nowMs;
  const needed = Math.min(cost, Math.max(1, burst));
  return bucket.tokens >= needed ? 0 : (needed - bucket.tokens) / perSecond;
}
