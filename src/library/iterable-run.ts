/**
 * The common part of a crawl and a refresh that a program iterates over. In: how the run ends, how to get its next
 * event, how to close it. Out: loops that can be left at any time, the summary as a promise, and `stop`.
 *
 * What always holds: a run can be iterated once. Leaving the loop stops the run and waits until everything is
 * saved and closed. An error of the run is thrown by the loop and by `summary`. If the program uses neither,
 * the process emits a warning.
 */

import { OrbweaverError } from '../core/errors.ts';
import { safeText } from '../core/safe-text.ts';

export interface RunParts<Event, Summary> {
  readonly what: 'crawl' | 'refresh';
  /** The end of an error message: how to read the events again. */
  readonly again: string;
  readonly signal: AbortSignal | null;
  readonly ended: Promise<Summary>;
  readonly journal: { readonly isOver: boolean; wake(): void };
  /** Number of `stop` calls before the run is left: two if nothing of it is kept. */
  readonly stopsToLeave: 1 | 2;
  stop(): void;
  /** Returns null if there are no more events, or if the signal was aborted. */
  next(): Promise<Event | null>;
  close(): Promise<void>;
}

export class IterableRun<Event, Summary> {
  readonly #parts: RunParts<Event, Summary>;
  readonly #onAbort = (): void => this.#abort();
  #stops = 0;
  #isIterated = false;
  #isWatched = false;
  #closing: Promise<void> | null = null;

  constructor(parts: RunParts<Event, Summary>) {
    this.#parts = parts;
    // The loop and `summary` throw the error. If the program uses neither, the error must not end the
    // process and must not be silent.
    parts.ended.catch((error: unknown) => {
      if (!this.#isIterated && !this.#isWatched) {
        process.emitWarning(safeText(`a ${parts.what} failed: ${(error as Error).message}`));
      }
    });
    parts.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get summary(): Promise<Summary> {
    this.#isWatched = true;
    return this.#parts.ended;
  }

  /** Number of calls of `stop`. */
  get stops(): number {
    return this.#stops;
  }

  /**
   * The first call lets running requests finish and be saved. The second call ends at once. The loop ends
   * after all events were returned.
   */
  stop(): void {
    this.#stops++;
    if (!this.#parts.journal.isOver) this.#parts.stop();
  }

  /**
   * A loop over the events of the run that can be left at any time. A run can be iterated once: each of two loops would
   * miss the events of the other.
   */
  iterate<T>(generator: AsyncGenerator<T, void, void>): AsyncIterableIterator<T> {
    const { what, again } = this.#parts;
    if (this.#isIterated) throw new OrbweaverError('ERR_USAGE', `a ${what} can be iterated only once; ${again}`);
    this.#isIterated = true;
    return {
      next: () => generator.next(),
      return: async () => {
        // After the end, an error that next() has thrown is not thrown again (Array.fromAsync hangs on that).
        if (this.#closing === null) {
          // The run is halted first. Otherwise the generator would wait for the next event before it could return.
          this.#halt();
          await generator.return();
          await this.#leave();
        }
        await this.#closing;
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Iterates over all events. The last one has the summary. */
  async *events(): AsyncGenerator<Event | { readonly type: 'done'; readonly summary: Summary }, void, void> {
    const { signal, ended } = this.#parts;
    try {
      for (;;) {
        const event = await this.#parts.next();
        if (signal?.aborted) throw signal.reason;
        if (event === null) break;
        yield event;
      }
      yield { type: 'done', summary: await ended };
    } finally {
      await this.#leave();
    }
  }

  /** Asks the run to stop, without waiting for it. */
  #halt(): void {
    while (this.#stops < this.#parts.stopsToLeave) this.stop();
  }

  /** Stops the run and resolves when everything is saved and closed. */
  async #leave(): Promise<void> {
    this.#halt();
    try {
      await this.#parts.ended;
    } finally {
      await this.#close();
    }
  }

  /** Like `leave`, but ignores an error of the run. */
  async dispose(): Promise<void> {
    this.#halt();
    await this.#parts.ended.catch(() => {});
    await this.#close();
  }

  #abort(): void {
    while (this.#stops < 2) this.stop();
    this.#parts.journal.wake();
  }

  #close(): Promise<void> {
    this.#closing ??= this.#closeOnce();
    return this.#closing;
  }

  async #closeOnce(): Promise<void> {
    this.#parts.signal?.removeEventListener('abort', this.#onAbort);
    await this.#parts.close();
  }
}
