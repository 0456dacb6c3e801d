/**
 * Publishes the times of all stages of a run as `crawl/stages`, about once a second, while the event has a listener
 * (M6). The units sum in memory that they share with this class. Without a listener, nothing is measured.
 */
import { isHeard, publish } from '../../core/events.ts';
import { StageTimes } from '../../core/stage-times.ts';
import type { UnitThread } from './unit-thread.ts';

const EVERY_MS = 1_000;

export class StageMeter {
  readonly #units: () => readonly UnitThread[];
  readonly #startMs = performance.now();
  /** The stages of the controller, and those of units that have ended. */
  readonly #own = new StageTimes();
  readonly #measured = new Map<UnitThread, StageTimes>();
  #stopOwn: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(units: () => readonly UnitThread[]) {
    this.#units = units;
  }

  /** Call it before the units get work. */
  start(): void {
    this.#step();
    this.#timer = setInterval(() => this.#step(), EVERY_MS);
  }

  /** Call it when the units have ended. The last event has the sums of the whole run. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#stopOwn !== null) this.#publish();
    this.#stopOwn?.();
  }

  #step(): void {
    if (!isHeard('crawl/stages')) {
      this.#pause();
      return;
    }
    this.#stopOwn ??= this.#own.listen();
    const units = this.#units();
    for (const unit of units) if (!this.#measured.has(unit)) this.#measure(unit);
    // A refresh may run for months and replace its units many times.
    for (const [unit, times] of this.#measured) {
      if (units.includes(unit)) continue;
      this.#own.add(times);
      this.#measured.delete(unit);
    }
    this.#publish();
  }

  #measure(unit: UnitThread): void {
    const times = new StageTimes();
    this.#measured.set(unit, times);
    unit.post({ type: 'measure', memory: times.memory });
  }

  /** Nobody listens any more. The sums stay, and continue with the next listener. */
  #pause(): void {
    if (this.#stopOwn === null) return;
    this.#stopOwn();
    this.#stopOwn = null;
    for (const [unit, times] of this.#measured) {
      unit.post({ type: 'measure', memory: null });
      this.#own.add(times);
    }
    this.#measured.clear();
  }

  #publish(): void {
    const all = new StageTimes();
    all.add(this.#own);
    for (const times of this.#measured.values()) all.add(times);
    publish('crawl/stages', { elapsedMs: performance.now() - this.#startMs, stages: all.read() });
  }
}
