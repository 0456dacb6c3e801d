/**
 * Finds the changes of a site. In: the folders of the site and its memory. Out: changes, stored in the memory. What
 * always holds: one checker checks one file at a time, for sweeps and for events, and its result is written before the
 * next task begins, so each change is stored once; heavy work runs at the pace it is given.
 *
 * A sweep begins at a regular interval. Events are handled between two files of a
 * sweep, or at once if no sweep is running.
 */
import type { Clock } from '../../core/clock.ts';
import { Ledger } from '../memory/ledger.ts';
import { DamagedMemory } from '../memory/memory-error.ts';
import { NoticeBook, type Notify } from '../memory/notices.ts';
import { SerialQueue } from '../memory/serial-queue.ts';
import type { SiteMemory } from '../memory/site-memory.ts';
import type { Pace } from '../pace/pace.ts';
import { EventRound } from './event-round.ts';
import { FolderEvents } from './folder-events.ts';
import { MoveDetector } from './move-detector.ts';
import { type Examine, PageChecker } from './page-checker.ts';
import { ContentReader } from './read-content.ts';
import { SiteTree } from './site-tree.ts';
import type { SiteView } from './site-view.ts';
import { Sweep, type SweepParts } from './sweep.ts';

export interface DetectorParts {
  readonly memory: SiteMemory;
  readonly view: SiteView;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly examine: Examine;
}

export interface DetectorOptions {
  /** Time from the start of one sweep to the start of the next. */
  readonly everyMs?: number;
  /** Number of folders watched for events; 0 for none. */
  readonly maxWatchedFolders?: number;
  readonly debounceMs?: number;
  readonly notify?: Notify;
  /** For tests: called at every pause. */
  readonly onPause?: () => void;
  /**
   * For tests: names of one folder held in memory, files between two pace checks, pages held back as possibly moved.
   */
  readonly maxNames?: number;
  readonly filesPerPause?: number;
  readonly maxHeld?: number;
}

export interface SweepResult {
  readonly isFirst: boolean;
  readonly files: number;
  readonly new: number;
  readonly updated: number;
  readonly deleted: number;
  /** Number of new pages that were moved. */
  readonly moved: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

const DEFAULTS = { everyMs: 60_000, maxWatchedFolders: 1_000, debounceMs: 100, maxNames: 10_000, maxHeld: 4_000 };
/** Reading the clock is cheap, but not cheap enough for each file. */
const FILES_PER_CHECK = 32;
const MAX_QUEUED = 10_000;
/** The delay of a sweep after a failure, or after events that need a sweep. */
const SOON_MS = 5_000;

export class Detector {
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #options: DetectorOptions;
  readonly #turns = new SerialQueue();
  readonly #stop = new AbortController();
  readonly #notices: NoticeBook;
  readonly #moves: MoveDetector;
  readonly #parts: SweepParts;
  readonly #events: FolderEvents;
  readonly #round: EventRound;
  #isStarted = false;
  #cancelSweep: (() => void) | null = null;
  #nextSweepAtMs = 0;
  #filesSinceCheck = 0;
  /** Whether this process has checked all stored pages. The previous process may have had other rules. */
  #isOfTheseRules = false;

  constructor({ memory, view, pace, clock, examine }: DetectorParts, options: DetectorOptions = {}) {
    const notices = new NoticeBook(options.notify ?? (() => {}));
    const ledger = new Ledger(memory);
    const moves = new MoveDetector(options.maxHeld ?? DEFAULTS.maxHeld);
    const tree = new SiteTree(view, notices, memory.folder, options.maxNames ?? DEFAULTS.maxNames);
    const reader = new ContentReader(clock.now, () => this.#pause());
    const checker = new PageChecker({ view, tree, ledger, moves, reader, notices, clock, examine });
    this.#pace = pace;
    this.#clock = clock;
    this.#options = options;
    this.#notices = notices;
    this.#moves = moves;
    this.#events = new FolderEvents({
      maxFolders: options.maxWatchedFolders ?? DEFAULTS.maxWatchedFolders,
      maxQueued: MAX_QUEUED,
      debounceMs: options.debounceMs ?? DEFAULTS.debounceMs,
      clock,
      notices,
      onDue: () => this.#handleEventsSoon(),
    });
    this.#parts = {
      memory,
      view,
      tree,
      ledger,
      checker,
      onFolder: (form, path) => {
        if (this.#isStarted) this.#events.offer(form, path);
      },
      onFile: () => this.#checkPace(),
      onListing: () => this.#rest(true),
    };
    const unhurried = { ...this.#parts, onFile: () => this.#checkPace(false), onListing: () => this.#rest(false) };
    this.#round = new EventRound(unhurried, this.#moves, this.#events);
  }

  /** Starts regular sweeps, and handles events in between. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#sweepAfter(0);
  }

  /** Runs one sweep, after any running work. */
  sweep(): Promise<SweepResult> {
    return this.#turns.take(() => this.#sweep());
  }

  /** Stops at the next file. Changes found so far are written. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#cancelSweep?.();
    this.#events.close();
    await this.#turns.idle();
  }

  async #sweep(): Promise<SweepResult> {
    this.#throwIfStopped();
    const startedAtMs = this.#clock.now();
    const isFirst = !this.#parts.memory.isComplete;
    const before = { ...this.#parts.ledger.counts };
    const sweep = new Sweep(this.#parts, !this.#isOfTheseRules);
    this.#events.beginSweep();
    try {
      if (isFirst) await sweep.first(startedAtMs);
      else {
        await sweep.whole(startedAtMs, () => this.#parts.checker.settle(this.#moves.heldForms));
      }
      this.#isOfTheseRules = true;
      this.#events.endSweep();
    } catch (error) {
      if (error instanceof DamagedMemory) await this.#parts.memory.beginAnew(error.message);
      else await this.#parts.ledger.flush();
      throw error;
    } finally {
      for (const form of this.#moves.heldForms) this.#moves.release(form);
      this.#moves.forgetRecent();
    }
    const { counts } = this.#parts.ledger;
    return {
      isFirst,
      files: sweep.files,
      new: counts.new - before.new,
      updated: counts.updated - before.updated,
      deleted: counts.deleted - before.deleted,
      moved: counts.moved - before.moved,
      startedAtMs,
      endedAtMs: this.#clock.now(),
    };
  }

  /** If a sweep is already scheduled sooner, that one stays. */
  #sweepAfter(ms: number): void {
    if (this.#stop.signal.aborted) return;
    const atMs = this.#clock.now() + ms;
    if (this.#cancelSweep !== null && this.#nextSweepAtMs <= atMs) return;
    this.#cancelSweep?.();
    this.#nextSweepAtMs = atMs;
    this.#cancelSweep = this.#clock.after(ms, () => {
      this.#cancelSweep = null;
      const { everyMs = DEFAULTS.everyMs } = this.#options;
      this.sweep().then(
        ({ startedAtMs }) => this.#sweepAfter(Math.min(everyMs, startedAtMs + everyMs - this.#clock.now())),
        (error) => this.#failed(error, Math.min(everyMs, SOON_MS)),
      );
    });
  }

  #failed(error: unknown, againAfterMs: number): void {
    if (error instanceof Stopped) return;
    // The memory sends its own notice about damage.
    const isNotified = error instanceof DamagedMemory;
    if (!isNotified) this.#notices.notify('sweep-failed', (error as Error).message, (error as Error).message);
    this.#sweepAfter(againAfterMs);
  }

  /** A running sweep handles the events itself. Otherwise they are handled next. */
  #handleEventsSoon(): void {
    this.#turns
      .take(async () => {
        if (this.#events.isDue && this.#parts.memory.isComplete) await this.#handleEvents();
        this.#moves.forgetRecent();
      })
      .catch((error) => this.#failed(error, SOON_MS));
  }

  async #handleEvents(): Promise<void> {
    const { forms, isOverflown } = this.#events.take();
    await this.#pause();
    const isDone = await this.#round.handle(forms);
    if (this.#isStarted && (isOverflown || !isDone))
      this.#sweepAfter(Math.min(this.#options.everyMs ?? DEFAULTS.everyMs, SOON_MS));
  }

  /** Null if no pause is needed. */
  #checkPace(withEvents = true): Promise<void> | null {
    if (++this.#filesSinceCheck < (this.#options.filesPerPause ?? FILES_PER_CHECK)) return null;
    this.#filesSinceCheck = 0;
    const isForced = this.#options.filesPerPause !== undefined;
    return isForced || this.#pace.isPauseDue ? this.#rest(withEvents) : null;
  }

  async #rest(withEvents: boolean): Promise<void> {
    if (this.#parts.ledger.isDue(this.#clock.now())) await this.#parts.ledger.flush();
    else await this.#parts.memory.relieve();
    do await this.#pause();
    while (this.#parts.memory.isCrowded);
    if (withEvents && this.#events.isDue && this.#parts.memory.isComplete) await this.#handleEvents();
  }

  async #pause(): Promise<void> {
    await this.#pace.pause(this.#stop.signal);
    this.#options.onPause?.();
    this.#throwIfStopped();
  }

  #throwIfStopped(): void {
    if (this.#stop.signal.aborted) throw new Stopped();
  }
}

class Stopped extends Error {}
