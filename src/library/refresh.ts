/**
 * A refresh that a program runs. In: the folder of a copy and settings. Out: an async iterable of changes, or of all
 * events (`events()`), with the summary as a promise. The refresh starts at once and does not wait for the program.
 *
 * What always holds: a change is returned once, after it was committed, in order. A slow program loses nothing and does
 * not fill the memory, because the store keeps the changes. Leaving the loop stops the refresh and waits until
 * everything is saved and closed. An error of the refresh is thrown by the loop and by `summary`.
 */
import { setImmediate } from 'node:timers/promises';
import { EntryDescriber } from '../copy/describe-entry.ts';
import { withStoreAt } from '../crawl/place/open-store.ts';
import { type RefreshSummary, type RunningRefresh, startRefresh } from '../crawl/refresh.ts';
import type { Store } from '../store/contract.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type CopyChange, toCopyChange } from './copy-change.ts';
import { IterableRun } from './iterable-run.ts';
import { RunJournal, type RunMessage, runAs } from './journal.ts';
import { type ReadRefreshSettings, type RefreshSettings, readRefreshSettings } from './settings.ts';

/** The events of a refresh. The last event is `done`. */
export type RefreshEvent =
  | { readonly type: 'change'; readonly change: CopyChange }
  | RunMessage<'refresh/progress'>
  | { readonly type: 'done'; readonly summary: RefreshSummary };

const READS_PER_TURN = 32;

/** Throws an OrbweaverError at once for invalid settings. */
export function refresh(settings: RefreshSettings): Refresh {
  const read = readRefreshSettings(settings);
  read.signal?.throwIfAborted();
  return new Refresh(read);
}

export class Refresh implements AsyncIterable<CopyChange>, AsyncDisposable {
  readonly dir: string;
  readonly #signal: AbortSignal | null;
  readonly #wantsNoise: boolean;
  readonly #journal: RunJournal<'refresh/progress'>;
  readonly #run: IterableRun<RefreshEvent, RefreshSummary>;
  #running: RunningRefresh | null = null;
  #store: Store | null = null;
  /** Most changes are described when somebody reads them. */
  #describer: EntryDescriber | null = null;
  /** The last change that was returned or skipped. Null until the start position of this refresh is known. */
  #after: number | null = null;
  readonly #ready: RefreshEvent[] = [];

  constructor({ dir, signal, source, refresh: options }: ReadRefreshSettings) {
    this.dir = dir;
    this.#signal = signal;
    this.#wantsNoise = options.tellNoise;
    this.#journal = new RunJournal(this, 'refresh/progress');
    this.#run = new IterableRun({
      what: 'refresh',
      again: 'the changes of its copy can be read again',
      signal,
      ended: runAs(this, () => this.#start(source)).finally(() => this.#journal.end()),
      journal: this.#journal,
      stopsToLeave: 1,
      stop: () => this.#running?.stop(),
      next: () => this.#next(),
      close: async () => this.#store?.close(),
    });
  }

  /** Resolves when the refresh has ended and is saved, even if not all changes were returned. */
  get summary(): Promise<RefreshSummary> {
    return this.#run.summary;
  }

  /**
   * The first call lets running requests finish and be saved. The second call ends at once. The loop ends
   * after all events were returned.
   */
  stop(): void {
    this.#run.stop();
  }

  /** Iterates over the changes. Noise is included only with `tellNoise`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<CopyChange> {
    return this.#run.iterate(this.#changes());
  }

  /** Iterates over all events. The last event is `done`. */
  events(): AsyncIterableIterator<RefreshEvent> {
    return this.#run.iterate(this.#run.events());
  }

  /** Stops a running refresh and closes everything. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#run.dispose();
  }

  async #start(source: ReadRefreshSettings['source']): Promise<RefreshSummary> {
    this.#after = await withStoreAt(this.dir, (store) => store.lastChange());
    this.#running = startRefresh({ dir: this.dir, sources: [source] });
    for (let stop = 0; stop < this.#run.stops; stop++) this.#running.stop();
    return this.#running.summary;
  }

  async *#changes(): AsyncGenerator<CopyChange, void, void> {
    for await (const event of this.#run.events()) if (event.type === 'change') yield event.change;
  }

  async #next(): Promise<RefreshEvent | null> {
    for (;;) {
      const event = this.#ready.shift() ?? this.#journal.takeMessage();
      if (event !== null) return event;
      // This is read before the store, so that changes committed before the end are still read.
      const { isOver } = this.#journal;
      if (await this.#read()) continue;
      if (isOver || this.#signal?.aborted) return null;
      await this.#journal.more();
    }
  }

  /** Returns true if there were changes, returned or skipped. */
  async #read(): Promise<boolean> {
    if (this.#after === null) return false;
    this.#store ??= readSqliteStore(this.dir);
    this.#describer ??= new EntryDescriber(this.#store, this.dir);
    const entries = await this.#store.changes(this.#after, READS_PER_TURN);
    for (const entry of entries) {
      this.#after = entry.seq;
      if (entry.kind === 'noise' && !this.#wantsNoise) continue;
      this.#ready.push({
        type: 'change',
        change: await toCopyChange(this.#store, await this.#describer.described(entry)),
      });
    }
    // The refresh shares the thread and must get its turn.
    if (entries.length === READS_PER_TURN) await setImmediate();
    return entries.length > 0;
  }
}
