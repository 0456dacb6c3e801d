/** Folders for crawls whose copy nobody wants to keep. What is still there when the process ends goes with it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';

const folders = new Set<string>();

export function makeTemporaryFolder(): string {
  const under = tmpdir();
  let dir: string;
  try {
    dir = mkdtempSync(join(under, 'orbweaver-'));
  } catch (error) {
    throw new OrbweaverError('ERR_DIR', `cannot make a folder in ${under}: ${(error as Error).message}; name a dir`, {
      cause: error,
    });
  }
  if (folders.size === 0) process.on('exit', removeAll);
  folders.add(dir);
  return dir;
}

export async function removeTemporaryFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  if (folders.delete(dir) && folders.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const dir of folders) {
    try {
      rmSync(dir, { recursive: true, force: true });
    } catch {
      // A unit may still be writing into it; the system's own cleaning has to do then.
    }
  }
}
