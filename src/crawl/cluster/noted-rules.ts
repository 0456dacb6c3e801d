/** The rules of a crawl as this worker has read them, and whether a new plan has changed them since. */
import { rulesText, type StoredRules } from '../../core/options/stored-rules.ts';
import type { Store } from '../../store/contract.ts';
import { readRules } from '../place/data-folder.ts';

const NONE: StoredRules = { values: {}, secrets: [] };

export class NotedRules {
  readonly #store: Pick<Store, 'note'>;
  #read = '';

  constructor(store: Pick<Store, 'note'>) {
    this.#store = store;
  }

  async read(): Promise<StoredRules> {
    const rules = await this.#now();
    this.#read = rulesText(rules);
    return rules;
  }

  async haveChanged(): Promise<boolean> {
    return rulesText(await this.#now()) !== this.#read;
  }

  async #now(): Promise<StoredRules> {
    return (await readRules(this.#store)) ?? NONE;
  }
}
