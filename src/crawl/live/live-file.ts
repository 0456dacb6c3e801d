/**
 * The file `live.json` in a data folder: what the run in this folder does at this moment, and how it went so far. The
 * run writes it twice a second; the web interface and other programs read it. It is no state of the crawl: it may be
 * missing, or older than the run if the process was killed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reason } from '../../core/reasons.ts';
import type { StageTiming } from '../../core/stage-times.ts';

export const LIVE_FILE = 'live.json';
/** A run that did not write for so long has ended without saying so, or its process is stopped. */
const SILENT_MS = 5_000;
const MAX_CHARS = 1_000_000;

export type LiveKind = 'crawl' | 'refresh';
export type LivePhase = 'starting' | 'running' | 'pausing' | 'stopping' | 'ended';

export interface LiveFigures {
  /** Pages of the copy; in a refresh the pages that were visited. */
  readonly pages: number;
  /** Pages until the limit, or until the end of the plan; null if there is no such number. */
  readonly of: number | null;
  readonly fetched: number;
  readonly waiting: number;
  readonly failed: number;
  readonly changed: number;
  readonly bytes: number;
  readonly hosts: number;
  readonly requests: number;
  /** Failures of this run by reason. */
  readonly errors: Readonly<Partial<Record<Reason, number>>>;
}

export interface LiveRates {
  readonly pagesPerSecond: number;
  readonly bytesPerSecond: number;
  readonly memoryMb: number;
  /** Cores in use. */
  readonly cpu: number;
}

/** A unit of WBC (W11) and what its stages did. */
export interface LiveUnit {
  readonly name: string;
  readonly threads: number;
  /** The share of the last second in which it worked. */
  readonly busy: number;
  readonly handled: number;
}

export interface LiveChart {
  /** Milliseconds since the start. All lists have the same length. */
  readonly times: readonly number[];
  readonly pagesPerSecond: readonly number[];
  readonly bytesPerSecond: readonly number[];
  readonly waiting: readonly number[];
  readonly failed: readonly number[];
  readonly memoryMb: readonly number[];
  readonly cpu: readonly number[];
}

export interface LiveWarning {
  readonly atMs: number;
  readonly message: string;
}

export interface LiveState {
  readonly version: 1;
  /** Another id means another run. */
  readonly id: string;
  readonly kind: LiveKind;
  readonly phase: LivePhase;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly elapsedMs: number;
  readonly figures: LiveFigures;
  readonly rates: LiveRates;
  readonly units: readonly LiveUnit[];
  /** The times of all stages (M6). */
  readonly stages: readonly StageTiming[];
  readonly warnings: readonly LiveWarning[];
  readonly chart: LiveChart;
  /** How the run ended; null while it runs. */
  readonly ending: string | null;
}

export function livePath(dir: string): string {
  return join(dir, LIVE_FILE);
}

/** Null if there is no file, or if it cannot be read or is of another version. */
export function readLive(dir: string): LiveState | null {
  try {
    const text = readFileSync(livePath(dir), 'utf8');
    if (text.length > MAX_CHARS) return null;
    const state = JSON.parse(text) as LiveState;
    return state.version === 1 && Array.isArray(state.chart.times) ? state : null;
  } catch {
    return null;
  }
}

/** Whether the run of this state still works: it has written lately, and its process exists. */
export function isRunning({ phase, pid, updatedAtMs }: LiveState, nowMs: number): boolean {
  return phase !== 'ended' && nowMs - updatedAtMs < SILENT_MS && isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
