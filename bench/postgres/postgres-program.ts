/**
 * PostgreSQL, for what has to be stored by a real server: found, or installed from the system's packages where root asks.
 *
 * In comes nothing but the machine; out goes the folder of its programs, or why there is none. What always holds: no server of
 * the system's is ever started, stopped or changed, and the package is kept from making one of its own.
 */
import { execFile } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from '../programs/system-packages.ts';

/** Databases belong to their owner from here on: before, anybody might make tables in them. */
export const OLDEST_POSTGRES = 15;

const PROGRAMS = ['postgres', 'initdb', 'pg_basebackup'] as const;
const USUAL_FOLDERS = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/usr/local/pgsql/bin'];
/** Read by the package's own script after its settings; removed again when the package is there. */
const CLUSTER_SETTINGS_FOLDER = '/etc/postgresql-common/createcluster.d';

export interface PostgresProgram {
  readonly folder: string;
  /** 15.14 is 15. */
  readonly major: number;
  readonly version: string;
}

/** The newest of those that are new enough. */
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

/** Undefined when it is installed; else why it is not, and what to do. */
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

/** Nobody asked for a server that starts with the machine: the package makes one unless it is told not to. */
export async function withoutCluster<T>(install: () => Promise<T>, folder = CLUSTER_SETTINGS_FOLDER): Promise<T> {
  const made = await mkdir(folder, { recursive: true });
  const settings = join(folder, 'orbweaver-tests.conf');
  await writeFile(settings, 'create_main_cluster = false\n');
  try {
    return await install();
  } finally {
    await rm(settings, { force: true });
    // Only while it is empty: the package may have put something there.
    if (made !== undefined) await rmdir(folder).catch(() => {});
  }
}

/** The usual folders first: what is on the path may be a script around one of them. */
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
