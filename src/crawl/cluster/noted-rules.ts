/**
 * The rules of a crawl, as they are noted for all its workers and as one of them has read them. In: the store, and which options this worker
 * decides for itself. Out: the rules, and whether somebody has planned others since.
 */
import type { GivenOptions, OptionName } from '../../core/options.ts';
import type { Store } from '../../store/contract.ts';
import { keptGiven } from '../data-folder.ts';

export class NotedRules {
  readonly #store: Pick<Store, 'note'>;
  readonly #own: readonly OptionName[];
  #read = '';

  constructor(store: Pick<Store, 'note'>, own: readonly OptionName[]) {
    this.#store = store;
    this.#own = own;
  }

  async read(): Promise<GivenOptions> {
    const given = await this.#others();
    this.#read = JSON.stringify(given);
    return given;
  }

  async haveChanged(): Promise<boolean> {
    return JSON.stringify(await this.#others()) !== this.#read;
  }

  async #others(): Promise<GivenOptions> {
    const given = await keptGiven(this.#store);
    for (const name of this.#own) delete given[name];
    return given;
  }
}
