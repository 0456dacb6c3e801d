/** The pages of one host that are to be looked at, best first; each stays until it is done, however often it is handed out. */
export class HostPlan {
  readonly hostId: number;
  /** Nothing of it before this time: the host asked to be left alone, or another process has it. */
  notBeforeMs = 0;
  /** Since when another process has it; null where none has. */
  refusedSinceMs: number | null = null;
  readonly #ids: number[] = [];
  readonly #open = new Set<number>();
  /** All before this are done. */
  #from = 0;

  constructor(hostId: number) {
    this.hostId = hostId;
  }

  get left(): number {
    return this.#open.size;
  }

  /** Whether it was not there. */
  add(id: number): boolean {
    if (this.#open.has(id)) return false;
    this.#open.add(id);
    this.#ids.push(id);
    return true;
  }

  /** The first `limit` that are neither done nor in `besides`. */
  next(limit: number, besides: ReadonlySet<number>): number[] {
    const next: number[] = [];
    while (this.#from < this.#ids.length && !this.#open.has(this.#ids[this.#from]!)) this.#from++;
    for (let i = this.#from; i < this.#ids.length && next.length < limit; i++) {
      const id = this.#ids[i]!;
      if (this.#open.has(id) && !besides.has(id)) next.push(id);
    }
    return next;
  }

  /** Whether it was still open. */
  isDone(id: number): boolean {
    return this.#open.delete(id);
  }
}
