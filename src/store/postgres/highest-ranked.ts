/** The pages of the highest PageRank among many, equal ones in the order in which they came; no more is kept than is wanted. */
import type { LinkEnd } from '../../graph/segment-links.ts';
import type { Session } from './database.ts';
import { pageRanksOf } from './page-ranks.ts';

export class HighestRanked {
  readonly #limit: number;
  #kept: { readonly end: LinkEnd; readonly rank: number }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  async add(session: Session, schema: string, ends: readonly LinkEnd[]): Promise<void> {
    if (ends.length === 0) return;
    const ids = ends.map(({ id }) => id);
    const ranks = await pageRanksOf(session, schema, ids);
    const all = [...this.#kept, ...ends.map((end, i) => ({ end, rank: ranks[i]! }))];
    this.#kept = all.sort((a, b) => b.rank - a.rank).slice(0, this.#limit);
  }

  get ends(): LinkEnd[] {
    return this.#kept.map(({ end }) => end);
  }
}
