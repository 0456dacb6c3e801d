/**
 * Telling others what changed. In: the changes that the store notes with each commit. Out: each of them to each listener, in
 * order, in batches, at least once.
 *
 * What always holds:
 * - A listener's cursor moves behind a batch only after the batch arrived. A crash, `kill -9` or a loss of power at any moment
 *   repeats at most the batch under way, under the same id; it skips none.
 * - Nothing is told that a loss of power could take back.
 * - Listeners do not wait for each other, and the crawl waits for none of them.
 */
import type { Clock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { Courier } from './courier.ts';
import { Cursor, copyIdentity } from './cursor.ts';
import type { Listener } from './listener.ts';
import type { ChangeSource } from './read-batch.ts';
import { type DeliveryReport, reportOf } from './report.ts';

export class Delivery {
  readonly #couriers: readonly Courier[];

  private constructor(couriers: readonly Courier[]) {
    this.#couriers = couriers;
  }

  /** Before the first commit of a run: a listener that is new is told of what happens from here on. */
  static async open(store: ChangeSource, listeners: readonly Listener[], clock: Clock): Promise<Delivery> {
    if (new Set(listeners.map(({ name }) => name)).size < listeners.length) {
      throw new OrbweaverError('ERR_BAD_OPTION', 'two listeners have the same name; give each a name of its own');
    }
    if (listeners.length === 0) return new Delivery([]);
    const copy = await copyIdentity(store, clock.now());
    const cursors: Cursor[] = [];
    for (const { name } of listeners) cursors.push(await Cursor.open(store, name));
    return new Delivery(listeners.map((listener, i) => new Courier(store, listener, cursors[i]!, copy, clock)));
  }

  /** There may be new changes. Costs nothing: it may be called after each commit. */
  wake(): void {
    for (const courier of this.#couriers) courier.wake();
  }

  /**
   * After the last commit: sends what is left and reports. A listener that has not taken it after this long, or whose next
   * attempt would be later, is left for the next run. Throws only what the store throws.
   */
  async finish(giveUpAfterMs: number): Promise<DeliveryReport> {
    const ended = await Promise.allSettled(this.#couriers.map((courier) => courier.finish(giveUpAfterMs)));
    const broken = ended.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return reportOf(ended.filter((end) => end.status === 'fulfilled').map(({ value }) => value));
  }

  /** The run is interrupted: what is under way is broken off at once. `finish` reports then. */
  stop(): void {
    for (const courier of this.#couriers) courier.stop();
  }
}
