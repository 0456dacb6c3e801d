/**
 * A crawl or a refresh as it is told to a program: what both have in common. In: how it runs, what comes next, how it is closed.
 * Out: loops that can be left at any time, the summary as a promise, `stop`.
 *
 * What always holds: a run is told once; leaving the loop stops it and waits until all is saved and closed; what goes wrong with
 * it is thrown by the loop and by `summary`, and a warning of the process where nobody does either.
 */

import { OrbweaverError } from '../core/errors.ts';
import { safeText } from '../core/safe-text.ts';
import { type LeavableRun, leavable } from './leavable.ts';

export interface RunParts<Event, Summary> {
  readonly what: 'crawl' | 'refresh';
  /** Of what was told already: how it can be had again. */
  readonly again: string;
  readonly signal: AbortSignal | null;
  readonly ended: Promise<Summary>;
  readonly journal: { readonly isOver: boolean; wake(): void };
  /** How often it has to be asked to stop before it is left: twice where nothing of it is kept. */
  readonly stopsToLeave: 1 | 2;
  stop(): void;
  /** Null when there is nothing more to tell, or the signal says that nobody wants to know. */
  next(): Promise<Event | null>;
  close(): Promise<void>;
}

export class ToldRun<Event, Summary> implements LeavableRun {
  readonly #parts: RunParts<Event, Summary>;
  readonly #onAbort = (): void => this.#abort();
  #stops = 0;
  #isTold = false;
  #isWatched = false;
  #closing: Promise<void> | null = null;

  constructor(parts: RunParts<Event, Summary>) {
    this.#parts = parts;
    // Whoever iterates or asks for the summary gets it; nobody else's process is to end for it, nor is it to be silent.
    parts.ended.catch((error: unknown) => {
      if (!this.#isTold && !this.#isWatched) {
        process.emitWarning(safeText(`a ${parts.what} failed: ${(error as Error).message}`));
      }
    });
    parts.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get summary(): Promise<Summary> {
    this.#isWatched = true;
    return this.#parts.ended;
  }

  get closing(): Promise<void> | null {
    return this.#closing;
  }

  /** How often it was asked to. */
  get stops(): number {
    return this.#stops;
  }

  /** The first lets what is under way finish and be saved; the second leaves at once. The loop ends when all is told. */
  stop(): void {
    this.#stops++;
    if (!this.#parts.journal.isOver) this.#parts.stop();
  }

  /** A run is told once: of two loops each would miss what the other got. */
  tell<T>(telling: AsyncGenerator<T, void, void>): AsyncIterableIterator<T> {
    const { what, again } = this.#parts;
    if (this.#isTold) throw new OrbweaverError('ERR_USAGE', `a ${what} can be iterated once; ${again}`);
    this.#isTold = true;
    return leavable(telling, this);
  }

  /** Everything that happens, and at last the summary. */
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
      await this.leave();
    }
  }

  halt(): void {
    while (this.#stops < this.#parts.stopsToLeave) this.stop();
  }

  async leave(): Promise<void> {
    this.halt();
    try {
      await this.#parts.ended;
    } finally {
      await this.#close();
    }
  }

  /** As `leave`, whatever became of it. */
  async dispose(): Promise<void> {
    this.halt();
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
