/**
 * Where a cluster's store is: a connection string in, what the client needs out. Several servers, `target_session_attrs`, TLS and the
 * rest of what a URL of PostgreSQL can say; a password comes from the URL's source or from the environment, and is never part of
 * what is shown.
 */
import type postgres from 'postgres';
import { OrbweaverError } from '../../core/errors.ts';

export interface StoreAddress {
  /** For people: servers and database, without user or password. */
  readonly name: string;
  readonly options: postgres.Options<Record<string, postgres.PostgresType>>;
  /** Whether statements are prepared: not behind a pooler that cannot keep them (`?prepare=false`). */
  readonly isPreparing: boolean;
}

export function parseAddress(text: string): StoreAddress {
  const match = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text);
  if (match === null) {
    throw new OrbweaverError('ERR_BAD_OPTION', '--store is no postgres:// URL; write postgres://user@host/database');
  }
  const [, login = '', servers = '', database = '', query = ''] = match;
  const [user = '', ...password] = login.split(':').map(decodeURIComponent);
  const search = new URLSearchParams(query);
  const isPreparing = search.get('prepare') !== 'false';
  search.delete('prepare');
  const hosts = servers.split(',').map((server) => server.replace(/:\d+$/, ''));
  const ports = servers
    .split(',')
    .map((server) => Number(/:(\d+)$/.exec(server)?.[1] ?? process.env['PGPORT'] ?? 5432));
  const options: Record<string, unknown> = {
    ...Object.fromEntries(search),
    ...(servers === '' ? {} : { host: hosts, port: ports }),
    ...(user === '' ? {} : { user }),
    ...(password.length === 0 ? {} : { password: password.join(':') }),
    ...(database === '' ? {} : { database: decodeURIComponent(database) }),
  };
  const name = `postgres://${servers || (process.env['PGHOST'] ?? 'localhost')}/${database}`;
  return { name, options, isPreparing };
}
