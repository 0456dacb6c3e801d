/** Who asks: the peer, or, where that is a proxy of ours, the address it says. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { OrbweaverError } from '../../core/errors.ts';

export interface AddressList {
  has(address: string): boolean;
}

export const LOOPBACK = ['127.0.0.0/8', '::1'] as const;

/** Of addresses and of networks such as `10.0.0.0/8`. Throws on what is neither, and names the option it came from. */
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
  /** What its questions are counted under: an address, or the network of one. */
  readonly counted: string;
  /** A proxy that does not say who asks, or a program on this machine: it may stand for many. */
  readonly isShared: boolean;
  /** The address that rights may be given to; null where only the client itself says so. */
  readonly proved: string | null;
}

/** Proxies of this machine, and those that the owner named. */
export interface Proxies {
  readonly local: AddressList;
  readonly named: AddressList;
}

/**
 * Of `X-Forwarded-For` the last hop alone counts: the proxy wrote that one, the others are the client's own words. From
 * this machine the
 * header is believed to count by, since a visitor who makes addresses up gains no more than one who has them; rights
 * are given by it only where the owner has named the proxy.
 */
export function clientOf(request: IncomingMessage, proxies: Proxies): Client {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  const isNamed = peer !== null && proxies.named.has(peer);
  // A socket of the file system is open to proxies of ours only.
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

/** Whoever has one IPv6 address has 2⁶⁴ of them. */
export function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [front = '', back] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const parts = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  const zeros = Math.max(0, 8 - parts.length - tail.length);
  return `${[...parts, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':')}::/64`;
}
