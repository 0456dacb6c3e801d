/**
 * Sixty addresses that a public crawl must not reach: every special-purpose block of IPv4 and IPv6, the metadata
 * services of clouds, and IPv6 addresses that stand for IPv4 addresses. No two of them arrive at the same
 * address, so a connection identifies its target.
 */
export type TargetKind = 'ipv4' | 'ipv6' | 'nat64';

export interface PrivateTarget {
  readonly address: string;
  readonly kind: TargetKind;
  /** Link-local or a metadata service: a bare --allow-private does not open it. */
  readonly mustBeNamed: boolean;
}

const IPV4 = `0.0.0.0 10.0.0.1 10.9.8.7 10.255.255.254 100.64.0.1 100.127.255.254 127.0.0.2 127.1.2.3 127.255.255.254
  172.16.0.1 172.17.0.1 172.31.255.254 192.0.0.1 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
  192.168.1.254 192.175.48.1 198.18.0.1 198.51.100.1 203.0.113.1 240.0.0.1`;
const IPV4_NAMED = '100.100.100.200 168.63.129.16 169.254.0.23 169.254.42.42 169.254.169.254 169.254.170.2 192.0.0.192';
const IPV6 = `::1 ::10.9.8.17 ::127.0.0.17 ::ffff:10.9.8.27 ::ffff:127.0.0.27 100::1 2001::1
  2001:0:4136:e378:8000:63bf:f5f6:f7f8 2001:2::1 2001:10::1 2001:db8::1 2002:a09:807::1 2002:7f00:1::1 3fff::1 5f00::1
  fc00::1 fd00::1 fec0::1`;
const IPV6_NAMED = '::ffff:169.254.169.253 2002:a9fe:a9fe::1 fd00:ec2::254 fd20:ce::254 fd00:42::42';
const NAT64 = '64:ff9b::10.9.8.7 64:ff9b::127.0.0.1';
const NAT64_NAMED = '64:ff9b::169.254.169.254 64:ff9b:1::10.9.8.7 64:ff9b:1:a09:8:700:: 64:ff9b:1::169.254.169.254';

export const PRIVATE_TARGETS: readonly PrivateTarget[] = [
  ...listed(IPV4, 'ipv4', false),
  ...listed(IPV4_NAMED, 'ipv4', true),
  ...listed(IPV6, 'ipv6', false),
  ...listed(IPV6_NAMED, 'ipv6', true),
  ...listed(NAT64, 'nat64', false),
  ...listed(NAT64_NAMED, 'nat64', true),
];

/** The address in the notation of a URL. */
export function urlHostOf({ address }: PrivateTarget): string {
  return address.includes(':') ? new URL(`http://[${address}]/`).hostname : address;
}

function listed(text: string, kind: TargetKind, mustBeNamed: boolean): PrivateTarget[] {
  return text.split(/\s+/).map((address) => ({ address, kind, mustBeNamed }));
}
