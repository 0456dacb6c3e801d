/**
 * Loaded before a program (`node --import`), it makes the program's clock go wrong by `BENCH_CLOCK_SHIFT_MS`, in all its threads: what a
 * machine looks like whose time nobody has set. What the program knows of the time of day it knows from `Date`; timers and
 * `performance.now()` count from the start and are right on such a machine, too.
 */
const shiftMs = Number(process.env.BENCH_CLOCK_SHIFT_MS ?? 0);
const RightDate = Date;

class ShiftedDate extends RightDate {
  constructor(...values: [] | [number | string | Date]) {
    if (values.length === 0) super(RightDate.now() + shiftMs);
    else super(...values);
  }

  static override now(): number {
    return RightDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
