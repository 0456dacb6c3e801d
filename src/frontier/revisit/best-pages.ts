/**
 * Selects the best of many pages, with one limit for all pages and one limit per host. In: pages with values, in the
 * order of their places. Out: the best pages within the limits, best first; equal values are ordered by place.
 *
 * Memory is bounded by twice the limit. When the buffer is full, it is sorted and the pages that can no longer be
 * chosen are dropped. Nothing is lost: a page is dropped when its host, or the whole selection, has enough better
 * pages, and later pages can only raise that bar. The columns are sorted in place, because a sort with a comparison
 * function would take several times their memory.
 */
const LEAST_ROOM = 64;

export interface Limits {
  readonly all: number;
  /** The limit of each host group. Null: hosts have no limit. */
  readonly host: ((hostGroup: number) => number) | null;
}

export class BestPages {
  readonly #limits: Limits;
  readonly #most: number;
  #values = new Float64Array(LEAST_ROOM);
  #places = new Uint32Array(LEAST_ROOM);
  #hosts = new Uint32Array(LEAST_ROOM);
  #count = 0;
  #threshold = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#most = Math.max(LEAST_ROOM, 2 * limits.all);
    if (limits.all < 1) this.#threshold = Number.POSITIVE_INFINITY;
  }

  /** A page must have a larger value to be chosen. */
  get threshold(): number {
    return this.#threshold;
  }

  offer(place: number, hostGroup: number, value: number): void {
    if (!(value > this.#threshold)) return;
    if (this.#count === this.#values.length) this.#makeRoom();
    this.#values[this.#count] = value;
    this.#places[this.#count] = place;
    this.#hosts[this.#count++] = hostGroup;
  }

  /** Returns the places of the chosen pages. */
  choose(): Uint32Array {
    this.#letGo();
    return this.#places.slice(0, this.#count);
  }

  #makeRoom(): void {
    if (this.#values.length >= this.#most) {
      this.#letGo();
      return;
    }
    const room = Math.min(this.#most, this.#values.length * 2);
    this.#values = larger(this.#values, new Float64Array(room));
    this.#places = larger(this.#places, new Uint32Array(room));
    this.#hosts = larger(this.#hosts, new Uint32Array(room));
  }

  #letGo(): void {
    this.#sort();
    const { all, host } = this.#limits;
    const taken = new Map<number, number>();
    let kept = 0;
    for (let i = 0; i < this.#count && kept < all; i++) {
      if (host !== null) {
        const hostGroup = this.#hosts[i] as number;
        const ofHost = taken.get(hostGroup) ?? 0;
        if (ofHost >= host(hostGroup)) continue;
        taken.set(hostGroup, ofHost + 1);
      }
      this.#swap(kept++, i);
    }
    this.#count = kept;
    // A later page with the same value has a later place and would lose, so it can be rejected.
    if (kept > 0 && kept >= all) this.#threshold = this.#values[kept - 1] as number;
  }

  /** Heap sort: it needs no extra memory, and no order of the pages makes it slow. */
  #sort(): void {
    for (let root = (this.#count >> 1) - 1; root >= 0; root--) this.#sink(root, this.#count);
    for (let end = this.#count - 1; end > 0; end--) {
      this.#swap(0, end);
      this.#sink(0, end);
    }
  }

  /** The worst page is at the top of the heap. */
  #sink(from: number, end: number): void {
    for (let root = from; ; ) {
      let child = 2 * root + 1;
      if (child >= end) return;
      if (child + 1 < end && this.#isWorse(child + 1, child)) child++;
      if (!this.#isWorse(child, root)) return;
      this.#swap(child, root);
      root = child;
    }
  }

  #isWorse(a: number, b: number): boolean {
    const difference = (this.#values[a] as number) - (this.#values[b] as number);
    return difference < 0 || (difference === 0 && (this.#places[a] as number) > (this.#places[b] as number));
  }

  #swap(a: number, b: number): void {
    swap(this.#values, a, b);
    swap(this.#places, a, b);
    swap(this.#hosts, a, b);
  }
}

function swap(column: Float64Array | Uint32Array, a: number, b: number): void {
  const value = column[a] as number;
  column[a] = column[b] as number;
  column[b] = value;
}

function larger<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
