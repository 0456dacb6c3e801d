/**
 * Selects the pages with the highest PageRank; pages of equal rank keep their order. Millions of pages may link to a
 * URL, so only the wanted number is kept in memory.
 *
 * The partner for PostgreSQL is store/postgres/graph/graph-calls.ts;
 * the shared contract test is test/store/contract/graph.ts.
 */
import type { LinkEnd } from '../../../graph/segment-links.ts';
import type { PageRanks } from './page-ranks.ts';

export class HighestRanked {
  readonly #pageRanks: PageRanks;
  readonly #limit: number;
  #kept: { readonly end: LinkEnd; readonly rank: number }[] = [];

  constructor(pageRanks: PageRanks, limit: number) {
    this.#pageRanks = pageRanks;
    this.#limit = limit;
  }

  add(ends: readonly LinkEnd[]): void {
    if (ends.length === 0) return;
    const ranks = this.#pageRanks.of(ends.map(({ id }) => id));
    const all = [...this.#kept, ...ends.map((end, i) => ({ end, rank: ranks[i]! }))];
    this.#kept = all.sort((a, b) => b.rank - a.rank).slice(0, this.#limit);
  }

  get ends(): LinkEnd[] {
    return this.#kept.map(({ end }) => end);
  }
}
