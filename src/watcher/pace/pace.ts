/**
 * Limits the speed of the watcher (W9, W10). In: the CPU time of the process and the time of day. Out: `pause()`,
 * which all heavy work awaits regularly and which returns when more work is allowed. What always holds: over any ten
 * seconds the process uses at most its share of one core, except for one short burst, the initial allowance, and the
 * time for answering many questions, which leaves the work a slice every second; in rush hours, and while the machine
 * is busier than allowed, heavy work rests.
 */
import { cpus, loadavg } from 'node:os';
import type { Clock } from '../../core/clock.ts';
import { isRushHour, type RushHours } from './rush-hours.ts';

export interface PaceOptions {
  /** Share of one core, above 0 and up to 1. */
  readonly share: number;
  readonly rushHours: RushHours | null;
  /** Load average per core above which heavy work rests; null for no limit. */
  readonly maxLoad: number | null;
  readonly clock: Clock;
  /** CPU time used so far. */
  readonly cpuMs?: () => number;
  /** The part of the CPU time that answers took, as far as it is known. It is allowed in addition to the share. */
  readonly answersMs?: () => number;
  /** Load average of the last minute, per core. */
  readonly loadAverage?: () => number;
  /**
   * Initial allowance of CPU time beyond the share, so that a small site is known at once. The
   * rest expires when the first sweep is done.
   */
  readonly startMs?: number;
  readonly isStarting?: () => boolean;
  /** Called between two steps of work. */
  readonly tidy?: () => void;
}

/** Work runs this long before it must await `pause()`. */
const SLICE_MS = 10;
/** Idle time saves up at most this much CPU time. */
const BURST_MS = 50;
/** CPU time that other work of the process used beyond the share is waited off within this time. */
const WINDOW_MS = 10_000;
/** The same limit while questions take more than the share. Visitors must not keep the watcher from its work. */
const VISITED_WINDOW_MS = 1_000;
const MAX_WAIT_MS = 1_000;
const RUSH_CHECK_MS = 15_000;
const LOAD_CHECK_MS = 5_000;

export class Pace {
  readonly #options: PaceOptions;
  readonly #cpuMs: () => number;
  readonly #loadAverage: () => number;
  #chargedAtMs: number;
  #chargedCpuMs: number;
  #chargedAnswersMs = 0;
  #isVisited = false;
  #debtMs = 0;
  #startLeftMs: number;
  #sliceFromMs: number;
  #loadReadAtMs = Number.NEGATIVE_INFINITY;
  #load = 0;
  #pausedMs = 0;
  #rushMs = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#cpuMs = options.cpuMs ?? processCpuMs;
    this.#loadAverage = options.loadAverage ?? loadOfCores;
    this.#startLeftMs = options.startMs ?? 0;
    this.#chargedAtMs = options.clock.now();
    this.#sliceFromMs = this.#chargedAtMs;
    this.#chargedCpuMs = this.#cpuMs();
  }

  /** Whether it is time to await `pause()`. This check is cheap. */
  get isPauseDue(): boolean {
    const sinceMs = this.#options.clock.now() - this.#sliceFromMs;
    return sinceMs >= SLICE_MS || sinceMs < 0;
  }

  get isRush(): boolean {
    const { rushHours, maxLoad, clock } = this.#options;
    const nowMs = clock.now();
    if (rushHours !== null && isRushHour(rushHours, nowMs)) return true;
    if (maxLoad === null) return false;
    if (Math.abs(nowMs - this.#loadReadAtMs) >= LOAD_CHECK_MS) {
      this.#load = this.#loadAverage();
      this.#loadReadAtMs = nowMs;
    }
    return this.#load > maxLoad;
  }

  /** The CPU time used, and how long heavy work rested: for the share, and for rush hours. */
  get counters(): { readonly cpuMs: number; readonly pausedMs: number; readonly rushMs: number } {
    return { cpuMs: this.#cpuMs(), pausedMs: this.#pausedMs, rushMs: this.#rushMs };
  }

  /**
   * Returns when the share allows more work, or at once when the signal aborts. Other
   * work always gets a turn meanwhile.
   */
  async pause(signal?: AbortSignal): Promise<void> {
    this.#options.tidy?.();
    let hasWaited = false;
    let owedMs = 0;
    while (signal?.aborted !== true) {
      if (this.isRush) {
        this.#rushMs += await this.#wait(RUSH_CHECK_MS, signal);
      } else {
        this.#charge();
        // The debt is waited off within the window. If the rest of the process keeps
        // using more, the work goes on anyway.
        if (this.#debtMs <= 0 || owedMs >= (this.#isVisited ? VISITED_WINDOW_MS : WINDOW_MS)) break;
        const waitedMs = await this.#wait(Math.min(this.#debtMs / this.#options.share, MAX_WAIT_MS), signal);
        owedMs += waitedMs;
        this.#pausedMs += waitedMs;
      }
      hasWaited = true;
    }
    if (!hasWaited) await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sliceFromMs = this.#options.clock.now();
  }

  #charge(): void {
    const { clock, share } = this.#options;
    const nowMs = clock.now();
    const cpuMs = this.#cpuMs();
    // A clock that was set back gives no usable duration.
    const passedMs = Math.max(0, nowMs - this.#chargedAtMs);
    const answersMs = this.#options.answersMs?.() ?? 0;
    const answeringMs = answersMs - this.#chargedAnswersMs;
    if (passedMs > 0) this.#isVisited = answeringMs > share * passedMs;
    const workedMs = Math.max(0, cpuMs - this.#chargedCpuMs - answeringMs);
    const usedMs = this.#debtMs + workedMs - share * passedMs;
    if (this.#startLeftMs > 0 && this.#options.isStarting?.() === false) this.#startLeftMs = 0;
    const freeMs = Math.min(Math.max(usedMs, 0), this.#startLeftMs);
    this.#startLeftMs -= freeMs;
    const debtMs = usedMs - freeMs;
    this.#debtMs = Math.min(Math.max(debtMs, -BURST_MS), share * WINDOW_MS);
    this.#chargedAtMs = nowMs;
    this.#chargedCpuMs = cpuMs;
    this.#chargedAnswersMs = answersMs;
  }

  #wait(ms: number, signal: AbortSignal | undefined): Promise<number> {
    const { clock } = this.#options;
    const fromMs = clock.now();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        signal?.removeEventListener('abort', done);
        resolve(Math.max(0, clock.now() - fromMs));
      };
      const cancel = clock.after(ms, done);
      signal?.addEventListener('abort', done);
    });
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function loadOfCores(): number {
  return loadavg()[0]! / Math.max(1, cpus().length);
}
