/**
 * Reports what a run does, and hears what the web interface asks of it. In: the figures of the run, asked for twice a
 * second. Out: the file `live.json`, and calls of `onOrder` for new orders in `control.json`.
 *
 * What always holds: reporting never fails a run. If the file cannot be written, for example because the disk is full,
 * readers see an older state.
 */
import { randomUUID } from 'node:crypto';
import { everySteady } from '../../core/clock.ts';
import { listen } from '../../core/events.ts';
import type { StageTiming } from '../../core/stage-times.ts';
import { replaceFile, replaceFileSync } from '../place/replace-file.ts';
import { type ControlState, readControl } from './control-file.ts';
import { ChartKeeper } from './live-chart.ts';
import {
  LIVE_FILE,
  type LiveFigures,
  type LiveKind,
  type LivePhase,
  type LiveRates,
  type LiveState,
  type LiveWarning,
} from './live-file.ts';
import { UnitWork } from './live-units.ts';

const EVERY_MS = 500;
const MOST_WARNINGS = 20;
const MAX_WARNING_CHARS = 1_000;
/** Rates are measured over the last figures, so that they do not jump. */
const RATE_TICKS = 4;

const NO_FIGURES: LiveFigures = Object.freeze({
  ...{ pages: 0, of: null, fetched: 0, waiting: 0, failed: 0, changed: 0, bytes: 0, hosts: 0, requests: 0 },
  errors: {},
});

export interface Reporting {
  readonly figures: () => LiveFigures;
  /** The number of crawler units. */
  readonly threads: () => number;
  /** Called with each new order. */
  readonly onOrder: (order: ControlState) => void;
}

interface Tick {
  readonly atMs: number;
  readonly pages: number;
  readonly bytes: number;
  readonly cpuMs: number;
}

export class LiveReport {
  readonly #dir: string;
  readonly #kind: LiveKind;
  readonly #id = randomUUID();
  readonly #startedAtMs = Date.now();
  readonly #startMs = performance.now();
  readonly #chart = new ChartKeeper();
  readonly #warnings: LiveWarning[] = [];
  readonly #ticks: Tick[] = [];
  readonly #stopTicking: () => void;
  readonly #stopListening: readonly (() => void)[];
  #figures: () => LiveFigures = () => NO_FIGURES;
  #threads: () => number = () => 1;
  #onOrder: (order: ControlState) => void = () => {};
  /** The newest order that was heard. Older orders were for earlier runs. */
  #heard: number;
  #phase: LivePhase = 'running';
  readonly #work = new UnitWork();
  #stages: readonly StageTiming[] = [];
  #isWriting = false;

  constructor(dir: string, kind: LiveKind) {
    this.#dir = dir;
    this.#kind = kind;
    this.#heard = readControl(dir).number;
    this.#stopListening = [
      listen('crawl/warning', ({ message }) => {
        this.#warnings.push({ atMs: Date.now(), message: message.slice(0, MAX_WARNING_CHARS) });
        if (this.#warnings.length > MOST_WARNINGS) this.#warnings.shift();
      }),
      listen('crawl/stages', ({ elapsedMs, stages }) => {
        this.#stages = stages;
        this.#work.add(elapsedMs, stages, this.#threads());
      }),
    ];
    this.#stopTicking = everySteady(EVERY_MS, () => this.#tick());
    this.#tick();
  }

  /** Begins a round of the run. */
  attach({ figures, threads, onOrder }: Reporting): void {
    this.#figures = figures;
    this.#threads = threads;
    this.#onOrder = onOrder;
  }

  /** The last report of the run. */
  end(ending: string): void {
    this.#stopTicking();
    for (const stop of this.#stopListening) stop();
    this.#phase = 'ended';
    try {
      replaceFileSync(this.#dir, LIVE_FILE, this.#text(ending));
    } catch {
      // See above: readers see an older state.
    }
  }

  #tick(): void {
    const order = readControl(this.#dir);
    if (order.number > this.#heard) {
      this.#heard = order.number;
      if (order.action !== null) this.#phase = order.action === 'pause' ? 'pausing' : 'stopping';
      this.#onOrder(order);
    }
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#write().finally(() => {
      this.#isWriting = false;
    });
  }

  async #write(): Promise<void> {
    try {
      // The last report is written at once, and an older one must not replace it.
      await replaceFile(this.#dir, LIVE_FILE, this.#text(null), () => this.#phase !== 'ended');
    } catch {
      // See above: readers see an older state.
    }
  }

  #text(ending: string | null): string {
    const now = this.#figures();
    const elapsedMs = Math.round(performance.now() - this.#startMs);
    const rates = this.#ratesOf(now);
    this.#chart.add(elapsedMs, now, rates);
    const state: LiveState = {
      version: 1,
      ...{ id: this.#id, kind: this.#kind, phase: this.#phase, pid: process.pid, elapsedMs, rates, ending },
      startedAtMs: this.#startedAtMs,
      updatedAtMs: Date.now(),
      figures: now,
      units: this.#work.units,
      stages: this.#stages,
      warnings: this.#warnings,
      chart: this.#chart.toChart(),
    };
    return JSON.stringify(state);
  }

  #ratesOf({ pages, bytes }: LiveFigures): LiveRates {
    const { user, system } = process.cpuUsage();
    const tick: Tick = { atMs: performance.now(), pages, bytes, cpuMs: (user + system) / 1_000 };
    const first = this.#ticks[0] ?? tick;
    this.#ticks.push(tick);
    if (this.#ticks.length > RATE_TICKS) this.#ticks.shift();
    const seconds = Math.max(tick.atMs - first.atMs, 1) / 1_000;
    return {
      pagesPerSecond: Number((Math.max(0, pages - first.pages) / seconds).toFixed(1)),
      bytesPerSecond: Math.round(Math.max(0, bytes - first.bytes) / seconds),
      memoryMb: Math.round(process.memoryUsage.rss() / 1e6),
      cpu: Number(((tick.cpuMs - first.cpuMs) / 1_000 / seconds).toFixed(2)),
    };
  }
}
