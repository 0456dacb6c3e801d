/** How often one client, and all together, may ask: buckets that fill up again. Bounded, however many clients there are. */

export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export class RateLimit {
  readonly #perClient: Rate;
  readonly #overall: Rate;
  readonly #maxClients: number;
  /** In the order of last use: the one that was longest away is forgotten, and by then mostly full. */
  readonly #clients = new Map<string, Bucket>();
  readonly #all: Bucket;

  constructor(perClient: Rate, overall: Rate, maxClients = 4_096) {
    this.#perClient = perClient;
    this.#overall = overall;
    this.#maxClients = maxClients;
    this.#all = { tokens: overall.burst, atMs: 0 };
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** Seconds to wait; 0: go on. `client` null: only what all have together counts. */
  take(client: string | null, nowMs: number): number {
    const own = client === null ? null : this.#bucketOf(client, nowMs);
    const waitSeconds = Math.max(
      own === null ? 0 : waitOf(own, this.#perClient, nowMs),
      waitOf(this.#all, this.#overall, nowMs),
    );
    if (waitSeconds > 0) return Math.ceil(waitSeconds);
    // Who is refused uses up nothing of what all have.
    if (own !== null) own.tokens--;
    this.#all.tokens--;
    return 0;
  }

  #bucketOf(client: string, nowMs: number): Bucket {
    const bucket = this.#clients.get(client) ?? { tokens: this.#perClient.burst, atMs: nowMs };
    this.#clients.delete(client);
    this.#clients.set(client, bucket);
    if (this.#clients.size > this.#maxClients) this.#clients.delete(this.#clients.keys().next().value!);
    return bucket;
  }
}

/** Fills it up to now; how long until there is one. */
function waitOf(bucket: Bucket, { burst, perSecond }: Rate, nowMs: number): number {
  const passed = Math.max(0, nowMs - bucket.atMs) / 1_000;
  bucket.tokens = Math.min(burst, bucket.tokens + passed * perSecond);
  bucket.atMs = nowMs;
  return bucket.tokens >= 1 ? 0 : (1 - bucket.tokens) / perSecond;
}
