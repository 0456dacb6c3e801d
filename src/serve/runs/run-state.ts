/** What a copy does at the moment: its run, and what the interface has asked of it. */
import { type ControlState, readControl } from '../../crawl/live/control-file.ts';
import { isRunning, type LiveState, readLive } from '../../crawl/live/live-file.ts';
import type { RunState } from '../contract/copies.ts';
import type { Chart, Run } from '../contract/live.ts';
import type { ServedCopy } from '../served-copy.ts';

export interface CopyRun {
  readonly state: RunState;
  /** The run that works, or the last one; null if none is known. */
  readonly live: LiveState | null;
  readonly control: ControlState;
  /** The run has not said that it ended, and has not reported lately. */
  readonly isStale: boolean;
}

/** `startedAtMs`: when this server started a run whose process still exists; null if there is none. */
export function runOf({ place }: ServedCopy, startedAtMs: number | null, nowMs = Date.now()): CopyRun {
  const live = readLive(place.dir);
  const control = readControl(place.dir);
  const isStarting = startedAtMs !== null && (live === null || live.startedAtMs < startedAtMs);
  const works = live !== null && isRunning(live, nowMs);
  return {
    state: stateOf(live, control, works, isStarting),
    live,
    control,
    isStale: !works && live !== null && live.phase !== 'ended',
  };
}

function stateOf(live: LiveState | null, { action }: ControlState, works: boolean, isStarting: boolean): RunState {
  if (works) {
    if (live!.phase === 'pausing' || live!.phase === 'stopping') return live!.phase;
    return live!.kind === 'crawl' ? 'crawling' : 'refreshing';
  }
  if (isStarting) return 'starting';
  return action === 'pause' ? 'paused' : 'idle';
}

export function toRun(live: LiveState, state: RunState): Run {
  const { figures, rates } = live;
  const { pages, of } = figures;
  const leftMs = of === null || rates.pagesPerSecond <= 0 ? null : ((of - pages) / rates.pagesPerSecond) * 1_000;
  return {
    id: live.id,
    kind: live.kind,
    state,
    startedAt: new Date(live.startedAtMs).toISOString(),
    updatedAt: new Date(live.updatedAtMs).toISOString(),
    elapsedMs: live.elapsedMs,
    ...figures,
    ...rates,
    errors: figures.errors as Record<string, number>,
    leftMs: leftMs === null || live.ending !== null ? null : Math.max(0, Math.round(leftMs)),
    units: live.units as Run['units'],
    ending: live.ending,
    warnings: live.warnings.map(({ atMs, message }) => ({ at: new Date(atMs).toISOString(), message })),
  };
}

export function toChart({ chart }: LiveState): Chart {
  return chart;
}
