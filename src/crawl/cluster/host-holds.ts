/**
 * Hosts that the controller has itself, beside those that its units work on: what it asks them has to end like everything else when they
 * are lost. In: a host, and what ends it. Out: their ids, for the beats.
 */
import { monotonicMs } from '../../core/clock.ts';

interface Hold {
  readonly hostId: number;
  readonly onLoss: () => void;
  readonly takenAtMs: number;
}

export class HostHolds {
  readonly #holds = new Set<Hold>();

  /** Returns what lets go of it. */
  add(hostId: number, onLoss: () => void): () => void {
    const hold: Hold = { hostId, onLoss, takenAtMs: monotonicMs() };
    this.#holds.add(hold);
    return () => this.#holds.delete(hold);
  }

  get hostIds(): readonly number[] {
    return [...new Set([...this.#holds].map(({ hostId }) => hostId))];
  }

  /** Nothing is asked there any more when this returns, but where it was taken after `asOfMs`, by the even clock. */
  lose(hostIds: readonly number[], asOfMs: number): void {
    const lost = new Set(hostIds);
    for (const hold of this.#holds) {
      if (!lost.has(hold.hostId) || hold.takenAtMs > asOfMs) continue;
      this.#holds.delete(hold);
      hold.onLoss();
    }
  }
}
