/**
 * The one place that decides whether a connection may be made to an address. In: the rule of the crawl, an origin and
 * an
 * address. Out: yes or no.
 *
 * What always holds: the rule comes from what the user typed and from nothing else. Public addresses are always
 * allowed;
 * an address that must be named is allowed only where the user typed that address, or a network of such addresses.
 */
import { type BlockList, isIP } from 'node:net';
import { OrbweaverError } from '../core/errors.ts';
import {
  addressClass,
  destinationOf,
  familyOf,
  isLoopbackAddress,
  isNamedNetwork,
  type Network,
  networkList,
  stripBrackets,
  unmapped,
} from './private-address.ts';

/** Plain data: it crosses to other threads. */
export interface PrivateRule {
  /** 'allow': every private address, except those that must be named. */
  readonly privateAddresses: 'deny' | 'allow';
  /** Origins (scheme, host and port) of seeds with a literal address, or with a name of this machine (`localhost`). */
  readonly allowedPrivateHosts: readonly string[];
  /** Addresses, networks and host names of `--allow-private`, in the form that core/allow-private.ts gives them. */
  readonly allowedPrivate: readonly string[];
}

export const NOTHING_PRIVATE: PrivateRule = { privateAddresses: 'deny', allowedPrivateHosts: [], allowedPrivate: [] };

export class PrivateJudge {
  readonly #allowsAll: boolean;
  readonly #origins: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #networks: NetworkSet;
  /** Only addresses that must be named. */
  readonly #named: NetworkSet;

  constructor({ privateAddresses, allowedPrivateHosts, allowedPrivate }: PrivateRule) {
    this.#allowsAll = privateAddresses === 'allow';
    this.#origins = new Set(allowedPrivateHosts.map(originOf));
    this.#names = new Set(allowedPrivate.filter((entry) => networkOf(entry) === null));
    const networks = allowedPrivate.map(networkOf).filter((network) => network !== null);
    this.#networks = new NetworkSet(networks);
    this.#named = new NetworkSet(networks.filter(isNamedNetwork));
  }

  /** `address` is what DNS answered, what stands in the URL, or what a socket is connected to. */
  allows(origin: string, address: string): boolean {
    const kind = addressClass(address);
    if (kind === 'public' || this.#isSeed(origin, address)) return true;
    if (kind === 'must-be-named') return this.#named.has(address);
    return this.allowsName(origin) || this.#networks.has(address);
  }

  /** Whether a private address is allowed whichever it is, for a name that we cannot resolve. */
  allowsName(origin: string): boolean {
    return this.#allowsAll || this.#names.has(nameOf(origin));
  }

  /** The seed's own origin: a literal is the address itself, and a name of this machine may lead to loopback only. */
  #isSeed(origin: string, address: string): boolean {
    if (!this.#origins.has(origin)) return false;
    const name = nameOf(origin);
    return isIP(name) !== 0 || (isLocalName(name) && isLoopbackAddress(address));
  }
}

/** RFC 6761 §6.3: `localhost` and the names under it are always this machine. */
export function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** The name or address of an origin, without brackets and without the final dot of a name. */
export function nameOf(origin: string): string {
  const hostname = URL.parse(origin)?.hostname ?? '';
  return stripBrackets(hostname).replace(/\.$/, '');
}

/** IPv4 and IPv6 apart: a `BlockList` takes an IPv4 address for one of ::/0 as well. */
class NetworkSet {
  readonly #lists: Readonly<Record<'ipv4' | 'ipv6', BlockList>>;

  constructor(networks: readonly Network[]) {
    const of = (family: 'ipv4' | 'ipv6') => networkList(networks.filter(([address]) => familyOf(address) === family));
    this.#lists = { ipv4: of('ipv4'), ipv6: of('ipv6') };
  }

  has(ip: string): boolean {
    const address = destinationOf(ip);
    const family = familyOf(address);
    return isIP(address) !== 0 && this.#lists[family].check(address, family);
  }
}

/** Null for a host name. */
function networkOf(entry: string): Network | null {
  const [text = '', bits] = entry.split('/');
  const address = bits === undefined ? destinationOf(text) : unmapped(text);
  if (isIP(address) === 0) return null;
  if (bits === undefined) return [address, isIP(address) === 4 ? 32 : 128];
  // A mapped network is one of IPv4, whose bits come after the 96 of the prefix.
  return [address, address === text ? Number(bits) : Math.max(0, Number(bits) - 96)];
}

function originOf(host: string): string {
  const origin = URL.parse(host)?.origin;
  if (origin === undefined) throw new OrbweaverError('ERR_BAD_OPTION', `${host} is no scheme and host`);
  return origin;
}
