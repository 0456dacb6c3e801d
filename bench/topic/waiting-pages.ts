/** A binary heap of waiting pages: the most promising page first, equal pages in the order of arrival. */
interface Entry {
  readonly page: number;
  readonly promise: number;
  readonly place: number;
}

export class WaitingPages {
  readonly #heap: Entry[] = [];
  #places = 0;

  push(page: number, promise: number): void {
    const entry = { page, promise, place: this.#places++ };
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!goesFirst(entry, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  /** Returns -1 when no page waits. */
  pop(): number {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined) return -1;
    if (heap.length === 0) return top.page;
    let at = 0;
    for (let child = 1; child < heap.length; child = at * 2 + 1) {
      if (child + 1 < heap.length && goesFirst(heap[child + 1]!, heap[child]!)) child++;
      if (!goesFirst(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top.page;
  }
}

function goesFirst(left: Entry, right: Entry): boolean {
  return left.promise > right.promise || (left.promise === right.promise && left.place < right.place);
}
