/** PgBouncer, for what has to work behind a real pooler: found, or installed from the system's packages where root asks. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installPackage } from '../../bench/programs/system-packages.ts';

const PATHS = ['pgbouncer', '/usr/sbin/pgbouncer'];

/** Its command. */
export async function findPooler(paths: readonly string[] = PATHS): Promise<string | undefined> {
  for (const command of paths) {
    const isThere = await promisify(execFile)(command, ['--version']).then(
      () => true,
      () => false,
    );
    if (isThere) return command;
  }
  return undefined;
}

/** Undefined when it is installed; else why it is not, and what to do. */
export function installPooler(report: (text: string) => void): Promise<string | undefined> {
  return installPackage('PgBouncer', 'pgbouncer', report);
}
