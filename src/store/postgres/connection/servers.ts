/** The servers of a connection string: host names, addresses or folders of Unix sockets, each with its port. */
import { OrbweaverError } from '../../../core/errors.ts';
import { withoutLast } from '../../../core/text/trim-character.ts';

export interface Server {
  /** A name, an address without brackets, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

const MOST_SERVERS = 64;

/**
 * `hosts` is written as in a URL (`a:1,[::1]:2`) or as in `?host=`. A port in `hosts`
 * overrides `ports`, which has one port, or one for each host.
 */
export function readServers(hosts: string, ports: string): readonly Server[] {
  const written = hosts.split(',');
  const ownPorts = ports.split(',');
  if (written.length > MOST_SERVERS) throw refusal(`names more than ${MOST_SERVERS} hosts`);
  if (ownPorts.length > 1 && ownPorts.length !== written.length) {
    throw refusal(`has ${written.length} hosts and ${ownPorts.length} ports; give one port, or one for each host`);
  }
  return written.map((text, i) => readServer(text.trim(), ownPorts[i] ?? ownPorts[0]!));
}

function readServer(text: string, port: string): Server {
  if (text.startsWith('/')) return { host: text, port: readPort(port) };
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  // Without brackets an IPv6 address cannot have a port, as in ?host=::1.
  const isBare = bracketed === null && text.split(':').length > 2;
  const colon = bracketed === null && !isBare ? text.indexOf(':') : -1;
  const host = bracketed?.[1] ?? (colon < 0 ? text : text.slice(0, colon));
  const own = bracketed === null ? (colon < 0 ? undefined : text.slice(colon + 1)) : bracketed[2];
  if (host === '') throw refusal('has an empty host; write postgres://user@host/database');
  if (/[\s/\\[\]%]/.test(host)) throw refusal('has a host that is none');
  if (bracketed !== null && !host.includes(':')) throw refusal('has no IPv6 address in its brackets');
  return { host, port: readPort(own === undefined || own === '' ? port : own) };
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw refusal('has a port that is none; ports are 1 to 65535');
}

/** The server as it is written in a URL. */
export function serverText({ host, port }: Server): string {
  if (host.startsWith('/')) return `${encodeURIComponent(host)}:${port}`;
  const shown = host.includes(':') ? `[${host}]` : host;
  return port === 5432 ? shown : `${shown}:${port}`;
}

/** The file of a Unix socket; null for a server across a network. */
export function socketPath({ host, port }: Server): string | null {
  return host.startsWith('/') ? `${withoutLast(host, '/')}/.s.PGSQL.${port}` : null;
}

/** The message does not repeat the refused text, which may be a part of a password that was not encoded. */
function refusal(message: string): OrbweaverError {
  return new OrbweaverError('ERR_BAD_OPTION', `--store ${message}`);
}
