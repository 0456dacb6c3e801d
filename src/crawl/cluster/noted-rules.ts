/**
 * The rules of a crawl, as stored for all workers and as read by this one. In: the store, and the options that this
 * worker sets itself. Out: the rules, and whether a new plan has changed them since.
 */
import type { GivenOptions, OptionName } from '../../core/options/options.ts';
import type { Store } from '../../store/contract.ts';
import { keptGiven } from '../place/data-folder.ts';

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
