/** The place of our own server: its folder, and a port on loopback that no other program uses. */
import { randomInt } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';

/** Below the ports that systems assign automatically, so that no program takes the port while the server is down. */
const FIRST_PORT = 24_000;
const LAST_PORT = 31_999;
/**
 * The place of the data when the server need not be durable and there is enough space. ext4 does not reuse the inode of
 * a deleted file for a minute and skips all such inodes. After a dozen databases of 300 files, a new database takes 300
 * ms on ext4, and 12 ms here.
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

/** In a container this folder may be as small as 64 MB. */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MEMORY_BYTES;
  } catch {
    return false;
  }
}
