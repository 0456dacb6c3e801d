import { say } from './output.ts';

/** Waits until a run is done or the user stops it. The first Ctrl-C saves and stops, the second one leaves at once. */
export const EXIT_INTERRUPTED = 11;

export async function untilStopped<Summary>(
  running: { readonly summary: Promise<Summary>; stop(): void },
  stopShowing: () => void,
): Promise<Summary> {
  let signals = 0;
  const onSignal = (): void => {
    const first = 'Stopping: running work is finished and saved. Press Ctrl-C again to stop at once.';
    say(`\n${++signals === 1 ? first : 'Stopping at once.'}`);
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
