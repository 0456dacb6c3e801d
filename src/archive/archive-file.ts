import {
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  ftruncateSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeSync,
  writevSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { OrbweaverError } from '../core/errors.ts';
import { changeMode, FILE_MODES, makeDataFolder, type Share, undoUmask } from '../core/file-modes.ts';
import { syncFolderSync } from '../core/sync-folder.ts';
import { archiveError, tryArchive } from './archive-error.ts';

const fdatasyncAsync = promisify(fdatasync);
const NAME = /^orbweaver-\d{14}-[A-Za-z0-9][A-Za-z0-9_.-]{0,63}-\d{5,9}\.warc\.gz$/;
const UNIT = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const MAX_SERIAL = 999_999_999;

/** Whether a file in the archive folder is one of ours. No other file there is ever read, cut or removed. */
export function isArchiveFileName(name: string): boolean {
  return NAME.test(name);
}

/** Fourteen digits, UTC: the timestamp in file names and CDXJ lines. */
export function timestamp14(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\D/g, '').slice(0, 14);
}

/** The file mode that the folder's files already have. The first file is readable by the user only. */
function modeInUse(dir: string): number {
  try {
    const other = readdirSync(dir).find(isArchiveFileName);
    const stat = other === undefined ? undefined : statSync(join(dir, other), { throwIfNoEntry: false });
    return FILE_MODES.nobody | ((stat?.mode ?? 0) & FILE_MODES.all);
  } catch {
    // Creating the file reports the problem with the folder.
    return FILE_MODES.nobody;
  }
}

/**
 * One file that is being written. In: byte pieces that belong together. Out: when
 * `append` returns, they are in the kernel.
 *
 * What always holds: the file ends at the end of a complete append. A failed append is cut off
 * again. After a failure, its writer appends nothing more.
 */
export class ArchiveFile {
  readonly name: string;
  readonly serial: number;
  #fd: number;
  #lengthBytes = 0;

  private constructor(name: string, serial: number, fd: number) {
    this.name = name;
    this.serial = serial;
    this.#fd = fd;
  }

  /**
   * Creates a file under an unused name: the serial number is increased until the name is free. Without a `share`, the
   * file gets the same permissions as the other files of the folder.
   */
  static create(dir: string, unit: string, fromSerial: number, nowMs: number, share: Share | null = null): ArchiveFile {
    if (!UNIT.test(unit))
      throw new OrbweaverError('ERR_INTERNAL', `"${unit}" cannot be part of an archive file's name`);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
    const stamp = timestamp14(nowMs);
    const mode = share === null ? modeInUse(dir) : FILE_MODES[share];
    for (let serial = fromSerial; serial <= MAX_SERIAL; serial++) {
      const name = `orbweaver-${stamp}-${unit}-${String(serial).padStart(5, '0')}.warc.gz`;
      try {
        const fd = openSync(join(dir, name), flags, mode);
        undoUmask(() => fchmodSync(fd, mode));
        return new ArchiveFile(name, serial, fd);
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
          throw archiveError(`cannot create archive file ${name}`, cause);
        }
      }
    }
    throw new OrbweaverError('ERR_ARCHIVE', `all names of archive files for unit ${unit} at ${stamp} are in use`);
  }

  get lengthBytes(): number {
    return this.#lengthBytes;
  }

  append(pieces: readonly Buffer[], totalBytes: number): void {
    try {
      let written = pieces.length === 1 ? writeSync(this.#fd, pieces[0]!) : writevSync(this.#fd, pieces);
      // On a nearly full disk, the first sign is a short write. The next write returns the error.
      while (written < totalBytes) {
        const more = writevSync(this.#fd, without(pieces, written));
        if (more === 0) throw new Error('the file system did not write any byte');
        written += more;
      }
    } catch (cause) {
      this.#cutBack();
      throw archiveError(`cannot append to archive file ${this.name}`, cause);
    }
    this.#lengthBytes += totalBytes;
  }

  async sync(): Promise<void> {
    await fdatasyncAsync(this.#fd).catch((cause) => {
      throw archiveError(`cannot sync archive file ${this.name}`, cause);
    });
  }

  /** Removes complete appends after this length. */
  cutTo(lengthBytes: number): void {
    tryArchive(`cannot cut archive file ${this.name}`, () => ftruncateSync(this.#fd, lengthBytes));
    this.#lengthBytes = lengthBytes;
  }

  close(): void {
    if (this.#fd < 0) return;
    const fd = this.#fd;
    this.#fd = -1;
    tryArchive(`cannot close archive file ${this.name}`, () => closeSync(fd));
  }

  /** Removes a file that has no record that anybody knows. */
  discard(dir: string): void {
    this.close();
    tryArchive(`cannot remove archive file ${this.name}`, () => unlinkSync(join(dir, this.name)));
  }

  #cutBack(): void {
    try {
      ftruncateSync(this.#fd, this.#lengthBytes);
    } catch {
      // The tail stays until the next start cuts the file to its committed length.
    }
  }
}

function without(pieces: readonly Buffer[], leadingBytes: number): Buffer[] {
  const rest: Buffer[] = [];
  let skip = leadingBytes;
  for (const piece of pieces) {
    if (skip >= piece.length) skip -= piece.length;
    else {
      rest.push(skip === 0 ? piece : piece.subarray(skip));
      skip = 0;
    }
  }
  return rest;
}

/** After a power loss, a new file can be found only if its folder was synced to the disk too. */
export function syncArchiveFolder(dir: string): void {
  tryArchive(`cannot sync the archive folder ${dir}`, () => syncFolderSync(dir));
}

/**
 * Finds which worker of a cluster wrote an archive file. The file name contains the worker's name and number, so that
 * workers on a shared disk never use the same file name.
 */
const OWNER = /^([A-Za-z0-9][A-Za-z0-9_.-]*)#(\d+)$/;
const OWNED = /^orbweaver-\d{14}-([A-Za-z0-9][A-Za-z0-9_.-]*)\.(\d+)-(?:unit\d+(?:-\d+)?|kept)-\d{5,9}\.warc\.gz$/;

/** The unit part in the file names of a worker: `name#7` and `unit0` become `name.7-unit0`. */
export function unitOf(owner: string, unit: string): string {
  const [, name = 'worker', number = '0'] = OWNER.exec(owner) ?? [];
  return `${name}.${number}-${unit}`;
}

/** Null if the file name contains no worker. */
export function ownerOf(file: string): string | null {
  const found = OWNED.exec(file);
  return found === null ? null : `${found[1]}#${found[2]}`;
}

/** Sets the permissions of the folder and of the files in it. Null leaves them unchanged. */
export function shareArchive(dir: string, share: Share | null): void {
  if (share === null) return;
  makeDataFolder(resolve(dir), share);
  for (const name of readdirSync(dir)) if (isArchiveFileName(name)) changeMode(join(dir, name), FILE_MODES[share]);
}
