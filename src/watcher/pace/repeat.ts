import type { Clock } from '../../core/clock.ts';

/** Does something again and again, each time so long after the last has ended. The returned function ends that; what is under way goes on. */
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
