/**
 * Receives events from the file system. In: the folders that the sweep visits. Out: the forms of files and folders that
 * may have changed, as a batch after a short delay. What always holds: the number of watched folders and of queued
 * forms stays within the limits, and the next sweep finds the missed changes. Watched are the folders nearest to the
 * root and the folders with the latest changes.
 */
import { type FSWatcher, lstatSync, statSync, watch } from 'node:fs';
import type { Clock } from '../../core/clock.ts';
import { formOf } from '../memory/key-order.ts';
import type { NoticeBook } from '../memory/notices.ts';

export interface FolderEventsOptions {
  readonly maxFolders: number;
  readonly maxQueued: number;
  readonly debounceMs: number;
  readonly clock: Clock;
  readonly notices: NoticeBook;
  /** Called when a batch is ready to be taken. */
  readonly onDue: () => void;
  readonly watch?: typeof watch;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
  readonly depth: number;
  /** The number of the last sweep that visited this folder. */
  metBy: number;
}

/** One in this many watches is reserved for the folders with the latest changes. */
const RECENT_PART = 4;

export class FolderEvents {
  readonly #options: FolderEventsOptions;
  readonly #near = new Map<string, Watched>();
  readonly #recent = new Map<string, Watched>();
  /** Forms of near folders by depth. */
  readonly #byDepth: Set<string>[] = [];
  #queue = new Set<string>();
  #isOverflown = false;
  #isDue = false;
  #cancel: (() => void) | null = null;
  #limit: number;
  #sweeps = 0;

  constructor(options: FolderEventsOptions) {
    this.#options = options;
    this.#limit = options.maxFolders;
  }

  get isDue(): boolean {
    return this.#isDue;
  }

  get watchedFolders(): number {
    return this.#near.size + this.#recent.size;
  }

  /** `isOverflown`: more events happened than the queue can hold. */
  take(): { readonly forms: readonly string[]; readonly isOverflown: boolean } {
    const batch = { forms: [...this.#queue], isOverflown: this.#isOverflown };
    this.#queue = new Set();
    this.#isOverflown = false;
    this.#isDue = false;
    return batch;
  }

  /**
   * Called when the walk reaches a folder. It is watched if it is near the root, and watched
   * again if another folder now has its name.
   */
  offer(form: string, path: string): void {
    if (this.#limit === 0) return;
    const known = this.#near.get(form) ?? this.#recent.get(form);
    if (known !== undefined) {
      known.metBy = this.#sweeps;
      if (identityOf(form, path) === known.identity) return;
      this.#stop(form);
    }
    const depth = form.split('/').length;
    const nearLimit = this.#limit - Math.floor(this.#limit / RECENT_PART);
    if (this.#near.size >= nearLimit) {
      const deepest = this.#byDepth.length - 1;
      if (deepest <= depth) return;
      for (const farther of this.#byDepth[deepest]!) {
        this.#stop(farther);
        break;
      }
    }
    this.#start(this.#near, form, path, depth);
  }

  /** A whole sweep begins. */
  beginSweep(): void {
    this.#sweeps++;
  }

  /** The sweep has visited every folder. Other folders are gone, or belong to a release that is no longer served. */
  endSweep(): void {
    for (const watched of [this.#near, this.#recent]) {
      for (const [form, { metBy }] of [...watched]) if (metBy !== this.#sweeps) this.#stop(form);
    }
  }

  /** A change happened in this folder, so the next change is likely to happen there too. */
  prefer(form: string, path: string): void {
    const known = this.#recent.get(form);
    if (known !== undefined) {
      this.#recent.delete(form);
      this.#recent.set(form, known);
      return;
    }
    const recentLimit = Math.floor(this.#limit / RECENT_PART);
    if (recentLimit === 0 || this.#near.has(form)) return;
    if (this.#recent.size >= recentLimit) {
      for (const oldest of this.#recent.keys()) {
        this.#stop(oldest);
        break;
      }
    }
    this.#start(this.#recent, form, path, 0);
  }

  /** A folder was deleted or moved with everything below it. Its watchers would report wrong names. */
  forget(form: string): void {
    for (const watched of [...this.#near.keys(), ...this.#recent.keys()]) {
      if (watched.startsWith(form)) this.#stop(watched);
    }
  }

  close(): void {
    this.#cancel?.();
    this.forget('');
    this.#limit = 0;
  }

  #start(kind: Map<string, Watched>, form: string, path: string, depth: number): void {
    const identity = identityOf(form, path);
    if (identity === null) return;
    let watcher: FSWatcher;
    try {
      watcher = (this.#options.watch ?? watch)(path, { persistent: false }, (_, name) => this.#queueEvent(form, name));
    } catch (error) {
      this.#notify(error as NodeJS.ErrnoException);
      return;
    }
    watcher.on('error', (error) => {
      this.#stop(form);
      this.#notify(error);
    });
    kind.set(form, { watcher, identity, depth, metBy: this.#sweeps });
    if (kind === this.#near) {
      while (this.#byDepth.length <= depth) this.#byDepth.push(new Set());
      this.#byDepth[depth]!.add(form);
    }
  }

  #stop(form: string): void {
    const known = this.#near.get(form) ?? this.#recent.get(form);
    if (known === undefined) return;
    known.watcher.close();
    this.#recent.delete(form);
    if (!this.#near.delete(form)) return;
    this.#byDepth[known.depth]!.delete(form);
    while (this.#byDepth.at(-1)?.size === 0) this.#byDepth.pop();
  }

  #queueEvent(folder: string, name: string | null): void {
    if (name?.includes('\ufffd')) return;
    if (this.#queue.size >= this.#options.maxQueued) this.#isOverflown = true;
    else this.#queue.add(name === null ? folder : folder + formOf(name));
    if (this.#isDue || this.#cancel !== null) return;
    this.#cancel = this.#options.clock.after(this.#options.debounceMs, () => {
      this.#cancel = null;
      this.#isDue = true;
      this.#options.onDue();
    });
  }

  /** Folders that cannot be watched are still swept. */
  #notify(error: NodeJS.ErrnoException): void {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return;
    if (error.code === 'ENOSPC' || error.code === 'EMFILE') this.#limit = Math.min(this.#limit, this.watchedFolders);
    const limit = `cannot watch more than ${this.watchedFolders} folders (${error.code})`;
    const message = `${limit}; sweeps find the changes in the others`;
    this.#options.notices.notify('watch-limit', '', message);
  }
}

/** A root may be a link, and its target is watched. A link below the root does not count as a folder. */
function identityOf(form: string, path: string): string | null {
  const isRoot = form.indexOf('/') === form.length - 1;
  try {
    const stats = (isRoot ? statSync : lstatSync)(path, { throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
  } catch {
    return null;
  }
}
