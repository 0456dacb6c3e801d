/**
 * What the watcher remembers of a site. In: pages and what happened to them. Out: a page by its key, all pages in order, the changes after a
 * number. Always: a change is on the disk before anybody hears of it, its number is never given again, and a kill at any moment loses none; one
 * process has the folder; what is held in memory does not grow with the number of pages or changes.
 *
 * Runs of pages and an overlay (page-layers.ts), a journal of changes (journal.ts), and a manifest that says which files count. What the journal
 * has beyond the manifest is applied again when the memory is opened.
 */
import { mkdirSync } from 'node:fs';
import type { Clock } from '../../core/clock.ts';
import type { Change, WatchedPage } from '../records.ts';
import { FirstListing } from './first-listing.ts';
import { FolderLock } from './folder-lock.ts';
import type { Journal, NotedChange } from './journal.ts';
import { formOf } from './key-order.ts';
import type { LayerScan } from './layer-scan.ts';
import { emptyManifest, type Manifest, writeManifest } from './manifest.ts';
import { DamagedMemory, damaged, unwritable } from './memory-error.ts';
import { openParts, type Parts } from './memory-parts.ts';
import { NoticeBook, type Tell } from './notices.ts';
import { PageLayers } from './page-layers.ts';
import type { RunFile, RunRecord } from './run-file.ts';
import { Turns } from './turns.ts';

export interface MemoryOptions {
  /** Pages kept in memory before they are written as a run. */
  readonly maxOverlay?: number;
  readonly maxJournalBytes?: number;
  readonly tell?: Tell;
  /** Awaited by work that can wait. */
  readonly breathe?: () => Promise<void>;
}

export type NewChange = Omit<NotedChange, 'seq'>;

const DEFAULT_OVERLAY = 2_000;
const DEFAULT_JOURNAL_BYTES = 64 * 1024 * 1024;
/** How many pages more there are after a change. */
const COUNTS = { new: 1, updated: 0, deleted: -1 } as const;
/** A sweep that finds more waits until some are merged. */
const MAX_RUNS = 16;

export class SiteMemory {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #maxOverlay: number;
  readonly #breathe: () => Promise<void>;
  readonly #notices: NoticeBook;
  readonly #lock: FolderLock;
  readonly #turns = new Turns();
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  #journal: Journal;
  #layers: PageLayers;
  #kept: Omit<Manifest, 'format' | 'runs'>;
  #lastSeq: number;
  #pageCount: number;
  #merging: Promise<void> | null = null;
  #isClosed = false;
  #damage: DamagedMemory | null = null;
  #runs = 0;

  private constructor(folder: string, clock: Clock, options: MemoryOptions, lock: FolderLock, parts: Parts) {
    this.#folder = folder;
    this.#clock = clock;
    this.#maxOverlay = options.maxOverlay ?? DEFAULT_OVERLAY;
    this.#breathe = options.breathe ?? (async () => {});
    this.#notices = new NoticeBook(options.tell ?? (() => {}));
    this.#lock = lock;
    this.#journal = parts.journal;
    const { runs: _, format: __, ...kept } = parts.manifest;
    this.#kept = kept;
    this.#layers = this.#layersOf(parts.runs);
    this.#lastSeq = kept.seq;
    this.#pageCount = kept.pages;
  }

  /** Mends what a kill left. Throws where another process has the folder. A damaged memory is begun anew, in a new epoch. */
  static async open(folder: string, clock: Clock, options: MemoryOptions = {}): Promise<SiteMemory> {
    mkdirSync(folder, { recursive: true });
    const lock = FolderLock.take(folder);
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
      if (parts.isNew) await memory.#commit([]);
      return memory;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  get epoch(): string {
    return this.#kept.epoch;
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
    return this.#kept.isComplete;
  }

  /** All that changed before this moment has been looked for. */
  get sweptAtMs(): number {
    return this.#kept.sweptAtMs;
  }

  /** The device of each root as it was last swept. */
  get devices(): readonly number[] {
    return this.#kept.devices;
  }

  get folder(): string {
    return this.#folder;
  }

  async find(key: string): Promise<WatchedPage | null> {
    return this.findForm(formOf(key));
  }

  findForm(form: string): WatchedPage | null {
    return this.#reading(() => this.#layers.find(form));
  }

  scan(from: string, windowBytes?: number): LayerScan {
    return this.#reading(() => this.#layers.scan(from, windowBytes));
  }

  /** After a key, in the order of the walk. */
  async pages(after: string | null, limit: number): Promise<readonly WatchedPage[]> {
    const from = after === null ? '' : formOf(after);
    return this.#reading(() => {
      const pages: WatchedPage[] = [];
      const scan = this.#layers.scan(from);
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
    if (!this.#layers.isOverfull || this.#layers.inMemory(form) !== undefined) this.#layers.put(form, page);
  }

  /** A page has another key but is the same; like `touch`. */
  rekey(from: string, page: WatchedPage): void {
    if (this.#layers.isOverfull) return;
    this.#layers.put(formOf(from), null);
    this.#layers.put(formOf(page.key), page);
  }

  /** Forgets a page whose URL another has; like `touch`. */
  drop(key: string): void {
    const form = formOf(key);
    if (this.#layers.isOverfull || this.#layers.find(form) === null) return;
    this.#layers.put(form, null);
    this.#pageCount--;
  }

  /** Awaited now and then by who touches many pages. */
  async relieve(): Promise<void> {
    if (this.#layers.isFull) await this.#turns.take(() => this.#settle());
    while (this.#merging !== null && this.#layers.runs.length > MAX_RUNS) await this.#merging;
  }

  onChange(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What the first sweep finds, in order; counts when it is finished. */
  firstListing(): FirstListing {
    return new FirstListing(this.#folder, this.#nameRun(), (record, sweptAtMs, devices) =>
      this.#turns.take(async () => {
        const before = { kept: this.#kept, count: this.#pageCount };
        this.#pageCount += record.lines;
        this.#kept = { ...before.kept, pages: before.kept.pages + record.lines, isComplete: true, sweptAtMs, devices };
        try {
          await this.#layers.addOldest(record, (runs) => this.#commit(runs));
        } catch (cause) {
          this.#kept = before.kept;
          this.#pageCount = before.count;
          throw unwritable(this.#folder, cause);
        }
      }),
    );
  }

  /** A sweep that began at `sweptAtMs` has seen everything. */
  async noteSweep(sweptAtMs: number, devices: readonly number[]): Promise<void> {
    await this.#turns.take(async () => {
      this.#kept = { ...this.#kept, sweptAtMs, devices };
      await this.#commit(this.#layers.runs.map((run) => run.record));
    });
  }

  /** Forgets everything, in a new epoch: the memory turned out to be damaged. */
  async beginAnew(reason: string): Promise<void> {
    while (this.#merging !== null) await this.#merging;
    await this.#turns.take(async () => {
      this.#notices.tell('memory-damaged', this.epoch, `${reason}; the site is read anew`);
      this.#layers.removeAll();
      this.#journal.dropAll();
      const { runs: _, format: __, ...kept } = emptyManifest(this.#lastSeq);
      this.#kept = kept;
      this.#pageCount = 0;
      this.#damage = null;
      this.#layers = this.#layersOf([]);
      await this.#commit([]);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#turns.take(async () => {
      this.#isClosed = true;
      if (this.#damage === null) await this.#fold();
    });
    while (this.#merging !== null) await this.#merging;
    this.#layers.close();
    this.#journal.close();
    this.#lock.release();
  }

  #apply(change: NotedChange): void {
    const isDeleted = change.kind === 'deleted';
    this.#lastSeq = change.seq;
    if (change.replaces !== undefined) this.#layers.put(formOf(change.replaces), null);
    this.#layers.put(formOf(change.page.key), isDeleted ? null : change.page);
  }

  /** Where a kill made us forget what was only looked at again, the kind of a change does not say how many pages there are: each is looked up. */
  #applyAgain(change: NotedChange): void {
    const isThere = (key: string | undefined) => (key !== undefined && this.#layers.find(formOf(key)) !== null ? 1 : 0);
    this.#pageCount -= isThere(change.page.key) + isThere(change.replaces);
    if (change.kind !== 'deleted') this.#pageCount++;
    this.#apply(change);
  }

  async #replay(): Promise<void> {
    const { seq } = this.#kept;
    const { lastSeq, oldestSeq } = this.#journal;
    if (lastSeq !== null && lastSeq < seq) this.#journal.dropAll();
    else if (oldestSeq !== null && oldestSeq > seq) throw damaged('changes are missing from the journal');
    for (const change of this.#journal.read(seq)) {
      this.#applyAgain(change);
      if (this.#layers.isFull) await this.#fold();
    }
    this.#mergeInBackground();
  }

  async #settle(): Promise<void> {
    if (this.#layers.isFull) await this.#fold();
    this.#mergeInBackground();
    for (let overdue = this.#journal.overdueSeq; overdue !== null; overdue = this.#journal.overdueSeq) {
      if (overdue > this.#kept.seq && !(await this.#fold())) return;
      this.#journal.dropOldest();
    }
  }

  /** What is noted stays noted where this fails: the journal has it. */
  async #fold(): Promise<boolean> {
    const before = this.#kept;
    this.#kept = { ...before, seq: this.#lastSeq, pages: this.#pageCount };
    try {
      await this.#layers.fold((runs) => this.#commit(runs));
      this.#notices.mended('memory-unwritable', '');
      return true;
    } catch (cause) {
      this.#kept = before;
      this.#notices.tell('memory-unwritable', '', unwritable(this.#folder, cause).message);
      return false;
    }
  }

  #mergeInBackground(): void {
    const runs = this.#layers.mergeable;
    if (this.#merging !== null || this.#isClosed || runs.length === 0) return;
    const layers = this.#layers;
    this.#merging = layers
      .merge(
        runs,
        async () => {
          await this.#breathe();
          if (this.#isClosed) throw new Closed();
        },
        (work) => this.#turns.take(work),
        (records) => this.#commit(records),
      )
      .catch((cause) => {
        if (cause instanceof DamagedMemory) this.#damage = cause;
        else if (!(cause instanceof Closed)) {
          this.#notices.tell('memory-unwritable', '', unwritable(this.#folder, cause).message);
        }
      })
      .then(() => {
        this.#merging = null;
      });
  }

  async #commit(runs: readonly RunRecord[]): Promise<void> {
    await writeManifest(this.#folder, { ...this.#kept, runs });
  }

  #reading<Result>(read: () => Result): Result {
    if (this.#damage !== null) throw this.#damage;
    try {
      return read();
    } catch (error) {
      if (error instanceof DamagedMemory) this.#damage = error;
      throw error;
    }
  }

  #layersOf(runs: readonly RunFile[]): PageLayers {
    return new PageLayers(this.#folder, runs, this.#maxOverlay, () => this.#nameRun());
  }

  /** Never one that a file has, or had a moment ago. */
  #nameRun(): string {
    return `pages-${this.#clock.now().toString(36)}-${process.pid.toString(36)}-${this.#runs++}.jsonl`;
  }
}

class Closed extends Error {}
