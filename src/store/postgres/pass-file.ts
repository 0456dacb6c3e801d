/**
 * The password file of PostgreSQL's own programs (~/.pgpass, or PGPASSFILE): lines of host:port:database:user:password, of which the
 * first that fits counts. One that others may read is not used, as theirs do.
 */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { OrbweaverError } from '../../core/errors.ts';
import type { Server } from './servers.ts';

const MOST_BYTES = 1_000_000;

/** Null where no file, or no line of it, has one. A file that was named has to be there. */
export function passwordFromFile(
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

/** Colons and backslashes in a field have a backslash before them; the password goes on to the end of the line. */
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
