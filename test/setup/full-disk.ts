/**
 * A PostgreSQL server with a small disk, for tests of a full disk. In: a test. Out: the server, and functions to fill
 * the disk and to empty it again; or the reason if no file system can be mounted.
 *
 * The write-ahead log is on another disk. So a statement that needs space is refused (53100) and the server lives on.
 * With the log on the same disk the server itself would stop, and a killed server is another test.
 */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { PostgresServer } from '../../testbed/servers/postgres-server.ts';
import { mountTmpfs } from '../store/mount-tmpfs.ts';

/** Three databases of a fresh server take 23 MB, and one more takes 8 MB. */
const DISK_BYTES = 64 * 1024 ** 2;
const CHUNKS = [Buffer.alloc(1024 ** 2), Buffer.alloc(4_096)] as const;

export interface SmallDisk {
  readonly server: PostgresServer;
  /** Fills the remaining space. */
  fill(): void;
  empty(): void;
}

export async function startOnSmallDisk(
  t: Pick<TestContext, 'after'>,
  diskBytes = DISK_BYTES,
): Promise<SmallDisk | string> {
  let refused: string | undefined;
  const started = PostgresServer.create({
    walApart: true,
    prepareData(dataFolder, account) {
      const { uid = 0, gid = 0 } = account ?? {};
      const mounted = mountTmpfs(dataFolder, `size=${diskBytes},mode=700,uid=${uid},gid=${gid}`);
      if (typeof mounted !== 'string') return;
      refused = mounted;
      throw new Error(mounted);
    },
  });
  const server = await started.catch((error: unknown) => {
    if (refused === undefined) throw error;
  });
  if (server === undefined) return refused!;
  t.after(() => server.close());
  const ballast = join(server.dataFolder, 'ballast');
  return {
    server,
    fill() {
      for (const chunk of CHUNKS) fillUp(ballast, chunk);
    },
    empty: () => rmSync(ballast, { force: true }),
  };
}

function fillUp(path: string, chunk: Buffer): void {
  const file = openSync(path, 'a');
  try {
    while (writeSync(file, chunk) === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}
