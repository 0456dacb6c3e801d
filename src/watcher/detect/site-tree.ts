import { type Dirent, lstatSync, opendirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';
import { formOf } from '../memory/key-order.ts';
import { NameSorter } from '../memory/name-sorter.ts';
import type { NoticeBook } from '../memory/notices.ts';
import type { SiteView } from './site-view.ts';

/** A regular file: its stamp, and the path to open. */
export interface FoundFile {
  readonly stats: Stats;
  readonly path: string;
}

/** The names in a folder. Call `close` afterwards. */
export interface Names {
  readonly forms: Iterator<string>;
  close(): void;
}

/** `absent`: no such file would be served. `unreadable`: the state of the file is unknown. */
export type FileLookup = FoundFile | 'absent' | 'unreadable';

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL']);
const LIST_PIECE = 256;
/** Number of names that are listed before other work gets its turn. */
const LIST_TURN = 4_096;

/**
 * The folders of a site on the disk. Symbolic links to files inside a root are followed, links to folders are not. Only
 * the devices of the roots are remembered, because a root may be a link with a new target after each release.
 */
export class SiteTree {
  readonly #view: SiteView;
  readonly #notices: NoticeBook;
  readonly #spillFolder: string;
  readonly #maxNames: number;
  readonly #devices: number[] = [];

  constructor(view: SiteView, notices: NoticeBook, spillFolder: string, maxNames: number) {
    this.#view = view;
    this.#notices = notices;
    this.#spillFolder = spillFolder;
    this.#maxNames = maxNames;
  }

  pathOn(root: number, path: string): string {
    const { folder } = this.#view.roots[root]!;
    return path === '' ? folder : `${folder}/${path}`;
  }

  /** Whether a root is still on the device of the last sweep. A removed disk does not delete its pages. */
  isStill(root: number): boolean {
    const before = this.#devices[root];
    const device = this.device(root);
    if (device === null || before === undefined || before === device) return device !== null;
    this.#devices[root] = before;
    return false;
  }

  /** The device of a root; null, with a notice, if the root cannot be read. */
  device(root: number): number | null {
    const { folder } = this.#view.roots[root]!;
    try {
      const stats = statSync(folder);
      if (!stats.isDirectory()) throw new Error('not a folder');
      this.#notices.mended('root-missing', folder);
      this.#devices[root] = stats.dev;
      return stats.dev;
    } catch (error) {
      const message = `cannot read ${folder}: ${(error as Error).message}; its pages count as unchanged`;
      this.#notices.notify('root-missing', folder, message);
      return null;
    }
  }

  notifyUnmounted(root: number): void {
    const { folder } = this.#view.roots[root]!;
    const message = `${folder} is empty and on another disk than before; its pages count as unchanged`;
    this.#notices.notify('root-missing', folder, message);
  }

  fileAt(root: number, path: string): FileLookup {
    const onDisk = this.pathOn(root, path);
    try {
      const stats = lstatSync(onDisk, { throwIfNoEntry: false });
      if (stats === undefined) return 'absent';
      if (stats.isFile()) return { stats, path: onDisk };
      return stats.isSymbolicLink() ? this.#follow(onDisk) : 'absent';
    } catch (error) {
      return isAbsence(error) ? 'absent' : 'unreadable';
    }
  }

  /** Whether a walk would reach a path: all parent folders are folders, and the rules allow walking them. */
  isReachable(root: number, path: string): boolean {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (!this.#view.isWalked(folder) || !this.isFolder(root, folder)) return false;
    }
    return true;
  }

  isFolder(root: number, path: string): boolean {
    try {
      // A root may be a link.
      const stats = (path === '' ? statSync : lstatSync)(this.pathOn(root, path), { throwIfNoEntry: false });
      return stats?.isDirectory() === true;
    } catch (error) {
      // The folder exists, or may exist, so nothing below it counts as deleted.
      return !isAbsence(error);
    }
  }

  /**
   * The forms of the entries of a folder, in order, with `/` after folder names; null if the folder
   * cannot be read. A missing folder is empty.
   */
  names(root: number, path: string): Names | null {
    const listing = this.list(root, path);
    for (;;) {
      const { done, value } = listing.next();
      if (done === true) return value;
    }
  }

  /** Like `names`, in steps: a folder may have so many names that other work needs a turn meanwhile. */
  *list(root: number, path: string): Generator<void, Names | null, void> {
    const folder = this.pathOn(root, path);
    const sorter = new NameSorter(this.#spillFolder, this.#maxNames);
    let isListed = false;
    try {
      const dir = opendirSync(folder, { bufferSize: LIST_PIECE });
      try {
        let count = 0;
        for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
          this.#add(sorter, folder, entry);
          if (++count % LIST_TURN === 0) yield;
        }
      } finally {
        dir.closeSync();
      }
      this.#notices.mended('folder-unreadable', folder);
      const forms = sorter.sorted();
      isListed = true;
      return { forms, close: () => sorter.close() };
    } catch (error) {
      if (isAbsence(error)) return { forms: [][Symbol.iterator](), close: () => {} };
      const message = `cannot read ${folder}: ${(error as Error).message}; its pages count as unchanged`;
      this.#notices.notify('folder-unreadable', folder, message);
      return null;
    } finally {
      // Also runs if the generator is stopped early.
      if (!isListed) sorter.close();
    }
  }

  #add(sorter: NameSorter, folder: string, entry: Dirent): void {
    if (entry.name.includes('\ufffd')) {
      this.#notices.notify(
        'name-not-utf8',
        folder,
        `${folder} contains names that are not UTF-8; these files are not reported`,
      );
    } else {
      sorter.add(entry.isDirectory() ? `${formOf(entry.name)}/` : formOf(entry.name));
    }
  }

  #follow(link: string): FileLookup {
    const path = realpathSync(link);
    if (!this.#view.roots.some((root) => root !== null && isBelow(path, root.folder))) return 'absent';
    const stats = statSync(path);
    return stats.isFile() ? { stats, path } : 'absent';
  }
}

function isBelow(path: string, folder: string): boolean {
  try {
    const root = realpathSync(folder);
    return path.startsWith(root.endsWith(sep) ? root : root + sep);
  } catch {
    return false;
  }
}

export function isAbsence(error: unknown): boolean {
  return ABSENT.has((error as NodeJS.ErrnoException).code ?? '');
}
