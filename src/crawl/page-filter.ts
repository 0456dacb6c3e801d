import type { Store, VisitRecord } from '../store/contract.ts';
import { compilePattern } from '../url/pattern.ts';

/** Pages whose URLs match one of some patterns; all where there is none, and then no URL is read. */
export class PageFilter {
  readonly #store: Store;
  readonly #patterns: readonly ((url: string) => boolean)[];

  constructor(store: Store, patterns: readonly string[]) {
    this.#store = store;
    this.#patterns = patterns.map((text) => compilePattern(text));
  }

  async wanted(pages: readonly VisitRecord[]): Promise<readonly VisitRecord[]> {
    if (this.#patterns.length === 0) return pages;
    const records = await this.#store.records(pages.map(({ id }) => id));
    const matching = records.filter(({ url }) => this.#patterns.some((matches) => matches(url)));
    const ids = new Set(matching.map(({ id }) => id));
    return pages.filter(({ id }) => ids.has(id));
  }
}
