/** A run that can be asked to stop at any time, before it has come to its controller too. */
export interface Stoppable<Summary> {
  readonly summary: Promise<Summary>;
  /** The first stops gently and saves; the second leaves at once. */
  stop(): void;
}

/** What stops, once it is there. */
export interface Brake {
  drain(): void;
  abort(): void;
}

export function stoppable<Summary>(run: (onStart: (brake: Brake) => void) => Promise<Summary>): Stoppable<Summary> {
  let brake: Brake | null = null;
  let stops = 0;
  const stop = (): void => {
    stops++;
    if (stops === 1) brake?.drain();
    else brake?.abort();
  };
  const summary = run((started) => {
    brake = started;
    if (stops > 0) started.drain();
    if (stops > 1) started.abort();
  });
  return { summary, stop };
}
