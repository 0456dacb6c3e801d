/**
 * The names under which the interface may be asked. In: where it listens. Out: whether a Host header is one of them.
 *
 * A page of another site can make a browser ask a name of its own that leads to this machine (DNS rebinding). The Host
 * header then has that name, so only known names are answered.
 */
import { isIP } from 'node:net';

export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The names that a proxy in front of this server uses. */
  readonly proxyNames: readonly string[];
}

export class AllowedNames {
  readonly #origins = new Set<string>();
  readonly #hosts = new Set<string>();

  constructor({ host, port, isTls, proxyNames }: Listening) {
    const own = isLoopback(host) ? ['127.0.0.1', '[::1]', 'localhost'] : [inUrl(host)];
    const scheme = isTls ? 'https' : 'http';
    for (const name of own) this.#add(scheme, `${name}:${port}`, port === (isTls ? 443 : 80) ? name : null);
    for (const name of proxyNames) this.#add('https', name.toLowerCase(), null);
  }

  /** Whether a Host header names this server. */
  hasHost(host: string | undefined): boolean {
    return host !== undefined && this.#hosts.has(host.toLowerCase());
  }

  /** Whether an Origin header is this server's own. */
  hasOrigin(origin: string): boolean {
    return this.#origins.has(origin.toLowerCase());
  }

  #add(scheme: string, authority: string, short: string | null): void {
    for (const name of short === null ? [authority] : [authority, short]) {
      this.#hosts.add(name);
      this.#origins.add(`${scheme}://${name}`);
    }
  }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}
