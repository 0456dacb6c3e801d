/** Where a server of ours lives: a folder for its own, and a port on loopback that nobody else has. */
import { randomInt } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';

/** Below those that systems hand out by themselves, so that nobody takes the port while the server is down. */
const FIRST_PORT = 24_000;
const LAST_PORT = 31_999;
/**
 * Where a server that need not be durable has its data, if there is room. ext4 does not give the inode of a deleted file away
 * for a minute and looks past all of them: after a dozen databases of 300 files a new one takes 300 ms, and 12 ms here.
 */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES = 1024 ** 3;

export function parentFolder(durable: boolean): string {
  return !durable && hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
}

export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** In a container it may be as small as 64 MB. */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MEMORY_BYTES;
  } catch {
    return false;
  }
}
