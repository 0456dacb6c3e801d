/**
 * Finds PostgreSQL for tests and benchmarks that need a real server, or installs it from the system's
 * packages when root asks.
 *
 * In: nothing. Out: the folder of its programs, or the reason why there is none. What always holds: no server of the
 * system is ever started, stopped or changed, and the package cannot create a server of its own.
 */
import { execFile } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from './system-packages.ts';

/** From this version on, a database belongs to its owner. In older versions every role could create tables in it. */
export const OLDEST_POSTGRES = 15;

const PROGRAMS = ['postgres', 'initdb', 'pg_basebackup'] as const;
const USUAL_FOLDERS = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/usr/local/pgsql/bin'];
/**
 * The script of the package reads this folder after its settings. The file is removed when the package is installed.
 */
const CLUSTER_SETTINGS_FOLDER = '/etc/postgresql-common/createcluster.d';

export interface PostgresProgram {
  readonly folder: string;
  /** For example 15 for version 15.14. */
  readonly major: number;
  readonly version: string;
}

/** Returns the newest installed version that is new enough. */
export async function findPostgres(
  folders: readonly string[] = candidateFolders(),
): Promise<PostgresProgram | undefined> {
  let newest: PostgresProgram | undefined;
  if (process.platform !== 'linux') return newest;
  for (const folder of folders) {
    const found = await programIn(folder);
    if (found !== undefined && found.major >= OLDEST_POSTGRES && found.major > (newest?.major ?? 0)) newest = found;
  }
  return newest;
}

/** Returns undefined when PostgreSQL is installed, otherwise the reason and the next step for the user. */
export async function installPostgres(report: (text: string) => void): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'PostgreSQL is started by the tests on Linux only';
  const failure =
    process.getuid?.() === 0
      ? await withoutCluster(() => installPackage('PostgreSQL', 'postgresql', report))
      : await installPackage('PostgreSQL', 'postgresql', report);
  if (failure !== undefined) return failure;
  if ((await findPostgres()) !== undefined) return undefined;
  return `the system's package postgresql is older than ${OLDEST_POSTGRES}`;
}

/**
 * The package creates a server that starts with the machine unless it is told not to. The user did not
 * ask for that server.
 */
export async function withoutCluster<T>(install: () => Promise<T>, folder = CLUSTER_SETTINGS_FOLDER): Promise<T> {
  const made = await mkdir(folder, { recursive: true });
  const settings = join(folder, 'orbweaver-tests.conf');
  await writeFile(settings, 'create_main_cluster = false\n');
  try {
    return await install();
  } finally {
    await rm(settings, { force: true });
    // Only an empty folder is removed: the package may have put files there.
    if (made !== undefined) await rmdir(folder).catch(() => {});
  }
}

/** The usual folders come first, because a program on the path may be a wrapper script around one of them. */
function candidateFolders(): string[] {
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'postgres'))
    .filter((path) => existsSync(path))
    .map((path) => dirname(realpathSync(path)));
  return [...new Set([...globSync(USUAL_FOLDERS), ...onPath])];
}

async function programIn(folder: string): Promise<PostgresProgram | undefined> {
  if (!PROGRAMS.every((name) => existsSync(join(folder, name)))) return undefined;
  try {
    const { stdout } = await promisify(execFile)(join(folder, 'postgres'), ['--version'], { timeout: 10_000 });
    const version = /\(PostgreSQL\) ((\d+)\S*)/.exec(stdout);
    return version === null ? undefined : { folder, major: Number(version[2]), version: version[1]! };
  } catch {
    return undefined;
  }
}
