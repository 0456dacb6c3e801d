/** Finds PgBouncer, for tests behind a real pooler, or installs it from the system's packages if root asks for it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installPackage } from '../../testbed/servers/system-packages.ts';

const PATHS = ['pgbouncer', '/usr/sbin/pgbouncer'];

/** Returns the path of the PgBouncer command. */
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

/** Returns undefined if PgBouncer is installed, else the reason and the next step for the user. */
export function installPooler(report: (text: string) => void): Promise<string | undefined> {
  return installPackage('PgBouncer', 'pgbouncer', report);
}
