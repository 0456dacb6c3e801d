import { formOf } from '../memory/key-order.ts';
import type { FileStamp, WatchedPage } from '../records.ts';

/**
 * Distinguishes a moved page from a deleted page and a new page. Deleted pages are held back for a while, and new pages
 * are remembered. A pair is a move if content and inode are equal, or if only one page has that content. Beyond the
 * limit the oldest pages are dropped first.
 */
export class MoveDetector {
  readonly #limit: number;
  readonly #gone = new PageIndex();
  readonly #recent = new PageIndex();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get heldForms(): readonly string[] {
    return [...this.#gone.forms()];
  }

  isHeld(form: string): boolean {
    return this.#gone.has(form);
  }

  /** Too many pages are held. These pages, the oldest, should be stored as deleted. */
  get overdue(): readonly string[] {
    const excess = this.#gone.size - this.#limit;
    return excess <= 0 ? [] : this.heldForms.slice(0, excess + Math.floor(this.#limit / 2));
  }

  hold(page: WatchedPage): void {
    this.#gone.add(page);
  }

  release(form: string): void {
    this.#gone.remove(form);
  }

  /** The held page that moved to a file with this hash. It stays held. */
  goneWith(hash: string, stamp: FileStamp): WatchedPage | null {
    return this.#gone.match(hash, stamp);
  }

  /** A held page that was the same file, so its hash is known without reading. */
  goneAs({ size, mtimeMs, ctimeMs, ino }: FileStamp): WatchedPage | null {
    const page = this.#gone.byInode(ino);
    if (page === null || page.isFresh) return null;
    const { stamp } = page;
    return stamp.size === size && stamp.mtimeMs === mtimeMs && stamp.ctimeMs === ctimeMs ? page : null;
  }

  remember(page: WatchedPage): void {
    this.#recent.add(page);
    if (this.#recent.size > this.#limit) this.#recent.removeOldest();
  }

  /** The new page that this deleted page became. It is returned only once. */
  takeCome(page: WatchedPage): WatchedPage | null {
    // The deleted page may itself be a recent new page.
    this.#recent.remove(formOf(page.key));
    const found = this.#recent.match(page.hash, page.stamp);
    if (found !== null) this.#recent.remove(formOf(found.key));
    return found;
  }

  forgetRecent(): void {
    this.#recent.clear();
  }
}

class PageIndex {
  readonly #pages = new Map<string, WatchedPage>();
  readonly #byHash = new Map<string, Set<string>>();
  readonly #byInode = new Map<number, string>();

  get size(): number {
    return this.#pages.size;
  }

  forms(): Iterable<string> {
    return this.#pages.keys();
  }

  has(form: string): boolean {
    return this.#pages.has(form);
  }

  byInode(ino: number): WatchedPage | null {
    const form = this.#byInode.get(ino);
    return form === undefined ? null : (this.#pages.get(form) ?? null);
  }

  add(page: WatchedPage): void {
    const form = formOf(page.key);
    this.remove(form);
    this.#pages.set(form, page);
    this.#byInode.set(page.stamp.ino, form);
    const alike = this.#byHash.get(page.hash);
    if (alike === undefined) this.#byHash.set(page.hash, new Set([form]));
    else alike.add(form);
  }

  match(hash: string, { ino, mtimeMs, size }: FileStamp): WatchedPage | null {
    const same = this.byInode(ino);
    // The inode number of a deleted file may be reused. A moved file keeps its modification time too.
    if (same !== null && same.hash === hash && same.stamp.mtimeMs === mtimeMs) return same;
    const alike = this.#byHash.get(hash);
    // All empty files have the same content, so it proves nothing.
    if (alike === undefined || alike.size !== 1 || size === 0) return null;
    const [form] = alike;
    return this.#pages.get(form!) ?? null;
  }

  remove(form: string): void {
    const page = this.#pages.get(form);
    if (page === undefined) return;
    this.#pages.delete(form);
    if (this.#byInode.get(page.stamp.ino) === form) this.#byInode.delete(page.stamp.ino);
    const alike = this.#byHash.get(page.hash)!;
    alike.delete(form);
    if (alike.size === 0) this.#byHash.delete(page.hash);
  }

  removeOldest(): void {
    for (const form of this.#pages.keys()) {
      this.remove(form);
      return;
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#byHash.clear();
    this.#byInode.clear();
  }
}
