/**
 * The pages of a segment that come before the others: those with all words of the query. In: a compiled query, and the
 * rarity of its words. Out: a set of pages.
 *
 * A query of many words is a sentence, such as `where can I read about partial indexes`. Only long pages have all its
 * words, so a page may lack some, as long as these are the frequent ones.
 */
import type { Compiled, CompiledWords } from '../evaluate/compiled-query.ts';
import type { PageMatcher } from '../evaluate/match-pages.ts';
import type { LiveSegment } from '../index/index-reader.ts';
import type { PageBits } from '../index/page-bits.ts';
import { WEIGHTS } from '../weights.ts';

export type Rarities = ReadonlyMap<CompiledWords, number>;

/** Without rarities: the pages that have all words, also of a sentence. */
export function firstPages(
  query: Compiled,
  live: LiveSegment,
  matcher: PageMatcher,
  rarities: Rarities | null,
): PageBits {
  switch (query.kind) {
    case 'plain': {
      const { required, optional } = query;
      const all = (set: PageBits, one: Compiled): PageBits => set.and(matcher.match(one, live));
      const first = required.reduce(all, live.live.copy());
      if (rarities === null || optional.length < WEIGHTS.sentenceWords) return optional.reduce(all, first);
      return withMost(first, optional, live, matcher, rarities);
    }
    case 'and':
    case 'or':
    case 'xor':
      return query.operands.reduce((set, one) => set.and(firstPages(one, live, matcher, rarities)), live.live.copy());
    default:
      return live.live.copy();
  }
}

/** Keeps the pages whose missing words are together as rare as a few average words, or less. */
function withMost(
  pages: PageBits,
  words: readonly Compiled[],
  live: LiveSegment,
  matcher: PageMatcher,
  rarities: Rarities,
): PageBits {
  const rarityOf = (one: Compiled): number => (one.kind === 'words' ? (rarities.get(one) ?? 0) : 0);
  const most = (WEIGHTS.lackingWords / words.length) * words.reduce((sum, one) => sum + rarityOf(one), 0);
  const lacking = new Float64Array(pages.pages);
  // The rare words leave few pages for the others.
  for (const one of [...words].sort((a, b) => rarityOf(b) - rarityOf(a))) {
    for (const page of pages.copy().without(matcher.match(one, live))) {
      lacking[page] = (lacking[page] as number) + rarityOf(one);
      if ((lacking[page] as number) > most) pages.delete(page);
    }
  }
  return pages;
}
