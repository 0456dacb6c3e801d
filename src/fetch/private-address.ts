import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Which addresses belong to the public Internet. In comes an IP address as text, out goes yes or no; whatever is not
 * plainly public is not public. The tables are the IANA special-purpose registries (RFC 6890 and its successors), and
 * an IPv6 address that carries an IPv4 one is judged by both.
 */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relay, withdrawn
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/** Inside 2000::/3, the only block of IPv6 that is handed out for global unicast. */
const SPECIAL_IPV6 = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID …
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: judged by the address inside
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const;

const specialIpv4 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) specialIpv4.addSubnet(network, prefix, 'ipv4');

const specialIpv6 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV6) specialIpv6.addSubnet(network, prefix, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

const nat64 = new BlockList();
nat64.addSubnet('64:ff9b::', 96, 'ipv6');

const sixToFour = new BlockList();
sixToFour.addSubnet('2002::', 16, 'ipv6');

/** Takes "93.184.216.34", "2001:db8::1", "[::1]" and "fe80::1%eth0" alike. */
export function isPublicAddress(ip: string): boolean {
  const address = stripBrackets(ip);
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  // A zone id marks an address that has a meaning on one link only.
  if (!isIPv6(address) || address.includes('%')) return false;
  if (nat64.check(address, 'ipv6')) return isPublicAddress(embeddedIpv4(address, 6));
  if (sixToFour.check(address, 'ipv6')) return isPublicAddress(embeddedIpv4(address, 1));
  // IPv4-mapped, loopback, unique local, link-local, site-local and multicast all lie outside 2000::/3.
  return globalUnicast.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** An IP literal as URLs write it, without the brackets of IPv6. */
export function stripBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** The IPv4 address in the two 16-bit groups that begin at `group`. */
function embeddedIpv4(address: string, group: number): string {
  const groups = ipv6Groups(address);
  const high = groups[group] ?? 0;
  const low = groups[group + 1] ?? 0;
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** The eight groups of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text = dotted ? `${dotted[1]}${hexPair(dotted[2], dotted[3])}:${hexPair(dotted[4], dotted[5])}` : address;
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].map((part) => Number.parseInt(part, 16));
}

function hexPair(high = '0', low = '0'): string {
  return ((Number(high) << 8) | Number(low)).toString(16);
}
