import { fdatasync, fsync } from 'node:fs';

/** The file is on the disk when the promise resolves. The sync does not run on the thread that serves requests. */
export function syncFile(fd: number, withSize = true): Promise<void> {
  return new Promise((resolve, reject) => {
    (withSize ? fsync : fdatasync)(fd, (error) => (error ? reject(error) : resolve()));
  });
}
