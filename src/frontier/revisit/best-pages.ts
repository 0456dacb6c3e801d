/**
 * The best of many pages, with a limit for all and one for each host: pages with values in, in any order; the best that the limits
 * allow out, best first, equal ones by place.
 *
 * What it holds is bounded by twice the limit: when it is full it is sorted, and what can no longer be chosen is let go. That loses
 * nothing: a page is let go when its host, or all together, have enough better ones, and of these only better ones can come.
 */
const LEAST_ROOM = 64;

export interface Limits {
  readonly all: number;
  /** By host group. */
  readonly host: (hostGroup: number) => number;
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
  }

  /** What is not above this has no chance. */
  get threshold(): number {
    return this.#threshold;
  }

  offer(place: number, hostGroup: number, value: number): void {
    if (value <= this.#threshold) return;
    if (this.#count === this.#values.length) this.#makeRoom();
    this.#values[this.#count] = value;
    this.#places[this.#count] = place;
    this.#hosts[this.#count++] = hostGroup;
  }

  /** The places of the chosen. */
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
    const order = new Uint32Array(this.#count).map((_, i) => i);
    const [values, places, hosts] = [this.#values, this.#places, this.#hosts];
    order.sort((a, b) => values[b]! - values[a]! || places[a]! - places[b]!);
    const taken = new Map<number, number>();
    let kept = 0;
    for (const i of order) {
      if (kept >= this.#limits.all) break;
      const ofHost = taken.get(hosts[i]!) ?? 0;
      if (ofHost >= this.#limits.host(hosts[i]!)) continue;
      taken.set(hosts[i]!, ofHost + 1);
      order[kept++] = i;
    }
    const chosen = order.subarray(0, kept);
    this.#values.set(Float64Array.from(chosen, (i) => values[i]!));
    this.#places.set(Uint32Array.from(chosen, (i) => places[i]!));
    this.#hosts.set(Uint32Array.from(chosen, (i) => hosts[i]!));
    this.#count = kept;
    // Equal values may still come from an earlier place; pages come in order of place, so these are later ones.
    if (kept > 0 && kept >= this.#limits.all) this.#threshold = this.#values[kept - 1]!;
    if (this.#limits.all < 1) this.#threshold = Number.POSITIVE_INFINITY;
  }
}

function larger<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
