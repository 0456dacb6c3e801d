/**
 * A loop over what a run tells that can be left at any time: leaving stops the run, and waits until all is saved and closed.
 */
export interface LeavableRun {
  /** Asks the run to stop; it is not waited for. */
  halt(): void;
  /** Stops it and resolves when all is saved and closed. */
  leave(): Promise<void>;
  /** Set from when closing has begun. */
  readonly closing: Promise<void> | null;
}

export function leavable<T>(telling: AsyncGenerator<T, void, void>, run: LeavableRun): AsyncIterableIterator<T> {
  return {
    next: () => telling.next(),
    return: async () => {
      // Not after the end: an error that next() has thrown is not thrown again (Array.fromAsync hangs on that).
      if (run.closing === null) {
        // Halted first: the generator would otherwise wait for the next thing to tell before it hears of it.
        run.halt();
        await telling.return();
        await run.leave();
      }
      await run.closing;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
