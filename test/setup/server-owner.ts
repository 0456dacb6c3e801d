/**
 * A process that owns a PostgreSQL server and prints facts about it; tests end this process in all ways. The word
 * selects the stage: `initdb` prints before the data exists, `session` prints while a statement is running,
 * `small-disk` has the data on its own file system, `leave` exits without closing the server.
 */
import { dirname } from 'node:path';
import postgres from 'postgres';
import { PostgresServer } from '../../testbed/servers/postgres-server.ts';
import { startOnSmallDisk } from './full-disk.ts';

const word = process.argv[2];

function tell(facts: object): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

async function start(): Promise<PostgresServer> {
  if (word !== 'small-disk') {
    return PostgresServer.create({
      durable: false,
      prepareData: (dataFolder) => word === 'initdb' && tell({ folder: dirname(dataFolder) }),
    });
  }
  const disk = await startOnSmallDisk({ after: () => {} });
  if (typeof disk !== 'string') return disk.server;
  tell({ refused: disk });
  process.exit(0);
}

const server = await start();
const sql = postgres(server.url(), { max: 1, onnotice: () => {} });
await sql`select 1`;
const atWork = sql`select pg_sleep(600)`.execute();
atWork.catch(() => {});
tell({ folder: server.folder, guardPid: server.guardPid, serverPid: server.serverPid });
if (word === 'leave') process.exit(0);
