/**
 * The CPU time that one page may take before it is described in less detail. In: pieces of work, one after the other.
 * Out: `BudgetSpent`,
 * thrown at the first check after the time is used up.
 *
 * Only the time inside `run` counts, and only that of this thread: other pages are worked on while a page waits for the
 * archive, and a busy machine makes no page expensive. Every step is linear in the page, so checks between steps
 * suffice.
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

  /** Counts the time of `work`, which must not wait for anything. */
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

  /** Throws `BudgetSpent` when more than this share of the time is used up. */
  check(share = 1): void {
    if (this.isSpent(share)) throw new BudgetSpent();
  }

  isSpent(share = 1): boolean {
    const limitMs = this.#limitMs * share;
    if (!this.#isRunning) return this.#usedMs >= limitMs;
    // The clock on the wall is quicker to read, and never behind.
    if (this.#usedMs + performance.now() - this.#startedMs < limitMs) return false;
    return this.#usedMs + threadCpuMs() - this.#startedCpuMs >= limitMs;
  }
}

/** No fault: whoever gives a budget catches it and goes on with less detail. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/** An ordinary page takes a few milliseconds, one of 1 MB that is made to be expensive less than a second. */
export const PAGE_CPU_MS = 1_500;

function threadCpuMs(): number {
  // The watcher also runs on versions of Node that know only the time of the whole process.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
