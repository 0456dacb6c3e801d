/**
 * What happens in a copy at this moment. One connection serves all views of the copy. Events that arrive together are
 * shown together, in the next frame, so a fast crawl never blocks the page (C1).
 */
import type { Change } from '../../serve/contract/changes.ts';
import type { RunState } from '../../serve/contract/copies.ts';
import type { LatestPage, Run } from '../../serve/contract/live.ts';
import { addressOf } from './client.ts';
import { EventConnection } from './event-stream.ts';
import { createStore, type Store } from './store.ts';

/** Rows of the list of latest pages. */
export const LATEST_ROWS = 20;
/** More new changes are only counted. */
const MAX_CHANGES = 100;

export interface LiveState {
  readonly isConnected: boolean;
  /** The connection existed and was lost. */
  readonly isLost: boolean;
  /** Null until the server has told. */
  readonly state: RunState | null;
  readonly isStale: boolean;
  readonly run: Run | null;
  readonly latest: readonly LatestPage[];
  /** Changes since the page was loaded, newest first. */
  readonly changes: readonly Change[];
  readonly changeCount: number;
}

const EMPTY: LiveState = {
  isConnected: false,
  isLost: false,
  state: null,
  isStale: false,
  run: null,
  latest: [],
  changes: [],
  changeCount: 0,
};

export interface LiveCopy {
  readonly store: Store<LiveState>;
  /** Called with each new figure of the run, for charts. */
  onRun(listener: (run: Run) => void): () => void;
  clearChanges(): void;
  /** Hears of changes also while nobody sees the page. */
  keepWhenHidden(keeps: boolean): void;
  close(): void;
}

export function openLiveCopy(copy: string): LiveCopy {
  const store = createStore(EMPTY);
  const runListeners = new Set<(run: Run) => void>();
  let next = EMPTY;
  let frame = 0;
  const show = (): void => {
    frame = 0;
    store.set(next);
  };
  const update = (part: Partial<LiveState>): void => {
    next = { ...next, ...part };
    // A hidden page has no frames, and notifications must not wait until it is seen again.
    if (document.hidden) show();
    else frame ||= requestAnimationFrame(show);
  };
  const connection = new EventConnection(addressOf('getEvents', { copy }), {
    onState: (isConnected) => update({ isConnected, isLost: !isConnected }),
    onEvent({ name, data }) {
      if (name === 'live') {
        const now = JSON.parse(data) as Pick<LiveState, 'state' | 'isStale' | 'run'>;
        update(now);
        if (now.run !== null) for (const listener of runListeners) listener(now.run);
      } else if (name === 'pages') {
        update({ latest: (JSON.parse(data) as readonly LatestPage[]).slice(0, LATEST_ROWS) });
      } else if (name === 'change') {
        const change = JSON.parse(data) as Change;
        update({ changes: [change, ...next.changes].slice(0, MAX_CHANGES), changeCount: next.changeCount + 1 });
      }
    },
  });
  return {
    store,
    onRun(listener) {
      runListeners.add(listener);
      return () => runListeners.delete(listener);
    },
    clearChanges: () => update({ changes: [], changeCount: 0 }),
    keepWhenHidden(keeps) {
      connection.keepsHidden = keeps;
    },
    close() {
      connection.close();
      cancelAnimationFrame(frame);
    },
  };
}
