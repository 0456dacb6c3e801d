/** Time is injected. Tests move the clock themselves, so no test ever sleeps. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once `ms` milliseconds have passed. The returned function cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

/**
 * Milliseconds since a fixed moment before the process started. The value is the same in all threads and never jumps.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};

/**
 * A timer that does not drift. In: a period and work. Out: the work is called at the multiples of the period on the
 * wall clock, so that what two processes do twice a second stays in step. It does not keep the process alive.
 */
export function everySteady(periodMs: number, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const next = (): void => {
    const waitMs = periodMs - (Date.now() % periodMs);
    // A timer may end a little early, and the work would then be called twice.
    timer = setTimeout(run, waitMs < periodMs / 4 ? waitMs + periodMs : waitMs).unref();
  };
  const run = (): void => {
    next();
    work();
  };
  next();
  return () => clearTimeout(timer);
}
