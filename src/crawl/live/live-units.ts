/**
 * What the units of WBC do (W11). In: the times of all stages since the start of the run, about once a second. Out: for
 * each unit the share of the last second in which at least one of its stages worked, and how much it has handled.
 */
import type { STAGE_UNITS } from '../../core/stage-events.ts';
import type { StageTiming } from '../../core/stage-times.ts';
import type { LiveUnit } from './live-file.ts';

type UnitName = (typeof STAGE_UNITS)[keyof typeof STAGE_UNITS];

/** The stages whose ends are counted as handled: one for each URL or batch that a unit has worked on. */
const COUNTED: Readonly<Record<UnitName, readonly string[]>> = {
  controller: ['commit'],
  crawler: ['fetch'],
  'link extractor': ['page', 'document'],
  'link sorter': ['rank'],
};

export class UnitWork {
  #earlier: readonly StageTiming[] = [];
  #earlierMs = 0;
  #units: readonly LiveUnit[] = [];

  get units(): readonly LiveUnit[] {
    return this.#units;
  }

  add(elapsedMs: number, stages: readonly StageTiming[], threads: number): void {
    const spanMs = Math.max(1, elapsedMs - this.#earlierMs);
    const names = Object.keys(COUNTED) as UnitName[];
    this.#units = names.map((name) => {
      const isAlone = name === 'controller' || name === 'link sorter';
      const own = stages.filter(({ unit }) => unit === name);
      const worked = sum(own, ({ tookMs }) => tookMs) - sum(this.#earlierOf(name), ({ tookMs }) => tookMs);
      return {
        name,
        threads: isAlone ? 1 : threads,
        // Stages of several threads overlap, and so do requests that wait.
        busy: Number(Math.min(1, Math.max(0, worked / spanMs / (isAlone ? 1 : threads))).toFixed(2)),
        handled: sum(
          own.filter(({ stage }) => COUNTED[name].includes(stage)),
          ({ count }) => count,
        ),
      };
    });
    this.#earlier = stages;
    this.#earlierMs = elapsedMs;
  }

  #earlierOf(name: UnitName): readonly StageTiming[] {
    return this.#earlier.filter(({ unit }) => unit === name);
  }
}

function sum(stages: readonly StageTiming[], read: (stage: StageTiming) => number): number {
  return stages.reduce((total, stage) => total + read(stage), 0);
}
