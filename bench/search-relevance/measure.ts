/**
 * How far up the right page is. In: known items, and rankings. Out: mean reciprocal rank, and success at 1 and at 10.
 * Results of other sites than that of the item are left out for every contender, as with `site:`.
 */
import type { Rank } from './contenders.ts';
import type { KnownItem } from './known-items.ts';

export interface Figures {
  readonly queries: number;
  readonly reciprocalRank: number;
  readonly first: number;
  readonly inTen: number;
}

/** By item: the rank of the first right page; 0 if it was not found. */
export function ranksOf(items: readonly KnownItem[], rank: Rank, pageOf: PageOf): number[] {
  return items.map(({ site, query, answers }) => {
    let place = 0;
    for (const id of rank(query)) {
      const page = pageOf(id);
      if (page.site !== site) continue;
      place++;
      if (answers.includes(page.path)) return place;
    }
    return 0;
  });
}

export type PageOf = (id: number) => { readonly site: string; readonly path: string };

export function figuresOf(ranks: readonly number[]): Figures {
  const share = (most: number) => ranks.filter((rank) => rank > 0 && rank <= most).length / ranks.length;
  const reciprocalRank = ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length;
  return { queries: ranks.length, reciprocalRank, first: share(1), inTen: share(10) };
}
