/**
 * Hosts that the controller has itself, beside those that its units work on: what it asks them has to end like everything else when they
 * are lost. In: a host, and what ends it. Out: their ids, for the beats.
 */
export class HostHolds {
  readonly #ends = new Map<number, Set<() => void>>();

  /** Returns what lets go of it. */
  add(hostId: number, onLoss: () => void): () => void {
    const ends = this.#ends.get(hostId) ?? new Set();
    this.#ends.set(hostId, ends.add(onLoss));
    return () => {
      ends.delete(onLoss);
      if (ends.size === 0 && this.#ends.get(hostId) === ends) this.#ends.delete(hostId);
    };
  }

  get hostIds(): readonly number[] {
    return [...this.#ends.keys()];
  }

  /** Nothing is asked there any more when this returns. */
  lose(hostIds: readonly number[]): void {
    for (const id of hostIds) {
      for (const end of this.#ends.get(id) ?? []) end();
      this.#ends.delete(id);
    }
  }
}
