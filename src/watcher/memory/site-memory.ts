/**
 * What the watcher remembers of a site. In: pages and what happened to them. Out: a page by its key, all pages in order, the changes after a
 * number. Always: a change is on the disk before anybody hears of it, its number is never given again, and a kill at any moment loses none; one
 * process has the folder; what is held in memory does not grow with the number of pages or changes.
 *
 * Runs of pages and an overlay (page-layers.ts), a journal of changes (journal.ts), and a manifest that says which files count (upkeep.ts). What the
 * journal has beyond the manifest is applied again when the memory is opened.
 */
import { dirname } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { makeDataFolder } from '../../core/file-modes.ts';
import type { Change, WatchedPage } from '../records.ts';
import type { FirstListing } from './first-listing.ts';
import { FolderLock } from './folder-lock.ts';
import type { Journal, NotedChange } from './journal.ts';
import { formOf } from './key-order.ts';
import type { LayerScan } from './layer-scan.ts';
import type { NamedRoot } from './manifest.ts';
import { DamagedMemory, damaged, unwritable } from './memory-error.ts';
import { openParts, type Parts } from './memory-parts.ts';
import { NoticeBook, type Tell } from './notices.ts';
import { Turns } from './turns.ts';
import { Upkeep } from './upkeep.ts';

export interface MemoryOptions {
  /** Pages kept in memory before they are written as a run. */
  readonly maxOverlay?: number;
  readonly maxJournalBytes?: number;
  readonly tell?: Tell;
  /** Awaited before anything is noted: what others keep of pages is on the disk before the pages are, and so never forgotten by a kill. */
  readonly prepare?: () => Promise<void>;
  /** Awaited by work that can wait. */
  readonly breathe?: () => Promise<void>;
}

export type NewChange = Omit<NotedChange, 'seq'>;

const DEFAULT_OVERLAY = 2_000;
const DEFAULT_JOURNAL_BYTES = 64 * 1024 * 1024;
/** How many pages more there are after a change. */
const COUNTS = { new: 1, updated: 0, deleted: -1 } as const;

export class SiteMemory {
  readonly #folder: string;
  readonly #notices: NoticeBook;
  readonly #lock: FolderLock;
  readonly #turns = new Turns();
  readonly #prepare: () => Promise<void>;
  readonly #upkeep: Upkeep;
  readonly #journal: Journal;
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  #lastSeq: number;
  #pageCount: number;
  #isClosed = false;

  private constructor(folder: string, clock: Clock, options: MemoryOptions, lock: FolderLock, parts: Parts) {
    this.#folder = folder;
    this.#notices = new NoticeBook(options.tell ?? (() => {}));
    this.#lock = lock;
    this.#journal = parts.journal;
    const { maxOverlay = DEFAULT_OVERLAY, breathe = async () => {}, prepare = async () => {} } = options;
    this.#prepare = prepare;
    const upkeep = { folder, clock, maxOverlay, breathe, prepare, notices: this.#notices, turns: this.#turns };
    this.#upkeep = new Upkeep(upkeep, parts.manifest, parts.runs);
    this.#lastSeq = parts.manifest.seq;
    this.#pageCount = parts.manifest.pages;
  }

  /** Mends what a kill left. Throws where another process has the folder. A damaged memory is begun anew, in a new epoch. */
  static async open(folder: string, clock: Clock, options: MemoryOptions = {}): Promise<SiteMemory> {
    const lock = lockFolder(folder);
    const maxJournalBytes = options.maxJournalBytes ?? DEFAULT_JOURNAL_BYTES;
    try {
      const parts = openParts(folder, maxJournalBytes, options.tell ?? (() => {}));
      const memory = new SiteMemory(folder, clock, options, lock, parts);
      try {
        await memory.#replay();
      } catch (error) {
        if (!(error instanceof DamagedMemory)) throw error;
        await memory.beginAnew(error.message);
      }
      if (parts.isNew) await memory.#upkeep.commit([]);
      return memory;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  get epoch(): string {
    return this.#upkeep.kept.epoch;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get oldestSeq(): number {
    return this.#journal.oldestSeq ?? this.#lastSeq;
  }

  get pageCount(): number {
    return this.#pageCount;
  }

  get isComplete(): boolean {
    return this.#upkeep.kept.isComplete;
  }

  /** All that changed before this moment has been looked for. */
  get sweptAtMs(): number {
    return this.#upkeep.kept.sweptAtMs;
  }

  /** The device of each root as it was last swept. */
  get devices(): readonly number[] {
    return this.#upkeep.kept.devices;
  }

  /** By the numbers that keys hold; none where nobody named them. */
  get roots(): readonly NamedRoot[] {
    return this.#upkeep.kept.roots ?? [];
  }

  /** On the disk when it resolves, and so before any key that holds a new number. */
  async nameRoots(roots: readonly NamedRoot[]): Promise<void> {
    if (JSON.stringify(roots) === JSON.stringify(this.roots)) return;
    await this.#turns.take(() => this.#upkeep.nameRoots(roots));
  }

  get folder(): string {
    return this.#folder;
  }

  async find(key: string): Promise<WatchedPage | null> {
    return this.findForm(formOf(key));
  }

  findForm(form: string): WatchedPage | null {
    return this.#reading(() => this.#upkeep.layers.find(form));
  }

  scan(from: string, windowBytes?: number): LayerScan {
    return this.#reading(() => this.#upkeep.layers.scan(from, windowBytes));
  }

  /** After a key, in the order of the walk. */
  async pages(after: string | null, limit: number): Promise<readonly WatchedPage[]> {
    const from = after === null ? '' : formOf(after);
    return this.#reading(() => {
      const pages: WatchedPage[] = [];
      const scan = this.#upkeep.layers.scan(from);
      if (after !== null && scan.form === from) scan.next();
      for (; scan.form !== null && pages.length < limit; scan.next()) pages.push(scan.page()!);
      return pages;
    });
  }

  async changes(after: number, limit: number): Promise<readonly Change[]> {
    return this.#reading(() => {
      const found: Change[] = [];
      if (limit <= 0) return found;
      for (const { replaces: _, ...change } of this.#journal.read(after)) {
        found.push(change);
        if (found.length >= limit) break;
      }
      return found;
    });
  }

  /** Numbers and keeps changes; on the disk when it resolves. */
  note(changes: readonly NewChange[]): Promise<readonly Change[]> {
    return this.#turns.take(async () => {
      if (this.#isClosed) throw unwritable(this.#folder, new Error('it is closed'));
      if (changes.length === 0) return [];
      let seq = this.#lastSeq;
      const noted = changes.map((change): NotedChange => {
        seq++;
        return { seq, ...change, page: { ...change.page, seq } };
      });
      try {
        await this.#prepare();
        await this.#journal.append(noted);
      } catch (cause) {
        throw unwritable(this.#folder, cause);
      }
      for (const change of noted) {
        this.#apply(change);
        this.#pageCount += COUNTS[change.kind];
      }
      const told = noted.map(({ replaces: _, ...change }) => change);
      for (const listener of this.#listeners) queueMicrotask(() => listener(told));
      await this.#settle();
      return told;
    });
  }

  /** Keeps what was seen of a page whose content is as it was; no change, and nothing lost where a kill forgets it. */
  touch(page: WatchedPage): void {
    const form = formOf(page.key);
    if (!this.#upkeep.layers.isOverfull || this.#upkeep.layers.inMemory(form) !== undefined)
      this.#upkeep.layers.put(form, page);
  }

  /** Forgets a page whose URL another has; like `touch`. */
  drop(key: string): void {
    const form = formOf(key);
    if (this.#upkeep.layers.isOverfull || this.#upkeep.layers.find(form) === null) return;
    this.#upkeep.layers.put(form, null);
    this.#pageCount--;
  }

  /** Awaited now and then by who touches many pages. */
  async relieve(): Promise<void> {
    if (this.#upkeep.layers.isFull) await this.#turns.take(() => this.#settle());
  }

  /** Who goes through many pages had better wait until files are merged. */
  get isCrowded(): boolean {
    return this.#upkeep.isCrowded;
  }

  onChange(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What the first sweep finds, in order; counts when it is finished. */
  firstListing(): FirstListing {
    return this.#upkeep.firstListing((pages) => {
      this.#pageCount += pages;
    });
  }

  /** A sweep that began at `sweptAtMs` has seen everything. */
  noteSweep(sweptAtMs: number, devices: readonly number[]): Promise<void> {
    return this.#turns.take(() => this.#upkeep.noteSweep(sweptAtMs, devices));
  }

  /** Forgets everything, in a new epoch: the memory turned out to be damaged. */
  async beginAnew(reason: string): Promise<void> {
    await this.#upkeep.settled();
    await this.#turns.take(async () => {
      this.#notices.tell('memory-damaged', this.epoch, `${reason}; the site is read anew`);
      this.#journal.dropAll();
      this.#pageCount = 0;
      await this.#upkeep.beginAnew(this.#lastSeq);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#turns.take(async () => {
      this.#isClosed = true;
      if (this.#upkeep.damage === null) await this.#fold();
    });
    await this.#upkeep.close();
    this.#journal.close();
    this.#lock.release();
  }

  #apply(change: NotedChange): void {
    const isDeleted = change.kind === 'deleted';
    this.#lastSeq = change.seq;
    if (change.replaces !== undefined) this.#upkeep.layers.put(formOf(change.replaces), null);
    this.#upkeep.layers.put(formOf(change.page.key), isDeleted ? null : change.page);
  }

  /** Where a kill made us forget what was only looked at again, the kind of a change does not say how many pages there are: each is looked up. */
  #applyAgain(change: NotedChange): void {
    const isThere = (key: string | undefined) =>
      key !== undefined && this.#upkeep.layers.find(formOf(key)) !== null ? 1 : 0;
    this.#pageCount -= isThere(change.page.key) + isThere(change.replaces);
    if (change.kind !== 'deleted') this.#pageCount++;
    this.#apply(change);
  }

  async #replay(): Promise<void> {
    const { seq } = this.#upkeep.kept;
    const { lastSeq, oldestSeq } = this.#journal;
    if (lastSeq !== null && lastSeq < seq) this.#journal.dropAll();
    else if (oldestSeq !== null && oldestSeq > seq) throw damaged('changes are missing from the journal');
    for (const change of this.#journal.read(seq)) {
      this.#applyAgain(change);
      if (this.#upkeep.layers.isFull) await this.#fold();
    }
    this.#upkeep.mergeInBackground();
  }

  async #settle(): Promise<void> {
    if (this.#upkeep.layers.isFull) await this.#fold();
    this.#upkeep.mergeInBackground();
    for (let overdue = this.#journal.overdueSeq; overdue !== null; overdue = this.#journal.overdueSeq) {
      if (overdue > this.#upkeep.kept.seq && !(await this.#fold())) return;
      this.#journal.dropOldest();
    }
  }

  #fold(): Promise<boolean> {
    return this.#upkeep.fold(this.#lastSeq, this.#pageCount);
  }

  #reading<Result>(read: () => Result): Result {
    if (this.#upkeep.damage !== null) throw this.#upkeep.damage;
    try {
      return read();
    } catch (error) {
      if (error instanceof DamagedMemory) this.#upkeep.damage = error;
      throw error;
    }
  }
}

function lockFolder(folder: string): FolderLock {
  try {
    // The state folder, and the one of this site in it.
    makeDataFolder(dirname(folder), null);
    makeDataFolder(folder, null);
    return FolderLock.take(folder);
  } catch (error) {
    if (error instanceof OrbweaverError) throw error;
    const why = `${(error as Error).message}; name a folder that can be written to with --state`;
    throw new OrbweaverError('ERR_DIR', `the state folder ${folder} cannot be used: ${why}`, { cause: error });
  }
}
