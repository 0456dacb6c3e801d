import dns from 'node:dns';
import { isIP } from 'node:net';
import { putNewest } from '../../core/bounded-map.ts';
import type { Clock } from '../../core/clock.ts';

/**
 * Resolves host names to addresses and caches the answers (W12). In: a host name. Out: all
 * addresses of both families, in the resolver's order.
 *
 * What always holds: there is at most one DNS request per name at a time, however many callers wait for it. The cache
 * never has more than `maxEntries` names.
 */
export const DNS_DEFAULTS = {
  /** getaddrinfo reports no time to live, so every answer gets this one. */
  positiveTtlMs: 5 * 60_000,
  negativeTtlMs: 30_000,
  maxEntries: 50_000,
  resolve: (hostname: string) => dns.promises.lookup(hostname, { all: true, order: 'verbatim' }),
};
export type DnsOptions = Readonly<typeof DNS_DEFAULTS>;

export type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | dns.LookupAddress[],
  family?: number,
) => void;

interface Entry {
  /** Empty for a cached failure. */
  addresses: dns.LookupAddress[];
  error: NodeJS.ErrnoException | null;
  expiresAtMs: number;
}

export class DnsCache {
  readonly #clock: Clock;
  readonly #options: DnsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<Entry>>();

  constructor(clock: Clock, options: Partial<DnsOptions> = {}) {
    this.#clock = clock;
    this.#options = { ...DNS_DEFAULTS, ...options };
  }

  /** All addresses of a name. Rejects with the resolver's error. */
  async addresses(hostname: string): Promise<readonly dns.LookupAddress[]> {
    const family = isIP(hostname);
    if (family !== 0) return [{ address: hostname, family }];
    const key = hostname.toLowerCase();
    const known = this.#entries.get(key);
    const entry = known && known.expiresAtMs > this.#clock.now() ? known : await this.#ask(key);
    if (entry.error) throw entry.error;
    return entry.addresses;
  }

  /** Called when a connection to the first address failed. The next attempt begins with another address. */
  rotate(hostname: string): void {
    const addresses = this.#entries.get(hostname.toLowerCase())?.addresses;
    const first = addresses && addresses.length > 1 ? addresses.shift() : undefined;
    if (first) addresses?.push(first);
  }

  get size(): number {
    return this.#entries.size;
  }

  #ask(key: string): Promise<Entry> {
    const asked = this.#asking.get(key);
    if (asked) return asked;
    const asking = this.#resolve(key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #resolve(key: string): Promise<Entry> {
    let entry: Entry;
    try {
      const addresses = [...(await this.#options.resolve(key))];
      if (addresses.length === 0) throw Object.assign(new Error(`no address for ${key}`), { code: 'ENOTFOUND' });
      entry = { addresses, error: null, expiresAtMs: this.#clock.now() + this.#options.positiveTtlMs };
    } catch (error) {
      const expiresAtMs = this.#clock.now() + this.#options.negativeTtlMs;
      entry = { addresses: [], error: error as NodeJS.ErrnoException, expiresAtMs };
    }
    putNewest(this.#entries, key, entry, this.#options.maxEntries);
    return entry;
  }
}
