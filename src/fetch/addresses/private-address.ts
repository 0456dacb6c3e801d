import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Decides which addresses belong to the public Internet. In: an IP address as text. Out: its class. An address that is
 * not clearly public is not public. The tables are the IANA special-purpose registries (RFC 6890 and its successors).
 * An IPv6 address that contains an IPv4 address is judged by both, and gets the stricter class.
 *
 * `must-be-named` addresses are link-local or lead to the metadata service of a cloud, which gives credentials to every
 * client. Nobody means these addresses by "private addresses", so they are reached only if the user has typed them.
 */
export type AddressClass = 'public' | 'private' | 'must-be-named';

export type Network = readonly [address: string, bits: number];

const SPECIAL_IPV4: readonly Network[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
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
];

/** Networks inside 2000::/3, the only block of IPv6 that is allocated for global unicast. */
const SPECIAL_IPV6: readonly Network[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID …
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: judged by the embedded address
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
];

/** A larger network in `--allow-private` does not allow these addresses. A network inside one of these does. */
const MUST_BE_NAMED: readonly Network[] = [
  ['169.254.0.0', 16], // link-local; metadata of most clouds
  ['100.100.100.200', 32], // metadata of Alibaba
  ['168.63.129.16', 32], // platform services of Azure, in a public block
  ['192.0.0.192', 32], // metadata of Oracle
  ['fe80::', 10], // link-local
  ['fd00:ec2::', 32], // metadata of Amazon
  ['fd20:ce::254', 128], // metadata of Google
  ['fd00:c1::a9fe:a9fe', 128], // metadata of Oracle
  ['fd00:42::42', 128], // metadata of Scaleway
  ['64:ff9b:1::', 48], // NAT64 for local use (RFC 8215): the operator chooses where the IPv4 address stands
];

/** IPv6 networks with an embedded IPv4 address. `group` is the first of its two 16-bit groups. */
const EMBEDDED: readonly (readonly [...Network, group: number])[] = [
  ['::ffff:0:0', 96, 6], // IPv4-mapped
  ['::', 96, 6], // IPv4-compatible, deprecated
  ['64:ff9b::', 96, 6], // NAT64 (RFC 6052)
  ['2002::', 16, 1], // 6to4
  ['2001::', 32, 6], // Teredo: the client address, with all bits inverted (RFC 4380 §4)
];

const specialIpv4 = networkList(SPECIAL_IPV4);
const specialIpv6 = networkList(SPECIAL_IPV6);
const mustBeNamed = MUST_BE_NAMED.map((network) => ({ network, list: networkList([network]) }));
const embedded = EMBEDDED.map(([address, bits, group]) => ({ list: networkList([[address, bits]]), address, group }));
const globalUnicast = networkList([['2000::', 3]]);
const loopback = networkList([
  ['127.0.0.0', 8],
  ['::1', 128],
]);

/** Accepts "93.184.216.34", "2001:db8::1", "[::1]" and "fe80::1%eth0". Anything else is private. */
export function addressClass(ip: string): AddressClass {
  const address = stripBrackets(ip);
  if (isIPv4(address)) return classOfIpv4(address);
  if (!isIPv6(address)) return 'private';
  // An address with a zone id has a meaning on one link only.
  if (address.includes('%') || isIn(mustBeNamed, address)) return 'must-be-named';
  const inner = embedded.find(({ list }) => list.check(address, 'ipv6'));
  if (inner !== undefined) {
    const innerClass = classOfIpv4(embeddedIpv4(address, inner.group, inner.address === '2001::'));
    // Only NAT64 and 6to4 lead to the public Internet.
    const isWay = inner.address === '64:ff9b::' || inner.address === '2002::';
    return innerClass === 'public' && !isWay ? 'private' : innerClass;
  }
  // Unique local, site-local and multicast addresses are all outside 2000::/3.
  return globalUnicast.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6') ? 'public' : 'private';
}

export function isLoopbackAddress(ip: string): boolean {
  const address = destinationOf(ip);
  return (isIPv4(address) || isIPv6(address)) && loopback.check(address, familyOf(address));
}

/** Whether all addresses of the network are `must-be-named`. If so, the user has named them by typing the network. */
export function isNamedNetwork([address, bits]: Network): boolean {
  const isOneAddress = bits === (isIPv4(address) ? 32 : 128);
  if (isOneAddress) return addressClass(address) === 'must-be-named';
  return mustBeNamed.some(({ network, list }) => bits >= network[1] && list.check(address, familyOf(address)));
}

/** Converts an IPv4-mapped address to its IPv4 address. */
export function unmapped(ip: string): string {
  const address = stripBrackets(ip);
  const isMapped = isIPv6(address) && !address.includes('%') && embedded[0]!.list.check(address, 'ipv6');
  return isMapped ? embeddedIpv4(address, 6) : address;
}

/** The address to which a connection really goes. The system treats the unspecified address as this machine. */
export function destinationOf(ip: string): string {
  const address = unmapped(ip);
  if (address === '0.0.0.0') return '127.0.0.1';
  return isIPv6(address) && ipv6Groups(address).every((group) => group === 0) ? '::1' : address;
}

export function networkList(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of networks) list.addSubnet(address, bits, familyOf(address));
  return list;
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** Removes the brackets that URLs put around an IPv6 literal. */
export function stripBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function classOfIpv4(address: string): AddressClass {
  if (isIn(mustBeNamed, address)) return 'must-be-named';
  return specialIpv4.check(address, 'ipv4') ? 'private' : 'public';
}

function isIn(networks: readonly { readonly list: BlockList }[], address: string): boolean {
  return networks.some(({ list }) => list.check(address, familyOf(address)));
}

/** The IPv4 address in the two 16-bit groups that begin at `group`. */
function embeddedIpv4(address: string, group: number, isInverted = false): string {
  const groups = ipv6Groups(address).map((value) => (isInverted ? value ^ 0xffff : value));
  const high = groups[group] ?? 0;
  const low = groups[group + 1] ?? 0;
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** The eight groups of a valid IPv6 address. */
export function ipv6Groups(address: string): number[] {
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
