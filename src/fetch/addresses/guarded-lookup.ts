import type dns from 'node:dns';
import { isIP, type Socket } from 'node:net';
import type { DnsCache, LookupCallback } from './dns-cache.ts';
import { PRIVATE_ADDRESS_CODE } from './network-reason.ts';
import { isLocalName, nameOf, type PrivateJudge } from './private-rule.ts';

/**
 * Asks the judge about every address at the three points where one becomes known: it stands in the URL, DNS answers it,
 * or a socket is connected to it. In comes an origin, out go the addresses that may be connected to, or an error.
 *
 * What always holds: the connection uses the same answer of the resolver that was judged, so a name that changes its
 * address between the two (DNS rebinding) gains nothing. Of several answers only the allowed ones are tried.
 */
export type Lookup = (hostname: string, options: dns.LookupOptions, callback: LookupCallback) => void;

/** Names that no public name server knows: RFC 6761, RFC 6762, RFC 8375 and ICANN's reservation of `internal`. */
const LOCAL_SUFFIX = /(?:^|\.)(?:local|internal|home\.arpa)$/;

export class GuardedLookup {
  readonly #dnsCache: DnsCache;
  readonly #judge: PrivateJudge;

  constructor(dnsCache: DnsCache, judge: PrivateJudge) {
    this.#dnsCache = dnsCache;
    this.#judge = judge;
  }

  /** What `net.connect` is to resolve the origin's name with. */
  lookupFor(origin: string): Lookup {
    return (hostname, options, callback) => {
      this.#dnsCache.addresses(hostname).then(
        (addresses) => {
          const accepted = addresses.filter(({ address }) => this.#judge.allows(origin, address));
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

  /** `net.connect` asks no lookup for a literal address, so it is judged here; null when there is nothing against it. */
  literalError(origin: string, hostname: string): Error | null {
    return isIP(hostname) === 0 || this.#judge.allows(origin, hostname) ? null : privateAddressError(hostname);
  }

  /** The last word, before anything is sent: null when the socket is connected to an address that is allowed. */
  connectedError(origin: string, { remoteAddress }: Pick<Socket, 'remoteAddress'>): Error | null {
    // Without a peer the connection is broken already, and nothing that is written goes anywhere.
    return remoteAddress === undefined || this.#judge.allows(origin, remoteAddress)
      ? null
      : privateAddressError(remoteAddress);
  }

  /**
   * Behind a proxy, which resolves names itself and picks any answer: so all answers must be allowed. A name that only
   * the
   * proxy can resolve is left to it, unless it is one that can only be private.
   */
  async proxiedError(origin: string): Promise<Error | null> {
    const name = nameOf(origin);
    if (isIP(name) !== 0) return this.literalError(origin, name);
    try {
      const addresses = await this.#dnsCache.addresses(name);
      return addresses.every(({ address }) => this.#judge.allows(origin, address)) ? null : privateAddressError(name);
    } catch {
      const isPrivateName = !name.includes('.') || isLocalName(name) || LOCAL_SUFFIX.test(name);
      return isPrivateName && !this.#judge.allowsName(origin) ? privateAddressError(name) : null;
    }
  }

  /** The connection failed: the next attempt begins with another address. */
  failed(hostname: string): void {
    this.#dnsCache.rotate(hostname);
  }
}

function privateAddressError(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no address that may be reached`), { code: PRIVATE_ADDRESS_CODE });
}
