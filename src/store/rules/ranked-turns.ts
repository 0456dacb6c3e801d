/**
 * Several ranked frontiers in one queue (P5, W18): the waiting URLs of a host, sorted by rank, are
 * cut into lists of equal length. The lists are served in turn, each with its share of URLs. If
 * one list has too few URLs, the others take its turns.
 *
 * Finding the cuts means counting along the index of the whole queue. So the cuts are kept until a fiftieth of the
 * queue has been served, or the queue has grown or shrunk by a fiftieth. A short queue is cut each time. Old cuts only
 * change the order of URLs, never which URLs are handed out.
 */
import type { ClaimedUrl, ListShares } from '../contract.ts';

const SHORT_QUEUE = 1_000;
const STALE_PART = 0.02;
/** Hosts whose cuts are kept. */
const MAX_HOSTS = 10_000;

export interface Place {
  readonly rank: number;
  readonly id: number;
}

export interface Cuts {
  /** URLs of the host that waited when the queue was cut, including URLs that are set aside. */
  readonly waiting: number;
  /** Where each list begins, except the first list. */
  readonly places: readonly Place[];
  /** The current position in the cycle of turns. */
  turn: number;
  served: number;
}

export const FRONT: Place = { rank: Number.NEGATIVE_INFINITY, id: 0 };
export const BACK: Place = { rank: Number.POSITIVE_INFINITY, id: 0 };

/** The cuts of the hosts that were served last. */
export class CutBook<Key extends number | string> {
  readonly #cuts = new Map<Key, Cuts>();

  /** The cuts that are still good for a queue of this length; null if the queue must be cut again. */
  kept(key: Key, lists: number, waiting: number): Cuts | null {
    const kept = this.#cuts.get(key);
    const isGood = kept && kept.places.length === lists - 1 && waiting > SHORT_QUEUE && !isStale(kept, waiting);
    return isGood ? kept : null;
  }

  cut(key: Key, waiting: number, places: readonly Place[]): Cuts {
    const cuts = { waiting, places, turn: this.#cuts.get(key)?.turn ?? 0, served: 0 };
    this.#cuts.delete(key);
    if (this.#cuts.size >= MAX_HOSTS) this.#cuts.delete(this.#cuts.keys().next().value!);
    this.#cuts.set(key, cuts);
    return cuts;
  }
}

/** Where lists of equal length begin in a queue, except the first list (P5: thirds at round(n/3) and round(2n/3)). */
export function cutPlaces(queued: number, lists: number): number[] {
  return Array.from({ length: lists - 1 }, (_, i) => Math.round((queued * (i + 1)) / lists));
}

/** The begin and the end of each list. */
export function stretches({ places }: Cuts): (readonly [from: Place, to: Place])[] {
  const ends = [FRONT, ...places, BACK];
  return ends.slice(1).map((to, i) => [ends[i]!, to]);
}

/**
 * Takes up to `limit` URLs from the fronts of the lists, by their shares. Each
 * list in `lists` has `limit` URLs, or all that it has.
 */
export function serve(
  cuts: Cuts,
  lists: readonly (readonly ClaimedUrl[])[],
  limit: number,
  shares: ListShares,
): ClaimedUrl[] {
  const served = serveInTurn(lists, turnsFrom(cuts.turn, limit, shares));
  cuts.turn = (cuts.turn + served.length) % shares.reduce((sum, share) => sum + share, 0);
  cuts.served += served.length;
  return served;
}

function isStale({ waiting, served }: Cuts, waitingNow: number): boolean {
  return Math.max(served, Math.abs(waitingNow - waiting)) > STALE_PART * waiting;
}

/** The list for each of the next `limit` URLs: 4 : 2 : 1 is 0 0 0 0 1 1 2 0 0 0 0 1 1 2 … */
function turnsFrom(turn: number, limit: number, shares: ListShares): number[] {
  const cycle = shares.flatMap((share, i) => new Array<number>(share).fill(i));
  return Array.from({ length: limit }, (_, i) => cycle[(turn + i) % cycle.length]!);
}

function serveInTurn(lists: readonly (readonly ClaimedUrl[])[], turns: readonly number[]): ClaimedUrl[] {
  const served: ClaimedUrl[] = [];
  const taken = lists.map(() => 0);
  for (const turn of turns) {
    const list = hasMore(lists, taken, turn) ? turn : lists.findIndex((_, i) => hasMore(lists, taken, i));
    if (list < 0) break;
    served.push(lists[list]![taken[list]!++]!);
  }
  return served;
}

function hasMore(lists: readonly (readonly ClaimedUrl[])[], taken: readonly number[], i: number): boolean {
  return taken[i]! < lists[i]!.length;
}
