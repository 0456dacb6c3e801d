/** Plans a crawl in a new database that workers can join. In: a server and seeds. Out: the crawl. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { orbweaverCommand } from '../../testbed/measure/built-orbweaver.ts';
import { runCommand } from '../../testbed/measure/run-command.ts';
import type { PostgresServer } from '../../testbed/servers/postgres-server.ts';
import type { ClusterCrawl } from './worker-process.ts';

const PLAN_TIMEOUT_MS = 60_000;

export interface CrawlPlace {
  readonly server: PostgresServer;
  /** The address of the server for workers. Null when the workers are on the same machine. */
  readonly address: string | null;
  readonly workFolder: string;
}

export async function planCrawl(
  { server, address, workFolder }: CrawlPlace,
  database: string,
  seeds: readonly string[],
  flags: readonly string[],
): Promise<ClusterCrawl> {
  const folder = join(workFolder, 'run', database);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await server.dropDatabase(database);
  await server.createDatabase(database);
  const near = server.url(database, { withPassword: false });
  const { password } = new URL(server.url(database));
  const words = ['crawl', ...seeds, '--store', near, '--dir', folder, '--plan', '--scope', 'any', ...flags];
  const planned = await runCommand({ ...orbweaverCommand(words), env: { PGPASSWORD: password } }, PLAN_TIMEOUT_MS);
  if (planned.failure !== undefined) throw new Error(`the crawl could not be planned: it ${planned.failure}`);
  const store = address === null ? near : near.replace('127.0.0.1', address);
  return { store, password, folder };
}

export async function dropCrawl({ server }: CrawlPlace, database: string, { folder }: ClusterCrawl): Promise<void> {
  await server.dropDatabase(database);
  await rm(folder, { recursive: true, force: true });
}
