/**
 * The one place that decides whether a connection to an address is allowed. In: the rule of the
 * crawl, an origin and an address. Out: yes or no.
 *
 * What always holds: the rule depends only on the user's input. Public addresses are always allowed. A `must-be-named`
 * address is allowed only if the user typed the address, or a network that consists of such addresses.
 */
import { type BlockList, isIP } from 'node:net';
import { OrbweaverError } from '../../core/errors.ts';
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

/** Plain data, because it is sent to other threads. */
export interface PrivateRule {
  /** 'allow' allows every private address, except `must-be-named` addresses. */
  readonly privateAddresses: 'deny' | 'allow';
  /** Origins (scheme, host and port) of seeds that have a literal address or a name of this machine (`localhost`). */
  readonly allowedPrivateHosts: readonly string[];
  /**
   * Addresses, networks and host names from `--allow-private`, in the form that core/options/allow-private.ts produces.
   */
  readonly allowedPrivate: readonly string[];
}

export const NOTHING_PRIVATE: PrivateRule = { privateAddresses: 'deny', allowedPrivateHosts: [], allowedPrivate: [] };

export class PrivateJudge {
  readonly #allowsAll: boolean;
  readonly #origins: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #networks: NetworkSet;
  /** Only `must-be-named` addresses. */
  readonly #named: NetworkSet;

  constructor({ privateAddresses, allowedPrivateHosts, allowedPrivate }: PrivateRule) {
    this.#allowsAll = privateAddresses === 'allow';
    this.#origins = new Set(allowedPrivateHosts.map(originOf));
    this.#names = new Set(allowedPrivate.filter((entry) => networkOf(entry) === null));
    const networks = allowedPrivate.map(networkOf).filter((network) => network !== null);
    this.#networks = new NetworkSet(networks);
    this.#named = new NetworkSet(networks.filter(isNamedNetwork));
  }

  /** `address` comes from DNS, from the URL, or from a connected socket. */
  allows(origin: string, address: string): boolean {
    const kind = addressClass(address);
    if (kind === 'public' || this.#isSeed(origin, address)) return true;
    if (kind === 'must-be-named') return this.#named.has(address);
    return this.allowsName(origin) || this.#networks.has(address);
  }

  /** For a name that we cannot resolve: whether every private address is allowed for it. */
  allowsName(origin: string): boolean {
    return this.#allowsAll || this.#names.has(nameOf(origin));
  }

  /**
   * Whether the origin is a seed and may lead to this address. A literal is the address itself. A name of this machine
   * may only lead to a loopback address.
   */
  #isSeed(origin: string, address: string): boolean {
    if (!this.#origins.has(origin)) return false;
    const name = nameOf(origin);
    return isIP(name) !== 0 || (isLocalName(name) && isLoopbackAddress(address));
  }
}

/** RFC 6761 §6.3: `localhost` and the names under it always mean this machine. */
export function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** The name or address of an origin, without brackets and without the final dot of a name. */
export function nameOf(origin: string): string {
  const hostname = URL.parse(origin)?.hostname ?? '';
  return stripBrackets(hostname).replace(/\.$/, '');
}

/** IPv4 and IPv6 are in separate lists, because a `BlockList` with ::/0 also matches IPv4 addresses. */
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
  // A mapped network is an IPv4 network. The first 96 bits are the prefix of the mapping.
  return [address, address === text ? Number(bits) : Math.max(0, Number(bits) - 96)];
}

function originOf(host: string): string {
  const origin = URL.parse(host)?.origin;
  if (origin === undefined)
    throw new OrbweaverError(
      'ERR_BAD_OPTION',
      `${host} is not a scheme and a host; write for example http://127.0.0.1:8080`,
    );
  return origin;
}
