/**
 * Hosts that other workers have taken over. In: their ids. Out: a promise that resolves when no unit will ask them any
 * more. The store refuses results that were already reported for them, and they do not count here.
 */

import { monotonicMs } from '../../core/clock.ts';
import type { Controller } from '../controller.ts';
import type { LeaseTaker } from './lease-taker.ts';

export interface HostLossesParts {
  readonly controller: Pick<Controller, 'dispatcher' | 'crew' | 'losing' | 'disown' | 'wake'>;
  readonly leases: Pick<LeaseTaker, 'exclusively'>;
  /** Releases hosts in the store that may have been asked until now. */
  readonly release: (hostIds: readonly number[]) => Promise<void>;
}

export class HostLosses {
  readonly #parts: HostLossesParts;
  /** Resolves when the units know all losses so far. */
  #confirmed: Promise<void> = Promise.resolve();

  constructor(parts: HostLossesParts) {
    this.#parts = parts;
  }

  /** Loses these hosts as they were held at `asOfMs`, by the monotonic clock. */
  lose(hostIds: readonly number[], asOfMs: number): Promise<void> {
    const { controller, leases, release } = this.#parts;
    const lost = controller.dispatcher.lose(hostIds, asOfMs);
    if (lost.length === 0) return this.#confirmed;
    const confirmed = this.#confirmed.then(() => this.#announce(lost));
    this.#confirmed = confirmed;
    // A worker that was considered dead also loses hosts that it claimed and asked before it learned of this. No other
    // worker would release them. If the store cannot be reached now, such a host is found later as a stray.
    const released = leases.exclusively(async () => {
      await confirmed;
      await release(lost);
    });
    released.catch(() => {}).finally(() => controller.wake());
    return confirmed;
  }

  async #announce(lost: readonly number[]): Promise<void> {
    const { losing, crew, disown } = this.#parts.controller;
    await losing.ask(crew.all, { type: 'lose', hostIds: lost });
    disown(lost);
  }
}

/**
 * Hosts that the controller holds itself, besides the hosts of its units: requests to them must also end when they are
 * lost. In: a host, and a callback that ends its requests. Out: the ids, for the heartbeats.
 */
interface Hold {
  readonly hostId: number;
  readonly onLoss: () => void;
  readonly takenAtMs: number;
}

export class HostHolds {
  readonly #holds = new Set<Hold>();

  /** Returns a function that ends the hold. */
  add(hostId: number, onLoss: () => void): () => void {
    const hold: Hold = { hostId, onLoss, takenAtMs: monotonicMs() };
    this.#holds.add(hold);
    return () => this.#holds.delete(hold);
  }

  get hostIds(): readonly number[] {
    return [...new Set([...this.#holds].map(({ hostId }) => hostId))];
  }

  /**
   * Ends all requests to these hosts before it returns, except for holds taken after `asOfMs`, by the monotonic clock.
   */
  lose(hostIds: readonly number[], asOfMs: number): void {
    const lost = new Set(hostIds);
    for (const hold of this.#holds) {
      if (!lost.has(hold.hostId) || hold.takenAtMs > asOfMs) continue;
      this.#holds.delete(hold);
      hold.onLoss();
    }
  }
}
