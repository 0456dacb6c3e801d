/**
 * A refresh as a program runs it. In: the folder of a copy and settings. Out: an object that is an async iterable of changes, or
 * of all that happens (`events()`), with the summary as a promise. The refresh begins at once and goes its own speed.
 *
 * What always holds: a change is told after it is committed, once, in order; a program that is slow loses nothing and fills no
 * memory, for the store keeps the changes; leaving the loop stops the refresh and waits until all is saved and closed; what goes
 * wrong with the refresh is thrown by the loop and by `summary`.
 */
import { setImmediate } from 'node:timers/promises';
import { resolveOptions } from '../core/options.ts';
import { keptGiven } from '../crawl/data-folder.ts';
import { type RefreshSummary, type RunningRefresh, startRefresh } from '../crawl/refresh.ts';
import type { Store } from '../store/contract.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type CopyChange, toCopyChange } from './copy-change.ts';
import { runAs } from './own-events.ts';
import { RefreshJournal, type RefreshMessage } from './refresh-journal.ts';
import { type ReadRefreshSettings, type RefreshSettings, readRefreshSettings } from './refresh-settings.ts';
import { ToldRun } from './told-run.ts';

/** What a refresh tells; the last event is `done`. */
export type RefreshEvent =
  | { readonly type: 'change'; readonly change: CopyChange }
  | RefreshMessage
  | { readonly type: 'done'; readonly summary: RefreshSummary };

const READS_PER_TURN = 32;

/** Throws an OrbweaverError at once for settings that cannot be. */
export function refresh(settings: RefreshSettings): Refresh {
  const read = readRefreshSettings(settings);
  read.signal?.throwIfAborted();
  return new Refresh(read);
}

export class Refresh implements AsyncIterable<CopyChange>, AsyncDisposable {
  /** The data folder. */
  readonly dir: string;
  readonly #signal: AbortSignal | null;
  readonly #tellsNoise: boolean;
  readonly #journal: RefreshJournal;
  readonly #told: ToldRun<RefreshEvent, RefreshSummary>;
  #running: RunningRefresh | null = null;
  #store: Store | null = null;
  /** The last change that was told, or passed over; null until it is known where this refresh begins. */
  #after: number | null = null;
  readonly #ready: RefreshEvent[] = [];

  constructor({ dir, signal, given, refresh: options }: ReadRefreshSettings) {
    this.dir = dir;
    this.#signal = signal;
    this.#tellsNoise = options.tellNoise;
    this.#journal = new RefreshJournal(this);
    this.#told = new ToldRun({
      what: 'refresh',
      again: 'the changes of its copy can be read again',
      signal,
      ended: runAs(this, () => this.#run(given, options)).finally(() => this.#journal.end()),
      journal: this.#journal,
      stopsToLeave: 1,
      stop: () => this.#running?.stop(),
      next: () => this.#next(),
      close: async () => this.#store?.close(),
    });
  }

  /** Resolves when the refresh is over and saved, whether or not its changes have been told. */
  get summary(): Promise<RefreshSummary> {
    return this.#told.summary;
  }

  /** The first lets what is under way finish and be saved; the second leaves at once. The loop ends when all is told. */
  stop(): void {
    this.#told.stop();
  }

  /** The changes; those of noise only with `tellNoise`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<CopyChange> {
    return this.#told.tell(this.#tellChanges());
  }

  /** Everything that happens; the last event is `done`. */
  events(): AsyncIterableIterator<RefreshEvent> {
    return this.#told.tell(this.#told.events());
  }

  /** Stops the refresh if it runs, and closes everything. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#told.dispose();
  }

  async #run(given: ReadRefreshSettings['given'], options: ReadRefreshSettings['refresh']): Promise<RefreshSummary> {
    const store = readSqliteStore(this.dir);
    let kept: Readonly<Record<string, unknown>>;
    try {
      kept = await keptGiven(store);
      this.#after = await store.lastChange();
    } finally {
      await store.close();
    }
    const sources = [
      { from: 'settings of refresh()', given },
      { from: 'rules of the crawl', given: kept },
    ];
    this.#running = startRefresh({ dir: this.dir, options: resolveOptions(sources), refresh: options });
    for (let stop = 0; stop < this.#told.stops; stop++) this.#running.stop();
    return this.#running.summary;
  }

  async *#tellChanges(): AsyncGenerator<CopyChange, void, void> {
    for await (const event of this.#told.events()) if (event.type === 'change') yield event.change;
  }

  async #next(): Promise<RefreshEvent | null> {
    for (;;) {
      const event = this.#ready.shift() ?? this.#journal.takeMessage();
      if (event !== null) return event;
      // Asked before the store is: what was committed before the end is read after it.
      const { isOver } = this.#journal;
      if (await this.#read()) continue;
      if (isOver || this.#signal?.aborted) return null;
      await this.#journal.more();
    }
  }

  /** Whether there was something, told or passed over. */
  async #read(): Promise<boolean> {
    if (this.#after === null) return false;
    this.#store ??= readSqliteStore(this.dir);
    const entries = await this.#store.changes(this.#after, READS_PER_TURN);
    for (const entry of entries) {
      this.#after = entry.seq;
      if (entry.kind === 'noise' && !this.#tellsNoise) continue;
      this.#ready.push({ type: 'change', change: await toCopyChange(this.#store, entry) });
    }
    // The refresh shares the thread, and has its turn.
    if (entries.length === READS_PER_TURN) await setImmediate();
    return entries.length > 0;
  }
}
