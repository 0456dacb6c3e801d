/**
 * Writes the watcher's files into the folder that a web server serves. Others may write there too, so
 * links out of the folder are never followed.
 */
import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OrbweaverError } from '../../core/errors.ts';
import { replaceFile } from '../report/replace-file.ts';

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const BATCH_CHARACTERS = 65_536;

export class WebRoot {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<WebRoot> {
    try {
      return new WebRoot(await realpath(folder));
    } catch (error) {
      throw new OrbweaverError('ERR_DIR', `the web root ${folder} cannot be opened`, { cause: error });
    }
  }

  /** Writes to a URL path such as `/.well-known/x`. The file is replaced in one step and readable for all. */
  async write(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const { folder, name } = this.#place(path);
    await this.#makeFolder(folder);
    await replaceFile(join(this.#folder, ...folder, name), FILE_MODE, async (file) => {
      let batch = '';
      for await (const piece of pieces) {
        batch += piece;
        if (batch.length < BATCH_CHARACTERS) continue;
        await file.write(batch);
        batch = '';
      }
      await file.write(batch);
      // Checks again: a folder that was replaced by a link would redirect the file.
      await this.#makeFolder(folder);
    });
  }

  /** Removes the files beside a path whose names match `isOurs`. */
  async remove(path: string, isOurs: (name: string) => boolean): Promise<void> {
    const { folder } = this.#place(path);
    await this.#makeFolder(folder);
    const place = join(this.#folder, ...folder);
    for (const name of await readdir(place)) if (isOurs(name)) await rm(join(place, name), { force: true });
  }

  #place(path: string): { readonly folder: readonly string[]; readonly name: string } {
    const parts = path.split('/').slice(1);
    const isPlain =
      path.startsWith('/') && parts.every((part) => /^[\w.-]{1,200}$/.test(part) && !/^\.{1,2}$/.test(part));
    if (!isPlain) throw new OrbweaverError('ERR_BAD_OPTION', `${path} is not a valid path for a file`);
    return { folder: parts.slice(0, -1), name: parts.at(-1)! };
  }

  async #makeFolder(parts: readonly string[]): Promise<void> {
    let folder = this.#folder;
    for (const part of parts) {
      folder = join(folder, part);
      const found = await lstat(folder).catch(() => null);
      if (found === null) await mkdir(folder, { mode: FOLDER_MODE }).catch(() => undefined);
      if (!(found ?? (await lstat(folder))).isDirectory()) {
        throw new OrbweaverError(
          'ERR_DIR',
          `${folder} is not a folder, and links are not followed; replace it by a folder`,
        );
      }
    }
  }
}
