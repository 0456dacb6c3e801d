/** Gathers found URLs of a batch: each URL once, with its host and its fate. */

import { isMarked } from '../../../url/traps/sitemap-chain.ts';
import type { FoundUrl } from '../../contract.ts';
import { REVIVED } from '../../rules/left-out.ts';

/** A URL, and the page on which it was found. */
export interface Find {
  readonly found: FoundUrl;
  readonly via: number | null;
}

/** A URL that was found once or more often. */
export interface Place extends Find {
  /** Unique among the URLs that are found together. */
  readonly name: string;
  readonly hostId: number;
  /** The first find that would let the URL wait; null if none would. */
  readonly open: FoundUrl | null;
}

export interface Gathered {
  readonly places: readonly Place[];
  /** The name of each found URL. */
  readonly names: ReadonlyMap<FoundUrl, string>;
}

export function gather(finds: readonly Find[], hostIds: ReadonlyMap<string, number>): Gathered {
  const places = new Map<string, Place>();
  const names = new Map<FoundUrl, string>();
  for (const { found, via } of finds) {
    // If many pages of a batch have the same link, they share one object.
    if (names.has(found)) continue;
    const hostId = hostIds.get(found.host)!;
    const name = `${hostId} ${found.key}`;
    names.set(found, name);
    const before = places.get(name);
    const open = found.skip === null ? found : null;
    if (before === undefined) places.set(name, { found, via, name, hostId, open });
    else if (open !== null && isBetter(open, before.open)) places.set(name, { ...before, open });
  }
  return { places: [...places.values()], names };
}

/** A link is better than a guess or a trial. */
function isBetter(open: FoundUrl, before: FoundUrl | null): boolean {
  return before === null || (isMarked(before.hops) && !isMarked(open.hops));
}

/** The fate of a new URL. Its first find may leave it out, while a later find in the same batch lets it wait. */
export function asNew({ found, open }: Place): FoundUrl {
  if (open === null) return found;
  if (found.skip === null) return isBetter(open, found) ? { ...found, hops: open.hops } : found;
  if (!REVIVED.includes(found.skip)) return found;
  const { hops, rank, relevance, trail } = open;
  return {
    ...found,
    skip: null,
    pattern: null,
    depth: Math.min(found.depth, open.depth),
    hops,
    rank,
    relevance,
    trail,
  };
}
