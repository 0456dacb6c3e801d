/** What is found, many at a time: each URL once, with where it belongs and what is to become of it. */
import type { FoundUrl } from '../contract.ts';
import { REVIVED } from '../left-out.ts';

/** A URL, and the page it was found on. */
export interface Find {
  readonly found: FoundUrl;
  readonly via: number | null;
}

/** A URL that was found, once or more often. */
export interface Place extends Find {
  /** Of all that are found together. */
  readonly name: string;
  readonly hostId: number;
  /** The first find that would let it wait; null where none would. */
  readonly open: FoundUrl | null;
}

export interface Gathered {
  readonly places: readonly Place[];
  /** Of each that was found. */
  readonly names: ReadonlyMap<FoundUrl, string>;
}

export function gather(finds: readonly Find[], hostIds: ReadonlyMap<string, number>): Gathered {
  const places = new Map<string, Place>();
  const names = new Map<FoundUrl, string>();
  for (const { found, via } of finds) {
    // One object stands for a link that many pages of a batch have.
    if (names.has(found)) continue;
    const hostId = hostIds.get(found.host)!;
    const name = `${hostId} ${found.key}`;
    names.set(found, name);
    const before = places.get(name);
    const open = found.skip === null ? found : null;
    if (before === undefined) places.set(name, { found, via, name, hostId, open });
    else if (before.open === null && open !== null) places.set(name, { ...before, open });
  }
  return { places: [...places.values()], names };
}

/** What a new URL is: left out by its first find, it may have been found again in the same batch where that does not hold. */
export function asNew({ found, open }: Place): FoundUrl {
  if (open === null || found.skip === null || !REVIVED.includes(found.skip)) return found;
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
