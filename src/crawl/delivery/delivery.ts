/**
 * Delivers changes to listeners. In: the changes that the store records with each commit. Out: each change to each
 * listener, in order, in batches, at least once.
 *
 * What always holds:
 * - The cursor of a listener moves past a batch only after the batch arrived. A crash, `kill -9` or a power failure at
 *   any moment repeats at most the batch in progress, under the same id, and skips none.
 * - A change is sent only after it is safe from a power failure.
 * - One process at a time delivers to a listener. Another process of a cluster takes over when this one has died.
 * - A change that will be described is sent with its description.
 * - Listeners do not wait for each other, and the crawl waits for none of them.
 */
import type { Clock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { Cursor, copyIdentity } from './cursor.ts';
import type { Listener } from './listener.ts';
import { HELD_ELSEWHERE, ListenerQueue, type ListenerReport, MAX_COUNTED } from './listener-queue.ts';
import { type ChangeSource, type DeliveryRules, NO_RULES } from './read-batch.ts';

export interface DeliveryReport {
  readonly listeners: readonly ListenerReport[];
  /** One line for each listener that has not received everything. */
  readonly leftovers: readonly string[];
}

export class Delivery {
  readonly #queues: readonly ListenerQueue[];

  private constructor(queues: readonly ListenerQueue[]) {
    this.#queues = queues;
  }

  /**
   * Call this before the first commit of a run: a new listener receives the changes from here on. By default, no change
   * waits for its description.
   */
  static async open(
    store: ChangeSource,
    listeners: readonly Listener[],
    clock: Clock,
    rules: DeliveryRules = NO_RULES,
  ): Promise<Delivery> {
    if (new Set(listeners.map(({ name }) => name)).size < listeners.length) {
      throw new OrbweaverError('ERR_BAD_OPTION', 'two listeners have the same name; give each listener its own name');
    }
    if (listeners.length === 0) return new Delivery([]);
    const copy = await copyIdentity(store, clock.now());
    const cursors: Cursor[] = [];
    for (const { name, pace } of listeners) {
      cursors.push(await Cursor.open(store, name, clock, pace?.hasDigest ? clock.now() : 0));
    }
    const given = { clock, rules };
    return new Delivery(listeners.map((listener, i) => new ListenerQueue(store, listener, cursors[i]!, copy, given)));
  }

  /** Call this when there may be new changes. It is cheap enough to call after each commit. */
  wake(): void {
    for (const queue of this.#queues) queue.wake();
  }

  /** Call this when a round of the refresh has ended. */
  endRound(): void {
    for (const queue of this.#queues) queue.endRound();
  }

  /**
   * Called after the last commit: sends the remaining changes and reports. The next run continues with a listener that
   * has not accepted them after this time, or whose next attempt would be later. Throws only errors of the store.
   */
  async finish(giveUpAfterMs: number): Promise<DeliveryReport> {
    const ended = await Promise.allSettled(this.#queues.map((queue) => queue.finish(giveUpAfterMs)));
    const broken = ended.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return reportOf(ended.filter((end) => end.status === 'fulfilled').map(({ value }) => value));
  }

  /** The run is interrupted: deliveries in progress are aborted at once. `finish` still reports. */
  stop(): void {
    for (const queue of this.#queues) queue.stop();
  }

  /**
   * Call this before the store closes, whether or not the run failed: afterwards nothing reads the
   * store and no timer keeps the process alive.
   */
  async close(): Promise<void> {
    this.stop();
    for (const queue of this.#queues) await queue.ended;
  }
}

function reportOf(listeners: readonly ListenerReport[]): DeliveryReport {
  return { listeners, leftovers: listeners.filter(({ failure }) => failure !== null).map(leftoverLine) };
}

function leftoverLine({ name, waiting, failure, isHeld }: ListenerReport): string {
  if (isHeld) return `${name}: ${waiting === 1 ? '1 change waits' : `${countText(waiting)} changes wait`}: ${failure}`;
  if (failure === HELD_ELSEWHERE) return `${name}: ${failure}`;
  if (waiting === 0) return `${name} was not updated: ${failure}; the next run tries again`;
  const what = waiting === 1 ? '1 change was' : `${countText(waiting)} changes were`;
  return `${name}: ${what} not delivered: ${failure}; the next run tries again`;
}

function countText(waiting: number): string {
  return waiting >= MAX_COUNTED ? `${MAX_COUNTED} or more` : String(waiting);
}
