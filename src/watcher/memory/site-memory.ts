/**
 * The stored state of a site. In: pages and their changes. Out: a page by its key, all pages in order, the
 * changes after a number. What always holds: a change is on the disk before any listener is called; its
 * number is never given again; a kill at any moment loses no change; one process owns the folder; memory use
 * does not grow with the number of pages or changes.
 *
 * The memory has runs of pages and an overlay (page-layers.ts), a journal of changes (journal.ts) and a
 * manifest that names the valid files (memory-maintenance.ts). Opening the memory applies the changes of the
 * journal that are newer than the manifest.
 */
import type { Clock } from '../../core/clock.ts';
import type { Change, WatchedPage } from '../records.ts';
import type { SiteRoot } from '../site/site-options.ts';
import { lockFolder } from './folder-lock.ts';
import type { Journal, NotedChange } from './journal.ts';
import { formOf } from './key-order.ts';
import type { LayerScan } from './layer-scan.ts';
import { DamagedMemory, unwritable } from './memory-error.ts';
import { type FirstListing, MemoryMaintenance } from './memory-maintenance.ts';
import { openParts, type Parts } from './memory-parts.ts';
import { NoticeBook, type Notify } from './notices.ts';
import { SerialQueue } from './serial-queue.ts';

export interface MemoryOptions {
  /** Pages kept in memory before they are written as a run. */
  readonly maxOverlay?: number;
  readonly maxJournalBytes?: number;
  readonly notify?: Notify;
  /**
   * Awaited before any change is stored. Other parts write their data about pages to the
   * disk first, so a kill cannot lose it.
   */
  readonly prepare?: () => Promise<void>;
  /** Awaited by background work to let other work go first. */
  readonly pause?: () => Promise<void>;
}

export type NewChange = Omit<NotedChange, 'seq'>;

const DEFAULT_OVERLAY = 2_000;
const DEFAULT_JOURNAL_BYTES = 64 * 1024 * 1024;
/** By how much a change alters the number of pages. */
const COUNTS = { new: 1, updated: 0, deleted: -1 } as const;

export class SiteMemory {
  readonly #folder: string;
  readonly #notices: NoticeBook;
  readonly #unlock: () => void;
  readonly #turns = new SerialQueue();
  readonly #prepare: () => Promise<void>;
  readonly #maintenance: MemoryMaintenance;
  readonly #journal: Journal;
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  #lastSeq: number;
  #pageCount: number;
  #isClosed = false;

  private constructor(folder: string, clock: Clock, options: MemoryOptions, unlock: () => void, parts: Parts) {
    this.#folder = folder;
    this.#notices = new NoticeBook(options.notify ?? (() => {}));
    this.#unlock = unlock;
    this.#journal = parts.journal;
    const { maxOverlay = DEFAULT_OVERLAY, pause = async () => {}, prepare = async () => {} } = options;
    this.#prepare = prepare;
    const setup = { folder, clock, maxOverlay, pause, prepare, notices: this.#notices, turns: this.#turns };
    this.#maintenance = new MemoryMaintenance(setup, parts.manifest, parts.runs);
    this.#lastSeq = parts.manifest.seq;
    this.#pageCount = parts.manifest.pages;
  }

  /**
   * Repairs unfinished work of a killed process. Throws if another process owns the folder. A
   * damaged memory is built again, in a new epoch.
   */
  static async open(folder: string, clock: Clock, options: MemoryOptions = {}): Promise<SiteMemory> {
    const unlock = lockFolder(folder);
    const maxJournalBytes = options.maxJournalBytes ?? DEFAULT_JOURNAL_BYTES;
    try {
      const parts = openParts(folder, maxJournalBytes, options.notify ?? (() => {}));
      const memory = new SiteMemory(folder, clock, options, unlock, parts);
      try {
        await memory.#replay();
      } catch (error) {
        if (!(error instanceof DamagedMemory)) throw error;
        await memory.beginAnew(error.message);
      }
      if (parts.isNew) await memory.#maintenance.commit([]);
      return memory;
    } catch (error) {
      unlock();
      throw error;
    }
  }

  get epoch(): string {
    return this.#maintenance.kept.epoch;
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
    return this.#maintenance.kept.isComplete;
  }

  /** All changes before this moment have been looked for. */
  get sweptAtMs(): number {
    return this.#maintenance.kept.sweptAtMs;
  }

  /** The device of each root at the last sweep. */
  get devices(): readonly number[] {
    return this.#maintenance.kept.devices;
  }

  /** The roots by the numbers used in keys; empty if no roots were named. */
  get roots(): readonly SiteRoot[] {
    return this.#maintenance.kept.roots ?? [];
  }

  /** The names are on the disk when the promise resolves, so before any key that contains a new number. */
  async nameRoots(roots: readonly SiteRoot[]): Promise<void> {
    if (JSON.stringify(roots) === JSON.stringify(this.roots)) return;
    await this.#turns.take(() => this.#maintenance.update({ roots }));
  }

  get folder(): string {
    return this.#folder;
  }

  async find(key: string): Promise<WatchedPage | null> {
    return this.findForm(formOf(key));
  }

  findForm(form: string): WatchedPage | null {
    return this.#maintenance.reading(() => this.#maintenance.layers.find(form));
  }

  scan(from: string, windowBytes?: number): LayerScan {
    return this.#maintenance.reading(() => this.#maintenance.layers.scan(from, windowBytes));
  }

  /** The pages after a key, in the order of the walk. */
  async pages(after: string | null, limit: number): Promise<readonly WatchedPage[]> {
    return this.#maintenance.reading(() =>
      this.#maintenance.layers.pages(after === null ? null : formOf(after), limit),
    );
  }

  async changes(after: number, limit: number): Promise<readonly Change[]> {
    return this.#maintenance.reading(() => this.#journal.changes(after, limit));
  }

  /** Numbers and stores changes. They are on the disk when the promise resolves. */
  note(changes: readonly NewChange[]): Promise<readonly Change[]> {
    return this.#turns.take(async () => {
      if (this.#isClosed) throw unwritable(this.#folder, new Error('the memory is closed'));
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
      const stored = noted.map(({ replaces: _, ...change }) => change);
      for (const listener of this.#listeners) queueMicrotask(() => listener(stored));
      await this.#settle();
      return stored;
    });
  }

  /**
   * Stores the new stamp of a page with unchanged content. This is not a change, and
   * nothing is lost if a kill forgets it.
   */
  touch(page: WatchedPage): void {
    const form = formOf(page.key);
    if (!this.#maintenance.layers.isOverfull || this.#maintenance.layers.inMemory(form) !== undefined)
      this.#maintenance.layers.put(form, page);
  }

  /** Forgets a page because another page has its URL. Like `touch`, a kill may forget this. */
  drop(key: string): void {
    const form = formOf(key);
    if (this.#maintenance.layers.isOverfull || this.#maintenance.layers.find(form) === null) return;
    this.#maintenance.layers.put(form, null);
    this.#pageCount--;
  }

  /** Awaited from time to time by code that touches many pages. */
  async relieve(): Promise<void> {
    if (this.#maintenance.layers.isFull) await this.#turns.take(() => this.#settle());
  }

  /** Whether code that reads many pages should wait until files are merged. */
  get isCrowded(): boolean {
    return this.#maintenance.isCrowded;
  }

  onChange(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The pages of the first sweep, in order. They become part of the memory when the listing is finished. */
  firstListing(): FirstListing {
    return this.#maintenance.firstListing((pages) => {
      this.#pageCount += pages;
    });
  }

  /** Records that a sweep which began at `sweptAtMs` has seen everything. */
  noteSweep(sweptAtMs: number, devices: readonly number[]): Promise<void> {
    return this.#turns.take(() => this.#maintenance.update({ sweptAtMs, devices }));
  }

  /** Forgets everything and begins a new epoch, because the memory is damaged. */
  async beginAnew(reason: string): Promise<void> {
    await this.#maintenance.settled();
    await this.#turns.take(async () => {
      this.#notices.notify('memory-damaged', this.epoch, `${reason}; the watcher reads the whole site again`);
      this.#journal.dropAll();
      this.#pageCount = 0;
      await this.#maintenance.beginAnew(this.#lastSeq);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#turns.take(async () => {
      this.#isClosed = true;
      if (this.#maintenance.damage === null) await this.#fold();
    });
    await this.#maintenance.close();
    this.#journal.close();
    this.#unlock();
  }

  #apply(change: NotedChange): void {
    const isDeleted = change.kind === 'deleted';
    this.#lastSeq = change.seq;
    if (change.replaces !== undefined) this.#maintenance.layers.put(formOf(change.replaces), null);
    this.#maintenance.layers.put(formOf(change.page.key), isDeleted ? null : change.page);
  }

  /**
   * A kill may have lost touched pages. The kind of a change then does not say how the page
   * count changes, so each page is looked up.
   */
  #applyAgain(change: NotedChange): void {
    const isThere = (key: string | undefined) =>
      key !== undefined && this.#maintenance.layers.find(formOf(key)) !== null ? 1 : 0;
    this.#pageCount -= isThere(change.page.key) + isThere(change.replaces);
    if (change.kind !== 'deleted') this.#pageCount++;
    this.#apply(change);
  }

  async #replay(): Promise<void> {
    const { seq } = this.#maintenance.kept;
    const { lastSeq, oldestSeq } = this.#journal;
    if (lastSeq !== null && lastSeq < seq) this.#journal.dropAll();
    else if (oldestSeq !== null && oldestSeq > seq) throw new DamagedMemory('changes are missing from the journal');
    for (const change of this.#journal.read(seq)) {
      this.#applyAgain(change);
      if (this.#maintenance.layers.isFull) await this.#fold();
    }
    this.#maintenance.mergeInBackground();
  }

  async #settle(): Promise<void> {
    if (this.#maintenance.layers.isFull) await this.#fold();
    this.#maintenance.mergeInBackground();
    for (let overdue = this.#journal.overdueSeq; overdue !== null; overdue = this.#journal.overdueSeq) {
      if (overdue > this.#maintenance.kept.seq && !(await this.#fold())) return;
      this.#journal.dropOldest();
    }
  }

  #fold(): Promise<boolean> {
    return this.#maintenance.fold(this.#lastSeq, this.#pageCount);
  }
}
