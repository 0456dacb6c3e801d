/** Who asks: the peer, or, where that is a proxy of ours, the address it says. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { OrbweaverError } from '../../core/errors.ts';

export interface TrustedProxies {
  has(address: string): boolean;
}

export const LOOPBACK = ['127.0.0.0/8', '::1'] as const;

/** Of addresses and of networks such as `10.0.0.0/8`. Throws on what is neither. */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 'ipv6' ? 128 : 32));
    if (isIP(address) === 0 || !isNetwork) {
      const how = 'give addresses such as 10.0.0.7 or networks such as 10.0.0.0/8';
      throw new OrbweaverError('ERR_BAD_OPTION', `--trust-proxy ${entry}: ${how}`);
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return { has: (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

/**
 * What its requests are counted under; null for a proxy of ours that does not say who asks, and for a socket of the file system, which only a proxy
 * of ours has. Of `X-Forwarded-For` the last hop alone counts: the proxy wrote that one, the others are the client's own words.
 */
export function clientAddress(request: IncomingMessage, proxies: TrustedProxies): string | null {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  if (peer !== null && !proxies.has(peer)) return network(peer);
  const forwarded = request.headers['x-forwarded-for'];
  const hops = Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '');
  const last = plainAddress(hops.slice(hops.lastIndexOf(',') + 1).trim());
  return last === null ? null : network(last);
}

function plainAddress(text: string): string | null {
  const address = text.startsWith('::ffff:') && text.includes('.') ? text.slice(7) : text;
  return isIP(address) === 0 ? null : address;
}

/** Whoever has one IPv6 address has 2⁶⁴ of them. */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [front = '', back] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const parts = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  const zeros = Math.max(0, 8 - parts.length - tail.length);
  return `${[...parts, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':')}::/64`;
}
