/** How important pages are for a refresh: by PageRank, and by the rules of the user. 1 is an average page. */
import { OrbweaverError } from '../../core/errors.ts';
import type { RefreshOptions } from '../../core/options/refresh-options.ts';
import type { GraphStore, UrlStore, VisitRecord } from '../../store/contract.ts';
import { compilePattern } from '../../url/pattern.ts';

/** A page without links to it still matters a little. */
const LEAST = 0.05;

export class PageWeights {
  readonly #store: GraphStore & UrlStore;
  readonly #byRank: boolean;
  readonly #rules: readonly { readonly matches: (url: string) => boolean; readonly factor: number }[];
  #pages = 1;

  constructor(store: GraphStore & UrlStore, { weight, weights }: RefreshOptions) {
    this.#store = store;
    this.#byRank = weight === 'rank';
    this.#rules = weights.map(parseRule);
  }

  async open(): Promise<void> {
    const { states } = await this.#store.counts();
    this.#pages = Math.max(1, states.fetched + states.duplicate);
  }

  async of(pages: readonly VisitRecord[]): Promise<readonly number[]> {
    const ids = pages.map(({ id }) => id);
    const ranks = this.#byRank ? await this.#store.pageRanks(ids) : ids.map(() => 1 / this.#pages);
    // In a copy that was never ranked, all ranks are 0.
    const weights = ranks.map((rank) => Math.max(LEAST, rank === 0 ? 1 : rank * this.#pages));
    if (this.#rules.length === 0) return weights;
    const urls = new Map((await this.#store.records(ids)).map(({ id, url }) => [id, url]));
    return weights.map((weight, i) => weight * this.#factorOf(urls.get(ids[i]!) ?? ''));
  }

  #factorOf(url: string): number {
    return this.#rules.find(({ matches }) => matches(url))?.factor ?? 1;
  }
}

function parseRule(text: string): { matches: (url: string) => boolean; factor: number } {
  const at = text.lastIndexOf('|');
  const factor = Number(text.slice(at + 1));
  if (at < 1 || !(factor >= 0 && factor <= 1e6) || text.slice(at + 1).trim() === '') {
    throw new OrbweaverError('ERR_BAD_OPTION', `--weights needs "pattern|number", such as "*/news/*|5", not "${text}"`);
  }
  return { matches: compilePattern(text.slice(0, at)), factor };
}
