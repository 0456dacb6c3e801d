/**
 * Hosts that other workers have by now. In: their ids. Out: a promise that resolves when no unit will ask them any more; what was
 * reported of them already is refused by the store, and counts for nothing here.
 */
import type { Controller } from '../controller.ts';
import type { SureLeases } from './sure-leases.ts';

export interface HostLossesParts {
  readonly controller: Pick<Controller, 'dispatcher' | 'crew' | 'losing' | 'disown' | 'wake'>;
  readonly leases: Pick<SureLeases, 'apart'>;
  /** To the store, of hosts that may have been asked until now. */
  readonly giveBack: (hostIds: readonly number[]) => Promise<void>;
}

export class HostLosses {
  readonly #parts: HostLossesParts;
  /** All that was lost until now is known to the units. */
  #heard: Promise<void> = Promise.resolve();

  constructor(parts: HostLossesParts) {
    this.#parts = parts;
  }

  /** As they were held at that time of the even clock. */
  lose(hostIds: readonly number[], asOfMs: number): Promise<void> {
    const { controller, leases, giveBack } = this.#parts;
    const lost = controller.dispatcher.lose(hostIds, asOfMs);
    if (lost.length === 0) return this.#heard;
    const heard = this.#heard.then(() => this.#tell(lost));
    this.#heard = heard;
    // Who was taken for dead loses also what it has claimed, and asked, before it heard of it: nobody else would ever give that back. If
    // the store cannot be asked now, such a host is found astray later.
    const givenBack = leases.apart(async () => {
      await heard;
      await giveBack(lost);
    });
    givenBack.catch(() => {}).finally(() => controller.wake());
    return heard;
  }

  async #tell(lost: readonly number[]): Promise<void> {
    const { losing, crew, disown } = this.#parts.controller;
    await losing.ask(crew.all, { type: 'lose', hostIds: lost });
    disown(lost);
  }
}
