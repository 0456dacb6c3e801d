import { closeSync, fdatasync, fsync, fsyncSync, openSync } from 'node:fs';

/** On the disk before it resolves; not on the thread that serves. */
export function syncFile(fd: number, withSize = true): Promise<void> {
  return new Promise((resolve, reject) => {
    (withSize ? fsync : fdatasync)(fd, (error) => (error ? reject(error) : resolve()));
  });
}

/** A name that was given, or taken, stays so after a power cut. Where folders cannot be synced the file system sees to it. */
export function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {}
}
