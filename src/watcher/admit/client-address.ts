/** Finds the client of a request: the peer, or, if the peer is a trusted proxy, the address that the proxy reports. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { OrbweaverError } from '../../core/errors.ts';

export interface AddressList {
  has(address: string): boolean;
}

export const LOOPBACK = ['127.0.0.0/8', '::1'] as const;

/** A list of addresses and networks such as `10.0.0.0/8`. Throws on any other entry and names the option. */
export function addressList(entries: readonly string[], option = '--trust-proxy'): AddressList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 'ipv6' ? 128 : 32));
    if (isIP(address) === 0 || !isNetwork) {
      const how = 'give addresses such as 10.0.0.7 or networks such as 10.0.0.0/8';
      throw new OrbweaverError('ERR_BAD_OPTION', `${option} ${entry}: ${how}`);
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return { has: (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

export interface Client {
  /** The name under which questions are counted: an address or its network. */
  readonly counted: string;
  /** The client may stand for many: a proxy that does not name its clients, or a program on this machine. */
  readonly isShared: boolean;
  /** The address that rights may depend on; null if only the client itself claims the address. */
  readonly proved: string | null;
}

/** Proxies on this machine, and proxies that the owner named. */
export interface Proxies {
  readonly local: AddressList;
  readonly named: AddressList;
}

/**
 * Only the last hop of `X-Forwarded-For` counts: the proxy wrote it, while the client can write the others. From this
 * machine the header is used for counting, because a client that invents addresses gains no more than one that has
 * many. Rights depend on the header only if the owner named the proxy.
 */
export function clientOf(request: IncomingMessage, proxies: Proxies): Client {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  const isNamed = peer !== null && proxies.named.has(peer);
  // Only the owner's proxies can use a socket of the file system.
  const isProxy = peer === null || isNamed || proxies.local.has(peer);
  if (!isProxy) return { counted: network(peer), isShared: false, proved: peer };
  const forwarded = request.headers['x-forwarded-for'];
  const hops = Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '');
  const last = plainAddress(hops.slice(hops.lastIndexOf(',') + 1).trim());
  if (last !== null) return { counted: network(last), isShared: false, proved: isNamed ? last : null };
  const isDirect = forwarded === undefined && !isNamed;
  return { counted: peer ?? 'socket', isShared: true, proved: isDirect ? peer : null };
}

export function plainAddress(text: string): string | null {
  const address = text.startsWith('::ffff:') && text.includes('.') ? text.slice(7) : text;
  return isIP(address) === 0 ? null : address;
}

/** The owner of one IPv6 address has 2⁶⁴ of them. */
export function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [front = '', back] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const parts = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  const zeros = Math.max(0, 8 - parts.length - tail.length);
  return `${[...parts, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':')}::/64`;
}
