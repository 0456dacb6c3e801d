/**
 * Opens the database of a data folder for reading, also without write access (core/sqlite-reading.ts). In: the folder.
 * Out: a connection to a database of this version. Otherwise an error says what is missing and what to do.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { OrbweaverError } from '../../core/errors.ts';
import { connectForReading, type ReadConnection, statOf } from '../../core/sqlite-reading.ts';
import { asStoreError, DATABASE_FILE, isEmpty, refuseNewer, schemaVersion } from './open.ts';
import { MIGRATIONS } from './schema.ts';

export function openForReading(dir: string): ReadConnection {
  const path = join(dir, DATABASE_FILE);
  try {
    checkReadable(dir, path);
    return connectForReading(path, (db) => {
      // The files may change between two tries.
      checkReadable(dir, path);
      checkLayout(db, dir);
    });
  } catch (error) {
    throw asStoreError(error, dir);
  }
}

function checkLayout(db: DatabaseSync, dir: string): void {
  refuseNewer(db, dir);
  if (schemaVersion(db) === MIGRATIONS.length) return;
  if (isEmpty(db)) {
    const path = join(dir, DATABASE_FILE);
    throw new OrbweaverError(
      'ERR_NO_CRAWL',
      `${path} is empty; start a crawl with: orbweaver crawl <url> --dir ${dir}`,
    );
  }
  throw new OrbweaverError(
    'ERR_STORE',
    `${dir} has an older layout; run "orbweaver crawl --dir ${dir}" once to bring it up to date, on a copy of the folder if this one cannot be written`,
  );
}

/** Says which file this user cannot read and how to change that, before SQLite says only "unable to open". */
function checkReadable(dir: string, path: string): void {
  try {
    statSync(path);
    for (const end of ['', '-wal', '-shm']) if (statOf(path + end) !== null) accessSync(path + end, constants.R_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      if (statOf(path) !== null) return;
      throw new OrbweaverError(
        'ERR_NO_CRAWL',
        `no crawl in ${dir}; start one with: orbweaver crawl <url> --dir ${dir}`,
      );
    }
    throw new OrbweaverError(
      'ERR_DIR',
      `this user may not read the crawl in ${dir} (${(error as Error).message}); let its owner run: chmod -R go+rX ${dir}`,
      { cause: error },
    );
  }
}
