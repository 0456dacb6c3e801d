/** Keeps the best pages of a query: a heap with the worst of them on top. */

export interface RankedPage {
  /** The number of the page in the common row of all segments. */
  readonly number: number;
  /** Pages with all words of the query are in a higher tier than pages with some of them. */
  readonly tier: number;
  score: number;
}

/** The order of results: the tier, the score, and then the number, so that equal scores have a fixed order. */
export function compareRank(a: RankedPage, b: RankedPage): number {
  return b.tier - a.tier || b.score - a.score || a.number - b.number;
}

export class TopPages {
  readonly #most: number;
  readonly #heap: RankedPage[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a page with this rank would be kept. Saves making an object for most pages. */
  admits(tier: number, score: number, number: number): boolean {
    const least = this.leastScore(tier);
    return score > least || (score === least && number < this.#heap[0]!.number);
  }

  /** Whether a page with at most this score may be kept. */
  mayAdmit(tier: number, score: number): boolean {
    return this.#most > 0 && score >= this.leastScore(tier);
  }

  /** A page of the tier with a lower score is not kept. */
  leastScore(tier: number): number {
    if (this.#heap.length < this.#most) return Number.NEGATIVE_INFINITY;
    const worst = this.#heap[0];
    if (worst === undefined || tier < worst.tier) return Number.POSITIVE_INFINITY;
    return tier > worst.tier ? Number.NEGATIVE_INFINITY : worst.score;
  }

  add(page: RankedPage): void {
    const heap = this.#heap;
    if (heap.length < this.#most) {
      heap.push(page);
      let at = heap.length - 1;
      while (at > 0 && isWorse(heap[at]!, heap[(at - 1) >> 1]!)) at = swap(heap, at, (at - 1) >> 1);
      return;
    }
    if (heap.length === 0 || !isWorse(heap[0]!, page)) return;
    heap[0] = page;
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isWorse(heap[child]!, heap[worst]!)) worst = child;
      }
      if (worst === at) return;
      at = swap(heap, at, worst);
    }
  }

  /** The best first. */
  sorted(): RankedPage[] {
    return [...this.#heap].sort(compareRank);
  }
}

function isWorse(a: RankedPage, b: RankedPage): boolean {
  return compareRank(a, b) > 0;
}

function swap(heap: RankedPage[], a: number, b: number): number {
  [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  return b;
}
