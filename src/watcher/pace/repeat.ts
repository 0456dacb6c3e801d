import type { Clock } from '../../core/clock.ts';

/**
 * Repeats a task, each time `everyMs` after the last run has ended. The returned function
 * stops it; a running task continues.
 */
export function repeat(
  clock: Clock,
  everyMs: number,
  work: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): () => void {
  let isOver = false;
  let cancel = (): void => {};
  const again = () => {
    cancel = clock.after(everyMs, () => {
      work()
        .catch(onFault)
        .finally(() => {
          if (!isOver) again();
        });
    });
  };
  again();
  return () => {
    isOver = true;
    cancel();
  };
}
