/** Time, injected: tests turn the hands themselves, so nothing in them ever sleeps and hopes. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once `ms` have passed; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}

/** Milliseconds since some moment before the process began: the same in all its threads, and never put back or forward. */
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
