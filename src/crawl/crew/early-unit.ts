/**
 * The unit that the command line starts before it loads the code of its command. Both load at the same time, so a short
 * run is over sooner (docs/benchmarks.md).
 *
 * What always holds: a command that fails before its run does not wait for this unit.
 */
import { UnitThread } from './unit-thread.ts';

let early: UnitThread | null = null;

export function startEarlyUnit(): void {
  early ??= new UnitThread('unit0');
  early.keepProcess(false);
}

/** The unit for the run; null if none was started, or if a run has it already. */
export function takeEarlyUnit(): UnitThread | null {
  const unit = early;
  early = null;
  unit?.keepProcess(true);
  return unit;
}
