/**
 * Shares a limited number of slots (connections, running responses) fairly. In: a client that wants a slot, and a
 * callback to take it away again. Out: a slot, or none.
 *
 * What always holds: there are never more slots than the limit. If all are taken, a new client gets the oldest slot
 * of the client with the most slots; a client that itself has the most gets none. So neither one client that opens
 * hundreds, nor hundreds that open one each and keep it, can keep others out.
 */
interface Slot {
  readonly onLost: () => void;
  readonly number: number;
}

export class FairSlots {
  readonly #max: number;
  /** By client, oldest first. */
  readonly #slots = new Map<string, Set<Slot>>();
  #taken = 0;
  #last = 0;

  constructor(most: number) {
    this.#max = most;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Returns a function that releases the slot, which may be called more than once; null
   * if there is no slot for this client.
   */
  take(client: string, onLost: () => void): (() => void) | null {
    if (this.#taken >= this.#max && !this.free(this.#slots.get(client)?.size ?? 0)) return null;
    const slot = { onLost, number: ++this.#last };
    const slots = this.#slots.get(client) ?? new Set<Slot>();
    this.#slots.set(client, slots.add(slot));
    this.#taken++;
    return () => this.#leave(client, slot);
  }

  /** Takes a slot from the client with the most slots, if it has more than `moreThan`. */
  free(moreThan = 0): boolean {
    let most: { readonly client: string; readonly slots: number; readonly oldest: Slot } | null = null;
    for (const [client, slots] of this.#slots) {
      const oldest: Slot = slots.values().next().value!;
      const isMore = most === null || slots.size > most.slots;
      if (isMore || (slots.size === most!.slots && oldest.number < most!.oldest.number)) {
        most = { client, slots: slots.size, oldest };
      }
    }
    if (most === null || most.slots <= moreThan) return false;
    this.#leave(most.client, most.oldest);
    most.oldest.onLost();
    return true;
  }

  #leave(client: string, slot: Slot): void {
    const slots = this.#slots.get(client);
    if (slots?.delete(slot) !== true) return;
    this.#taken--;
    if (slots.size === 0) this.#slots.delete(client);
  }
}
