/** The progress of a running refresh: as events for listeners, and as figures for `live.json`. */
import { publish } from '../../core/events.ts';
import type { Controller } from '../controller.ts';
import type { LiveFigures } from '../live/live-file.ts';
import type { RunCounter } from '../run-counter.ts';
import type { RefreshCounter } from './refresh-counter.ts';

const PROGRESS_MS = 250;

/** The figures of a running refresh for `live.json`. */
export function refreshReport(counter: RefreshCounter, run: RunCounter, { dispatcher }: Controller): () => LiveFigures {
  return () => {
    const { planned, looked, requests, bytes, findings, troubles } = counter;
    return {
      ...{ pages: looked, of: planned, fetched: requests, waiting: Math.max(0, planned - looked), bytes },
      failed: findings.failing + findings.missing,
      changed: findings.changed,
      hosts: dispatcher.live.size,
      requests: dispatcher.out,
      errors: Object.fromEntries([...run.failures, ...troubles]),
    };
  };
}

/** The returned function ends it. */
export function reportProgress(counter: RefreshCounter, run: RunCounter, startMs: number): () => void {
  const timer = setInterval(() => {
    const { planned, looked, newPages, reread, requests, bytes, findings } = counter;
    const { changed, noise, gone, failing, missing } = findings;
    publish('refresh/progress', {
      elapsedMs: performance.now() - startMs,
      planned,
      looked,
      newPages,
      changed,
      noise,
      reread,
      gone,
      failed: failing + missing,
      trouble: run.trouble,
      requests,
      bytes,
    });
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}
