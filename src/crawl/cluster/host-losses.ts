/**
 * Hosts that other workers have by now. In: their ids. Out: a promise that resolves when no unit will ask them any more; what was
 * reported of them already is refused by the store.
 */
import type { Controller } from '../controller.ts';

export class HostLosses {
  readonly #controller: Pick<Controller, 'dispatcher' | 'crew' | 'losing' | 'wake'>;
  readonly #giveBack: (hostIds: readonly number[]) => Promise<void>;
  /** All that was lost until now is known to the units. */
  #heard: Promise<void> = Promise.resolve();

  constructor(
    controller: Pick<Controller, 'dispatcher' | 'crew' | 'losing' | 'wake'>,
    giveBack: (hostIds: readonly number[]) => Promise<void>,
  ) {
    this.#controller = controller;
    this.#giveBack = giveBack;
  }

  async lose(hostIds: readonly number[]): Promise<void> {
    const lost = this.#controller.dispatcher.lose(hostIds);
    if (lost.length > 0) this.#heard = this.#heard.then(() => this.#say(lost));
    await this.#heard;
  }

  async #say(lost: readonly number[]): Promise<void> {
    const { losing, crew } = this.#controller;
    await losing.ask(crew.all, { type: 'lose', hostIds: lost });
    // An answer that was overtaken may have called lost what was claimed anew since, and asked: nobody else would ever give that back. If
    // the store cannot be asked now, such a host is found astray later.
    await this.#giveBack(lost).catch(() => {});
    this.#controller.wake();
  }
}
