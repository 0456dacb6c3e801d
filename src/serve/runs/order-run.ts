/** What the buttons of the interface do: start, pause, resume and stop runs. */
import { giveOrder } from '../../crawl/live/control-file.ts';
import type { RunAction, RunAnswer } from '../contract/runs.ts';
import { ApiError } from '../http/api-error.ts';
import type { ServedCopy } from '../served-copy.ts';
import { shellWords } from './command-words.ts';
import type { RunKind, RunStarter } from './run-starter.ts';
import { runOf } from './run-state.ts';

export function orderRun(copy: ServedCopy, action: RunAction, starter: RunStarter): RunAnswer {
  if (copy.place.cluster !== null) {
    throw new ApiError(
      'CONFLICT',
      'runs of a crawl in a database are started and stopped on its machines, with orbweaver work',
    );
  }
  const { state, live } = runOf(copy, starter.startedAtMs(copy));
  const isWorking = !['idle', 'paused'].includes(state);
  if (action === 'pause' || action === 'stop') {
    if (!isWorking) throw new ApiError('CONFLICT', 'nothing runs that could be stopped');
    giveOrder(copy.place.dir, { action });
    return { state: action === 'pause' ? 'pausing' : 'stopping', command: 'Ctrl-C in the terminal of the run' };
  }
  if (isWorking) throw new ApiError('CONFLICT', 'a run works on this copy already; stop it first');
  const kind: RunKind = action === 'resume' ? (live?.kind ?? 'crawl') : action;
  giveOrder(copy.place.dir, {});
  starter.start(copy, kind);
  return { state: 'starting', command: shellWords(kind, copy.again) };
}
