/** What PostgreSQL and the way to it report: which of it passes, and the rest as one line that says what to do. */
import { OrbweaverError } from '../../core/errors.ts';

/** The way there is broken, or not yet made. */
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
]);

/**
 * Of the server: it stops, starts or was told to end us; a transaction met another; too many connections; and, while a standby
 * takes over, that it can only be read.
 */
const PASSING_STATES: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
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

/** The connection is no more, or will not be in a moment: the server says so and hangs up. */
export function isCut(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && (CONNECTION_CODES.has(code) || code === '57P01' || code === '57P02' || code === '57P05');
}

export function isPassing(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && (CONNECTION_CODES.has(code) || PASSING_STATES.has(code));
}

/** `name`: of the server and database, without a secret. */
export function asStoreError(error: unknown, name: string): OrbweaverError {
  if (error instanceof OrbweaverError) return error;
  const { code = '', message } = error as { code?: string; message: string };
  const cause = { cause: error };
  if (code === '53100') {
    return new OrbweaverError('ERR_DISK_FULL', `the disk of ${name} is full; free some space, workers go on`, cause);
  }
  if (code === '28P01' || code === '28000') {
    return new OrbweaverError('ERR_STORE', `${name}: ${message}; set the right password in PGPASSWORD`, cause);
  }
  if (code === '3D000') {
    return new OrbweaverError('ERR_STORE', `${name}: ${message}; create it with: createdb <name>`, cause);
  }
  if (code === '25006') {
    return new OrbweaverError('ERR_STORE', `${name} can only be read (a standby); name the primary, too`, cause);
  }
  if (CONNECTION_CODES.has(code)) {
    return new OrbweaverError('ERR_STORE', `${name} cannot be reached (${code}); is PostgreSQL running there?`, cause);
  }
  return new OrbweaverError('ERR_STORE', `${name} cannot be used: ${message}`, cause);
}
