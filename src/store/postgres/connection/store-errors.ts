/**
 * Errors of PostgreSQL and of the connection to it: which ones are
 * temporary, and for the rest one line that says what to do.
 */
import { type ErrorCode, OrbweaverError } from '../../../core/errors.ts';

/** The connection is broken, or not made yet. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  // A write to a socket that was just closed, before the client noticed it.
  'ERR_SOCKET_CLOSED',
  'ERR_SOCKET_CLOSED_BEFORE_CONNECTION',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  // None of several servers can be written to. This is temporary: one of them will become the primary.
  'EWRONGROLE',
]);

/**
 * Temporary errors of the server: it stops, starts or was told to end the connection; transactions conflict; there are
 * too many connections; or a standby that is taking over is still read-only.
 */
const PASSING_STATES: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '40001',
  '40P01',
  '55P03',
  '53300',
  '25006',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
]);

/** With these errors the server ends a connection. */
const ENDING_STATES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '08006']);

/** The connection is broken, or will be in a moment. */
export function isCut(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && (CONNECTION_CODES.has(code) || ENDING_STATES.has(code));
}

/** Something listens at that address: it reports that it stops or starts, or it closed the connection. */
export function isFromListener(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && (ENDING_STATES.has(code) || code === 'CONNECTION_CLOSED' || code === 'ECONNRESET');
}

export function isTransient(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && (CONNECTION_CODES.has(code) || PASSING_STATES.has(code));
}

/**
 * By the server's error code: the code of Orbweaver, and the advice.
 * The server's own message, if it is used, comes first.
 */
const ADVICE: Readonly<Record<string, readonly [ErrorCode, (said: string) => string]>> = {
  '53100': ['ERR_DISK_FULL', () => 'its disk is full; free some space there, what was committed is safe'],
  '28P01': ['ERR_DENIED', (said) => `${said}; set the right password in PGPASSWORD`],
  '28000': ['ERR_DENIED', (said) => `${said}; see pg_hba.conf of the server`],
  '3D000': ['ERR_DENIED', (said) => `${said}; create it with: createdb <name>`],
  '42501': ['ERR_DENIED', (said) => `${said}; let the owner of the database grant it`],
  '25006': [
    'ERR_READ_ONLY',
    () => 'it can only be read, being a standby; name the primary, too, and add ?target_session_attrs=read-write',
  ],
  '57P03': ['ERR_UNREACHABLE', (said) => `${said}; try again in a moment`],
  '53300': ['ERR_UNREACHABLE', (said) => `${said}; raise max_connections of the server, or use a pooler`],
  EWRONGROLE: ['ERR_READ_ONLY', (said) => said],
  ENOTPG: ['ERR_UNREACHABLE', (said) => `${said}; is the port right?`],
  ENOTLS: ['ERR_DENIED', (said) => `${said}; turn TLS on there, or add ?sslmode=prefer`],
  EBADCERT: ['ERR_DENIED', (said) => `${said}; name the authority with ?sslrootcert=<file>`],
  ENOTFOUND: ['ERR_UNREACHABLE', () => 'no such host; is its name right?'],
  SASL_SIGNATURE_MISMATCH: ['ERR_DENIED', () => 'the server does not know our password itself; is it the right one?'],
};

/** `name` is the name of server and database, without secrets. */
export function asStoreError(error: unknown, name: string): OrbweaverError {
  if (error instanceof OrbweaverError) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const cause = { cause: error };
  const [said = ''] = message.split('\n', 1);
  const advice = Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined;
  if (advice) return new OrbweaverError(advice[0], `${name}: ${advice[1](said)}`, cause);
  if (CONNECTION_CODES.has(code)) {
    const line = `${name} cannot be reached (${code}); is PostgreSQL running there?`;
    return new OrbweaverError('ERR_UNREACHABLE', line, cause);
  }
  return new OrbweaverError('ERR_STORE', `${name} cannot be used: ${said}`, cause);
}

/** For an error of the transaction's own work, whose code is not a code of the server. */
export function asFailedWork(error: unknown, name: string): OrbweaverError {
  if (error instanceof OrbweaverError) return error;
  const [said = ''] = String((error as Error | undefined)?.message ?? error).split('\n', 1);
  return new OrbweaverError('ERR_STORE', `the work on ${name} failed: ${said}`, { cause: error });
}
