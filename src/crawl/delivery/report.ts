/** The result of the delivery, at the end of a run. */

export interface ListenerReport {
  readonly name: string;
  /** Changes that arrived in this run. */
  readonly delivered: number;
  /** Changes that wait for the next run, counted up to `MAX_COUNTED`. */
  readonly waiting: number;
  /** Why they wait; null if everything was delivered. */
  readonly failure: string | null;
}

export interface DeliveryReport {
  readonly listeners: readonly ListenerReport[];
  /** One line for each listener that has not received everything. */
  readonly leftovers: readonly string[];
}

export const MAX_COUNTED = 10_000;

export function reportOf(listeners: readonly ListenerReport[]): DeliveryReport {
  return { listeners, leftovers: listeners.filter(({ failure }) => failure !== null).map(leftoverLine) };
}

function leftoverLine({ name, waiting, failure }: ListenerReport): string {
  if (waiting === 0) return `${name} was not updated: ${failure}; the next run tries again`;
  const what = waiting === 1 ? '1 change was' : `${countText(waiting)} changes were`;
  return `${name}: ${what} not delivered: ${failure}; the next run tries again`;
}

function countText(waiting: number): string {
  return waiting >= MAX_COUNTED ? `${MAX_COUNTED} or more` : String(waiting);
}
