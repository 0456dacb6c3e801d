import { fdatasync, fsync } from 'node:fs';

/** On the disk before it resolves; not on the thread that serves. */
export function syncFile(fd: number, withSize = true): Promise<void> {
  return new Promise((resolve, reject) => {
    (withSize ? fsync : fdatasync)(fd, (error) => (error ? reject(error) : resolve()));
  });
}
