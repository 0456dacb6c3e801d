/**
 * Shifts the clock of a program by `BENCH_CLOCK_SHIFT_MS` in all its threads, as on a machine whose time was never set.
 * Load this file before the program (`node --import`). Only `Date` tells a program the time of day. Timers and
 * `performance.now()` count from the start of the process and are right on such a machine, too.
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
