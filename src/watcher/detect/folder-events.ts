/**
 * What the file system tells of by itself. In: folders that the sweep comes by. Out: the forms of files and folders of which something may have
 * happened, a moment later, together. Always: no more folders are watched, and no more forms held, than the limits allow; what is missed for that
 * reason the next sweep finds. The folders nearest the root are watched, and those where something changed last.
 */
import { type FSWatcher, lstatSync, statSync, watch } from 'node:fs';
import type { Clock } from '../../core/clock.ts';
import { formOf } from './key-order.ts';
import type { NoticeBook } from './notices.ts';

export interface FolderEventsOptions {
  readonly maxFolders: number;
  readonly maxQueued: number;
  readonly debounceMs: number;
  readonly clock: Clock;
  readonly notices: NoticeBook;
  /** Something is to be taken. */
  readonly onDue: () => void;
  readonly watch?: typeof watch;
}

export interface EventBatch {
  readonly forms: readonly string[];
  /** More happened than could be held. */
  readonly isOverflown: boolean;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
  readonly depth: number;
  /** The last sweep that came by. */
  metBy: number;
}

/** Of the folders this part is kept for those where something changed last. */
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

  take(): EventBatch {
    const batch = { forms: [...this.#queue], isOverflown: this.#isOverflown };
    this.#queue = new Set();
    this.#isOverflown = false;
    this.#isDue = false;
    return batch;
  }

  /** The walk comes to a folder: it is watched where it is near the root, or watched anew where another has its name now. */
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

  /** It has come to every folder: others are gone, or lie in a release that is served no more. */
  endSweep(): void {
    for (const watched of [this.#near, this.#recent]) {
      for (const [form, { metBy }] of [...watched]) if (metBy !== this.#sweeps) this.#stop(form);
    }
  }

  /** Something changed in a folder: the next change is likely to be there too. */
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

  /** A folder is gone or has moved, with all below it: what its watchers say would be said of the wrong names. */
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
      this.#tell(error as NodeJS.ErrnoException);
      return;
    }
    watcher.on('error', (error) => {
      this.#stop(form);
      this.#tell(error);
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

  /** Folders that cannot be watched are swept all the same. */
  #tell(error: NodeJS.ErrnoException): void {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return;
    if (error.code === 'ENOSPC' || error.code === 'EMFILE') this.#limit = Math.min(this.#limit, this.watchedFolders);
    const message = `cannot watch more than ${this.watchedFolders} folders (${error.code}); the others are swept only`;
    this.#options.notices.tell('watch-limit', '', message);
  }
}

/** A root may be a link, and what is watched is where it leads; a link below it is no folder. */
function identityOf(form: string, path: string): string | null {
  const isRoot = form.indexOf('/') === form.length - 1;
  try {
    const stats = (isRoot ? statSync : lstatSync)(path, { throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
  } catch {
    return null;
  }
}
