/**
 * The address of a cluster's store. In: a connection string as PostgreSQL's own programs read it, and the PG…
 * variables of the environment. Out: the options that the client needs to connect, and a name for people.
 *
 * What always holds: no text and no printable object contains a password; the password is only handed out when a server
 * asks for it. Every error is one line that repeats only the part it is about, and never a password.
 */

import { readFileSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { didYouMean } from '../../../core/did-you-mean.ts';
import { OrbweaverError } from '../../../core/errors.ts';
import { clientSocket, Dialer } from './dial.ts';
import { readServers, type Server, serverText } from './servers.ts';
import { SESSION_KINDS, type SessionKind } from './session-kind.ts';
import { readTls, TLS_MODES } from './tls-rules.ts';

export interface StoreAddress {
  /** A name for people: servers and database, without user or password. */
  readonly name: string;
  readonly options: postgres.Options<Record<string, postgres.PostgresType>>;
  /**
   * The value of `?prepare=`: whether statements are prepared. A pooler that cannot keep prepared
   * statements needs `false`. Null if the address does not say.
   */
  readonly saysPrepare: boolean | null;
  readonly isPreparing: boolean;
  /** There are several servers, and the first one that answers is used, whatever its role is. */
  readonly isAnyOfSeveral: boolean;
}

/** The parameters that may follow the question mark, each with its environment variable. */
const PARAMETERS = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  dbname: 'PGDATABASE',
  passfile: 'PGPASSFILE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  application_name: 'PGAPPNAME',
  options: 'PGOPTIONS',
  prepare: null,
} as const satisfies Record<string, string | null>;

type Parameter = keyof typeof PARAMETERS;
type Given = Partial<Record<Parameter, string>>;

const SCHEME = /^postgres(?:ql)?:\/\//;
const MOST_CHARS = 10_000;
const CONNECT_TIMEOUT_S = 5;
const LONGEST_TIMEOUT_S = 600;

export function parseAddress(text: string, env: NodeJS.ProcessEnv = process.env): StoreAddress {
  const written = readUrl(text);
  const given: Given = {};
  for (const [name, variable] of Object.entries(PARAMETERS) as [Parameter, string | null][]) {
    const value = written[name] ?? (variable === null ? undefined : env[variable]);
    if (value !== undefined && value !== '') given[name] = value;
  }
  const servers = readServers(given.host ?? 'localhost', given.port ?? '5432');
  const user = given.user ?? nameOfUser();
  const database = given.dbname ?? user;
  const session = oneOf('target_session_attrs', given.target_session_attrs ?? 'any', SESSION_KINDS);
  const timeoutMs = 1_000 * seconds(given.connect_timeout);
  const tls = readTls({ ...given, sslmode: oneOf('sslmode', given.sslmode ?? 'prefer', TLS_MODES) });
  const secret = given.password ?? passwordFromFile(given.passfile, env, servers, database, user);
  const password = secret === null ? undefined : () => secret;
  const options = {
    user,
    database,
    ...(password && { password }),
    // The connection is made by dial.ts, so the client only uses host and port in its messages.
    host: [servers[0]!.host],
    port: [servers[0]!.port],
    ssl: false,
    connect_timeout: timeoutMs / 1_000,
    connection: {
      application_name: given.application_name ?? 'orbweaver',
      ...(given.options && { options: given.options }),
    },
  };
  const dialer = new Dialer(servers, { tls, timeoutMs, session }, { user, database, password });
  // The client would read this variable itself, and it does not know the value `any`.
  if (env === process.env) delete process.env.PGTARGETSESSIONATTRS;
  return {
    name: `postgres://${servers.map(serverText).join()}/${encodeURIComponent(database)}`,
    options: { ...options, socket: clientSocket(dialer) } as unknown as StoreAddress['options'],
    saysPrepare: given.prepare === undefined ? null : given.prepare === 'true',
    isPreparing: oneOf('prepare', given.prepare ?? 'true', ['true', 'false']) === 'true',
    isAnyOfSeveral: servers.length > 1 && session === 'any',
  };
}

/** Whether a connection string has, or may have, a password in it. Also works for a string that is wrong otherwise. */
export function hasPassword(text: string): boolean {
  const { authority, path, query } = partsOf(text.replace(/^[^/?#@]*:\/\//, ''));
  const login = authority.slice(0, authority.lastIndexOf('@') + 1);
  return login.includes(':') || path.includes('@') || /(?:^|&)password=|@/.test(query);
}

function partsOf(rest: string): { authority: string; path: string; query: string } {
  const question = rest.indexOf('?');
  const place = question < 0 ? rest : rest.slice(0, question);
  const slash = place.indexOf('/');
  return {
    authority: slash < 0 ? place : place.slice(0, slash),
    path: slash < 0 ? '' : place.slice(slash + 1),
    query: question < 0 ? '' : rest.slice(question + 1),
  };
}

/** The parts of the URL, under the names of the equivalent parameters. */
function readUrl(text: string): Given {
  const scheme = SCHEME.exec(text)?.[0];
  if (scheme === undefined || text.length > MOST_CHARS) {
    throw refusal('is no postgres:// URL; write postgres://user@host/database');
  }
  const { authority, path, query } = partsOf(text.slice(scheme.length));
  // Each of these may be a password that was not encoded, so the message repeats none of them.
  if (text.includes('#')) throw refusal('has a # in it; write %23 for one that belongs to a name or password');
  const at = authority.lastIndexOf('@');
  const login = at < 0 ? '' : authority.slice(0, at);
  if (login.includes('@') || path.includes('@') || query.includes('@')) {
    throw refusal('has an @ where none belongs; in names and passwords write %40 for @, %2F for / and %3F for ?');
  }
  const colon = login.indexOf(':');
  const parts: Given = {
    user: decoded(colon < 0 ? login : login.slice(0, colon), 'the user name'),
    password: decoded(colon < 0 ? '' : login.slice(colon + 1), 'the password'),
    host: decoded(authority.slice(at + 1), 'the host'),
    dbname: decoded(path, 'the name of the database'),
  };
  const given: Given = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ''));
  return { ...given, ...readParameters(query) };
}

function readParameters(query: string): Given {
  const given: Given = {};
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals), 'a parameter');
    if (!Object.hasOwn(PARAMETERS, name)) {
      const hint = didYouMean(name, Object.keys(PARAMETERS)) || `; there are ${Object.keys(PARAMETERS).join(', ')}`;
      throw refusal(`has an unknown parameter ${/^[a-z_]{1,40}$/i.test(name) ? name : ''}${hint}`);
    }
    given[name as Parameter] = decoded(equals < 0 ? '' : pair.slice(equals + 1), name);
  }
  return given;
}

function decoded(text: string, what: string): string {
  try {
    const value = decodeURIComponent(text);
    if (!value.includes('\0')) return value;
  } catch {
    // The text may be the password, so the message below does not repeat it.
  }
  throw refusal(`has ${what} with bad percent-encoding; write %25 for a percent sign`);
}

function oneOf<const T extends readonly string[]>(name: string, value: string, words: T): T[number] {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw refusal(`has ${name} "${value.slice(0, 64)}", but it is one of ${words.join(', ')}${didYouMean(value, words)}`);
}

function seconds(text: string | undefined): number {
  const value = text === undefined ? CONNECT_TIMEOUT_S : Number(text.trim() || 'x');
  if (Number.isInteger(value) && value >= 1 && value <= LONGEST_TIMEOUT_S) return value;
  throw refusal(`needs a connect_timeout in whole seconds from 1 to ${LONGEST_TIMEOUT_S}`);
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id without a name.
    throw refusal('names no user, and this system has none; write postgres://user@host/database');
  }
}

function refusal(message: string): OrbweaverError {
  return new OrbweaverError('ERR_BAD_OPTION', `--store ${message}`);
}

export type { Server, SessionKind };

/**
 * The password file of PostgreSQL's own programs (~/.pgpass, or PGPASSFILE): lines of host:port:database:user:password.
 * The first line that fits counts. A file that other users may read is not used, as in PostgreSQL's programs.
 */
const MOST_BYTES = 1_000_000;

/** Null if there is no file, or no line fits. A file that was named must exist. */
function passwordFromFile(
  named: string | undefined,
  env: NodeJS.ProcessEnv,
  servers: readonly Server[],
  database: string,
  user: string,
): string | null {
  const path = named ?? join(env.HOME || homedir(), '.pgpass');
  const text = readSafely(path, named !== undefined);
  if (text === null) return null;
  const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  const entries = lines.map(fieldsOf);
  for (const { host, port } of servers) {
    const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
    const found = entries.find((fields) => wanted.every((value, i) => fields[i] === '*' || fields[i] === value));
    if (found?.[4]) return found[4];
  }
  return null;
}

/** A backslash precedes each colon and backslash in a field. The password goes on to the end of the line. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  for (let at = 0; at < line.length; at++) {
    if (line[at] === ':' && fields.length < 5) fields.push('');
    else fields[fields.length - 1] += line[at] === '\\' && at + 1 < line.length ? line[++at]! : line[at]!;
  }
  return fields;
}

function readSafely(path: string, isNamed: boolean): string | null {
  try {
    const { mode, size } = statSync(path);
    if (size > MOST_BYTES) throw new OrbweaverError('ERR_BAD_OPTION', `${path} is too long for a password file`);
    if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
      if (!isNamed) return null;
      throw new OrbweaverError('ERR_BAD_OPTION', `others may read ${path}, so it is not used: chmod 0600 ${path}`);
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof OrbweaverError) throw error;
    if (!isNamed) return null;
    throw new OrbweaverError('ERR_BAD_OPTION', `cannot read the password file ${path}: ${(error as Error).message}`);
  }
}
