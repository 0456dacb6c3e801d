/**
 * The folder of an export on the disk. In: files by their paths. Out: the same files, each complete or not there at
 * all.
 *
 * What always holds: nothing outside the folder is written or removed, also if somebody put symbolic links into it. A
 * folder that is neither empty nor an export of the same form is refused. Only files that an earlier export has listed
 * are removed.
 */
import {
  constants,
  createReadStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { OrbweaverError } from '../../core/errors.ts';
import { changeMode, FILE_MODES, makeDataFolder, type Share, undoUmask } from '../../core/file-modes.ts';
import { VERSION } from '../../core/options/options.ts';
import { safeJson } from '../../core/safe-text.ts';
import { isExportPath, LIST_FILE, MARKER_FILE } from './file-names.ts';

/** No file of an export begins with a dot. */
const PART_FILE = '.orbweaver-export.part';
const MAX_MARKER_BYTES = 10_000;
const MAX_CHECKED = 10_000;

export class ExportFolder {
  readonly path: string;
  readonly #share: Share | null;
  readonly #part: string;
  /** Folders that are known to be real ones. */
  readonly #checked = new Set<string>();

  private constructor(path: string, share: Share | null) {
    this.path = path;
    this.#share = share;
    this.#part = join(path, PART_FILE);
  }

  /** Creates the folder, or checks again that it is empty or an export of this form. */
  static async open(path: string, form: string, share: Share | null): Promise<ExportFolder> {
    checkExportFolder(path, form);
    const folder = new ExportFolder(path, share);
    try {
      makeDataFolder(path, share);
      await rm(folder.#part, { force: true });
    } catch (error) {
      throw folder.#asError(error);
    }
    await folder.write(MARKER_FILE, Buffer.from(`${safeJson({ format: form, version: 1, software: VERSION })}\n`));
    return folder;
  }

  /** Returns false if the file has these bytes already. */
  async write(path: string, bytes: Buffer): Promise<boolean> {
    try {
      this.#makeFolders(dirname(path));
      const file = join(this.path, path);
      if (await hasBytes(file, bytes)) return false;
      const handle = await open(this.#part, 'wx', FILE_MODES[this.#share ?? 'nobody']);
      try {
        await handle.chmod(FILE_MODES[this.#share ?? 'nobody']).catch(() => {});
        await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
      await rename(this.#part, file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(this.#part, { force: true }).catch(() => {});
      throw this.#asError(error);
    }
  }

  /** Removes files of an earlier export that are not kept. Returns their number. */
  async removeOld(isKept: (path: string) => boolean): Promise<number> {
    const list = join(this.path, LIST_FILE);
    if (!lstatSync(list, { throwIfNoEntry: false })?.isFile()) return 0;
    let removed = 0;
    for await (const path of createInterface({ input: createReadStream(list), crlfDelay: Number.POSITIVE_INFINITY })) {
      if (!isExportPath(path) || isKept(path) || !this.#isRealFile(path)) continue;
      await rm(join(this.path, path), { force: true });
      this.#removeEmpty(dirname(path));
      removed++;
    }
    this.#checked.clear();
    return removed;
  }

  /** Writes the list of files, by which the next export knows what it may remove. */
  writeList(paths: Iterable<string>): Promise<void> {
    return this.writeLines(LIST_FILE, paths);
  }

  /** Adds files to the list before they are written, if they are known only then. */
  async addToList(paths: readonly string[]): Promise<void> {
    try {
      // Somebody may have put a symbolic link there.
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
      const handle = await open(join(this.path, LIST_FILE), flags, FILE_MODES[this.#share ?? 'nobody']);
      try {
        await handle.writeFile(lines(paths, '\n'));
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw this.#asError(error);
    }
  }

  async writeLines(path: string, texts: Iterable<string>, end = '\n'): Promise<void> {
    try {
      const handle = await open(this.#part, 'wx', FILE_MODES[this.#share ?? 'nobody']);
      try {
        await handle.chmod(FILE_MODES[this.#share ?? 'nobody']).catch(() => {});
        await handle.writeFile(lines(texts, end));
      } finally {
        await handle.close();
      }
      await rename(this.#part, join(this.path, path));
    } catch (error) {
      throw this.#asError(error);
    }
  }

  /** Creates the folders of a file one by one. A symbolic link in place of a folder could lead out of the folder. */
  #makeFolders(folder: string): void {
    if (folder === '.' || this.#checked.has(folder)) return;
    this.#makeFolders(dirname(folder));
    const path = join(this.path, folder);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      const mode = FILE_MODES[this.#share ?? 'nobody'] | ((FILE_MODES[this.#share ?? 'nobody'] & 0o444) >> 2);
      mkdirSync(path, { mode });
      undoUmask(() => changeMode(path, mode));
    } else if (!found.isDirectory()) {
      throw new OrbweaverError(
        'ERR_OUTPUT',
        `${path} is in the way: it is no folder; remove it and run the export again`,
      );
    }
    if (this.#checked.size >= MAX_CHECKED) this.#checked.clear();
    this.#checked.add(folder);
  }

  #isRealFile(path: string): boolean {
    const parts = path.split('/');
    return parts.every((_, i) => {
      const found = lstatSync(join(this.path, ...parts.slice(0, i + 1)), { throwIfNoEntry: false });
      return i < parts.length - 1 ? found?.isDirectory() : found?.isFile();
    });
  }

  #removeEmpty(folder: string): void {
    for (let at = folder; at !== '.'; at = dirname(at)) {
      try {
        rmdirSync(join(this.path, at));
      } catch {
        // It still has files.
        return;
      }
    }
  }

  #asError(error: unknown): unknown {
    if (error instanceof OrbweaverError) return error;
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const text = `the disk is full; the export in ${this.path} is incomplete; make room and run the same command again`;
      return new OrbweaverError('ERR_DISK_FULL', text, { cause: error });
    }
    if (code === 'EEXIST') {
      const text = `another export seems to write into ${this.path}; wait for it, or choose another folder`;
      return new OrbweaverError('ERR_OUTPUT', text, { cause: error });
    }
    if (syscall === undefined) return error;
    return new OrbweaverError('ERR_OUTPUT', `the export in ${this.path} is incomplete: ${message}`, { cause: error });
  }
}

/** Refuses a folder that is neither empty nor an export of this form. Call it before any work is done. */
export function checkExportFolder(path: string, form: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new OrbweaverError('ERR_BAD_OPTION', `--out ${path} is a file; name a folder`);
  const names = readdirSync(path);
  if (names.length === 0 || names.every((name) => name === PART_FILE) || isMarked(join(path, MARKER_FILE), form))
    return;
  throw new OrbweaverError(
    'ERR_BAD_OPTION',
    `--out ${path} has other files and is no earlier export with --format ${form}; name an empty or a new folder`,
  );
}

function isMarked(marker: string, form: string): boolean {
  const found = lstatSync(marker, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > MAX_MARKER_BYTES) return false;
  try {
    return (JSON.parse(readFileSync(marker, 'utf8')) as { readonly format?: unknown })?.format === form;
  } catch {
    return false;
  }
}

async function hasBytes(file: string, bytes: Buffer): Promise<boolean> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === bytes.length && (await readFile(file)).equals(bytes);
}

function* lines(texts: Iterable<string>, end: string): Generator<string> {
  for (const text of texts) yield text + end;
}
