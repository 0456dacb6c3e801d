import type { RunEnding } from '../crawl/controller.ts';
import { log, logsJson, say } from './log.ts';
import { printJson, printLines } from './output.ts';

/** Waits until a run is done or the user stops it. The first Ctrl-C saves and stops, the second one leaves at once. */
export const EXIT_INTERRUPTED = 11;

const EXIT_FAILED = 1;

/**
 * Prints the end of a run, as text or as one JSON object, and returns the exit code. If a run with `--json` has failed,
 * the text goes to stderr, so that the reasons are in the log of a script too.
 */
export function printEnd(summary: { readonly ending: RunEnding }, lines: readonly string[], isJson: boolean): number {
  const { ending } = summary;
  if (logsJson()) log(ending === 'failed' ? 'error' : 'info', 'run/summary', { summary });
  if (!isJson) printLines(lines);
  else {
    printJson(summary);
    if (ending === 'failed') say(lines.join('\n'));
  }
  return ending === 'interrupted' ? EXIT_INTERRUPTED : ending === 'failed' ? EXIT_FAILED : 0;
}

export async function untilStopped<Summary>(
  running: { readonly summary: Promise<Summary>; stop(): void },
  stopShowing: () => void,
): Promise<Summary> {
  let signals = 0;
  const onSignal = (): void => {
    const first = 'Stopping: running work is finished and saved. Press Ctrl-C again to stop at once.';
    say(`\n${++signals === 1 ? first : 'Stopping at once.'}`, 'run/stopping');
    running.stop();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await running.summary;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    stopShowing();
  }
}
