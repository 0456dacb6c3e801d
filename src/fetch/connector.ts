import type dns from 'node:dns';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { DnsCache, LookupCallback } from './dns-cache.ts';
import { PRIVATE_ADDRESS_CODE } from './network-reason.ts';
import { isPublicAddress } from './private-address.ts';

/**
 * Opens connections, and is the one place where an address is judged. In comes an origin, out goes a socket or an error.
 *
 * What always holds: unless the origin was named as allowed, the address that is connected to is one that was found
 * public here. The check and the connection use the same answer of the resolver, so a name that changes its address
 * between the two (DNS rebinding) gains nothing.
 */
export interface ConnectorOptions {
  readonly connectTimeoutMs: number;
  readonly allowH2: boolean;
  readonly rejectUnauthorized: boolean;
  readonly allowsPrivate: (origin: string) => boolean;
}

type Lookup = (hostname: string, options: dns.LookupOptions, callback: LookupCallback) => void;

/** TLS sessions remembered for a quicker second handshake, over all hosts. */
const MAX_TLS_SESSIONS = 2_000;

export function createConnector(dnsCache: DnsCache, options: ConnectorOptions): buildConnector.connector {
  const build = (lookup: Lookup): buildConnector.connector =>
    buildConnector({
      timeout: options.connectTimeoutMs,
      allowH2: options.allowH2,
      maxCachedSessions: MAX_TLS_SESSIONS,
      rejectUnauthorized: options.rejectUnauthorized,
      autoSelectFamily: true,
      lookup,
    } as buildConnector.BuildOptions);
  const anywhere = build(cachedLookup(dnsCache, () => true));
  const publicOnly = build(cachedLookup(dnsCache, isPublicAddress));

  return (target, callback) => {
    const allowed = options.allowsPrivate(`${target.protocol}//${target.host ?? target.hostname}`);
    // `net.connect` asks no lookup for a literal address.
    if (!allowed && isIP(target.hostname) !== 0 && !isPublicAddress(target.hostname)) {
      queueMicrotask(() => callback(privateAddressError(target.hostname), null));
      return;
    }
    const connect = allowed ? anywhere : publicOnly;
    connect(target, (...result) => {
      if (result[0] !== null) dnsCache.rotate(target.hostname);
      callback(...result);
    });
  };
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
