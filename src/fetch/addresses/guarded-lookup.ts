import type dns from 'node:dns';
import { isIP, type Socket } from 'node:net';
import { PRIVATE_ADDRESS_CODE } from '../network-reason.ts';
import type { DnsCache, LookupCallback } from './dns-cache.ts';
import { isLocalName, nameOf, type PrivateJudge } from './private-rule.ts';

/**
 * Asks the PrivateJudge about every address at the three points where an address becomes known: it
 * is part of the URL, DNS returns it, or a socket is connected to it. In: an origin. Out: the
 * addresses to which a connection is allowed, or an error.
 *
 * What always holds: the connection uses the same DNS answer that was judged. A name that changes
 * its address between the two steps (DNS rebinding) therefore gains nothing. If DNS returns
 * several addresses, only the allowed ones are tried.
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

  /** The `lookup` function that `net.connect` uses to resolve the origin's name. */
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

  /** `net.connect` calls no lookup for a literal address, so the literal is judged here. Null if it is allowed. */
  literalError(origin: string, hostname: string): Error | null {
    return isIP(hostname) === 0 || this.#judge.allows(origin, hostname) ? null : privateAddressError(hostname);
  }

  /** The last check, before anything is sent. Null if the socket is connected to an allowed address. */
  connectedError(origin: string, { remoteAddress }: Pick<Socket, 'remoteAddress'>): Error | null {
    // Without a remote address the connection is already broken, and written bytes go nowhere.
    return remoteAddress === undefined || this.#judge.allows(origin, remoteAddress)
      ? null
      : privateAddressError(remoteAddress);
  }

  /**
   * For requests through a proxy. The proxy resolves names itself and may use any answer, so all answers must be
   * allowed. A name that only the proxy can resolve is passed on, unless it can only be a private name.
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

  /** Called when the connection failed. The next attempt begins with another address. */
  failed(hostname: string): void {
    this.#dnsCache.rotate(hostname);
  }
}

function privateAddressError(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no address that may be reached`), { code: PRIVATE_ADDRESS_CODE });
}
