import type dns from 'node:dns';
import { isIP } from 'node:net';
import type { DnsCache, LookupCallback } from './dns-cache.ts';
import { PRIVATE_ADDRESS_CODE } from './network-reason.ts';
import { isPublicAddress } from './private-address.ts';

/**
 * The one place where an address is judged before a connection is made. In comes an origin and what `net.connect` asks
 * of a `lookup`, out go the addresses that may be connected to, or an error.
 *
 * What always holds: unless the origin was named as allowed, the address that is connected to is one that was found
 * public here. The check and the connection use the same answer of the resolver, so a name that changes its address
 * between the two (DNS rebinding) gains nothing.
 */
export type Lookup = (hostname: string, options: dns.LookupOptions, callback: LookupCallback) => void;

export class GuardedLookup {
  readonly anywhere: Lookup;
  readonly publicOnly: Lookup;
  readonly #dnsCache: DnsCache;
  readonly #allowsPrivate: (origin: string) => boolean;

  constructor(dnsCache: DnsCache, allowsPrivate: (origin: string) => boolean) {
    this.#dnsCache = dnsCache;
    this.#allowsPrivate = allowsPrivate;
    this.anywhere = cachedLookup(dnsCache, () => true);
    this.publicOnly = cachedLookup(dnsCache, isPublicAddress);
  }

  allowsPrivate(origin: string): boolean {
    return this.#allowsPrivate(origin);
  }

  /** `net.connect` asks no lookup for a literal address, so it is judged here; null when there is nothing against it. */
  literalError(origin: string, hostname: string): Error | null {
    if (isIP(hostname) === 0 || isPublicAddress(hostname) || this.#allowsPrivate(origin)) return null;
    return privateAddressError(hostname);
  }

  /** The connection failed: the next attempt begins with another address. */
  failed(hostname: string): void {
    this.#dnsCache.rotate(hostname);
  }
}

function cachedLookup(dnsCache: DnsCache, accepts: (ip: string) => boolean): Lookup {
  return (hostname, options, callback) => {
    dnsCache.addresses(hostname).then(
      (addresses) => {
        const accepted = addresses.filter(({ address }) => accepts(address));
        if (accepted.length === 0) return callback(privateAddressError(hostname), '');
        const family = options.family === 4 || options.family === 6 ? options.family : 0;
        const usable = family === 0 ? accepted : accepted.filter((entry) => entry.family === family);
        const first = usable[0];
        if (!first) return callback(Object.assign(new Error('no address of that family'), { code: 'ENOTFOUND' }), '');
        if (options.all) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };
}

function privateAddressError(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no public address`), { code: PRIVATE_ADDRESS_CODE });
}
