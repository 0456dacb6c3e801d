/** A run that can be stopped at any time, even before its controller exists. */
export interface Stoppable<Summary> {
  readonly summary: Promise<Summary>;
  /** The first call finishes and saves the work in progress. The second call ends the run at once. */
  stop(): void;
}

/** Stops a run that has started. */
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
