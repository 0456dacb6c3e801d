/**
 * The pages of one host that are to be visited, best first. Each page stays until it is
 * done, however often it is handed out.
 */
export class HostPlan {
  readonly hostId: number;
  /** The host is not visited before this time: it asked to be left alone, or another process has it. */
  notBeforeMs = 0;
  /** Since when another process has the host; null if none has. */
  refusedSinceMs: number | null = null;
  readonly #ids: number[] = [];
  readonly #open = new Set<number>();
  /** All pages before this index are done. */
  #from = 0;

  constructor(hostId: number) {
    this.hostId = hostId;
  }

  get left(): number {
    return this.#open.size;
  }

  /** Returns false if the page was already there. */
  add(id: number): boolean {
    if (this.#open.has(id)) return false;
    this.#open.add(id);
    this.#ids.push(id);
    return true;
  }

  /** The first `limit` pages that are neither done nor in `besides`. */
  next(limit: number, besides: ReadonlySet<number>): number[] {
    const next: number[] = [];
    while (this.#from < this.#ids.length && !this.#open.has(this.#ids[this.#from]!)) this.#from++;
    for (let i = this.#from; i < this.#ids.length && next.length < limit; i++) {
      const id = this.#ids[i]!;
      if (this.#open.has(id) && !besides.has(id)) next.push(id);
    }
    return next;
  }

  /** Marks a page as done. Returns whether it was still open. */
  markDone(id: number): boolean {
    return this.#open.delete(id);
  }
}
