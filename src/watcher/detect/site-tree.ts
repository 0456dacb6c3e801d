import { type Dirent, lstatSync, opendirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';
import { formOf } from './key-order.ts';
import { NameSorter } from './name-sorter.ts';
import type { NoticeBook } from './notices.ts';
import type { SiteView } from './site-view.ts';

/** A regular file: its stamp, and the path to open. */
export interface FoundFile {
  readonly stats: Stats;
  readonly path: string;
}

/** What is in a folder; `close` when it is done with. */
export interface Names {
  readonly forms: Iterator<string>;
  close(): void;
}

/** `absent`: there is no such file that would be served. `unreadable`: nothing can be said. */
export type Look = FoundFile | 'absent' | 'unreadable';

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL']);
const LIST_PIECE = 256;
/** So many names are listed before others get their turn. */
const LIST_TURN = 4_096;

/**
 * The folders of a site as they are on the disk. Symbolic links to files inside a root are followed, links to folders are not. Nothing is
 * remembered but the devices of the roots: a root may be a link that leads elsewhere with each release.
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

  /** Whether a root is still on the device that a sweep found it on: a disk that was taken away took no page with it. */
  isStill(root: number): boolean {
    const before = this.#devices[root];
    const device = this.device(root);
    if (device === null || before === undefined || before === device) return device !== null;
    this.#devices[root] = before;
    return false;
  }

  /** The device of a root; null, and told, where it cannot be read. */
  device(root: number): number | null {
    const { folder } = this.#view.roots[root]!;
    try {
      const stats = statSync(folder);
      if (!stats.isDirectory()) throw new Error('it is no folder');
      this.#notices.mended('root-missing', folder);
      this.#devices[root] = stats.dev;
      return stats.dev;
    } catch (error) {
      const message = `cannot read ${folder}: ${(error as Error).message}; its pages are taken to be as they were`;
      this.#notices.tell('root-missing', folder, message);
      return null;
    }
  }

  tellUnmounted(root: number): void {
    const { folder } = this.#view.roots[root]!;
    const message = `${folder} is empty and on another disk than before; its pages are taken to be as they were`;
    this.#notices.tell('root-missing', folder, message);
  }

  look(root: number, path: string): Look {
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

  /** Whether a walk would come to a path: all folders above it are folders, and walked. */
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
      // It is there, or may be: nothing below it is called gone.
      return !isAbsence(error);
    }
  }

  /** The forms of what is in a folder, in order, folders with `/` behind; null where it cannot be read. One that is gone is empty. */
  names(root: number, path: string): Names | null {
    const listing = this.list(root, path);
    for (;;) {
      const { done, value } = listing.next();
      if (done === true) return value;
    }
  }

  /** The same, piece by piece: a folder may hold so many names that others want their turn meanwhile. */
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
      const message = `cannot read ${folder}: ${(error as Error).message}; its pages are taken to be as they were`;
      this.#notices.tell('folder-unreadable', folder, message);
      return null;
    } finally {
      // Also where it is stopped in the middle.
      if (!isListed) sorter.close();
    }
  }

  #add(sorter: NameSorter, folder: string, entry: Dirent): void {
    if (entry.name.includes('\ufffd')) {
      this.#notices.tell('name-not-utf8', folder, `${folder} holds names that are no UTF-8; such files are left out`);
    } else {
      sorter.add(entry.isDirectory() ? `${formOf(entry.name)}/` : formOf(entry.name));
    }
  }

  #follow(link: string): Look {
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
