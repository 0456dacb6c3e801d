/**
 * The CPU time that one page may take before it is described in less detail. In: pieces of work, one after the other.
 * Out: `BudgetSpent`, thrown at the first check after the time is used up.
 *
 * Only the CPU time of this thread inside `run` counts: other pages are processed while a page waits for the
 * archive, and a busy machine must not make a page look expensive. Every step is linear in the page, so
 * checks between steps are enough.
 */
export class CpuBudget {
  readonly #limitMs: number;
  #usedMs = 0;
  #startedMs = 0;
  #startedCpuMs = 0;
  #isRunning = false;

  constructor(limitMs = PAGE_CPU_MS) {
    this.#limitMs = limitMs;
  }

  /** Counts the CPU time of `work`, which must be synchronous. */
  run<T>(work: () => T): T {
    this.#startedMs = performance.now();
    this.#startedCpuMs = threadCpuMs();
    this.#isRunning = true;
    try {
      return work();
    } finally {
      this.#usedMs += threadCpuMs() - this.#startedCpuMs;
      this.#isRunning = false;
    }
  }

  /** Throws `BudgetSpent` if more than this share of the time is used up. */
  check(share = 1): void {
    if (this.isSpent(share)) throw new BudgetSpent();
  }

  isSpent(share = 1): boolean {
    const limitMs = this.#limitMs * share;
    if (!this.#isRunning) return this.#usedMs >= limitMs;
    // The wall clock is faster to read, and its time is never less than the CPU time.
    if (this.#usedMs + performance.now() - this.#startedMs < limitMs) return false;
    return this.#usedMs + threadCpuMs() - this.#startedCpuMs >= limitMs;
  }
}

/** This is not a failure. The code that sets the budget catches it and continues with less detail. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/**
 * An ordinary page takes a few milliseconds. A page of 1 MB that is designed to be expensive takes less than a second.
 */
export const PAGE_CPU_MS = 1_500;

function threadCpuMs(): number {
  // The watcher also runs on versions of Node that measure only the CPU time of the whole process.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
