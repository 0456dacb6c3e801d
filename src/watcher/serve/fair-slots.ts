/**
 * Shares a limited number of places (connections, running responses) fairly. In: a client that wants a place, and a
 * callback to take it away again. Out: a place, or none.
 *
 * What always holds: there are never more places than the limit. If all are taken, a new client gets the oldest place
 * of the client with the most places; a client that itself has the most gets none. So neither one client that opens
 * hundreds, nor hundreds that open one each and keep it, can keep others out.
 */
interface Seat {
  readonly giveUp: () => void;
  readonly number: number;
}

export class FairSlots {
  readonly #most: number;
  /** By client, oldest first. */
  readonly #seats = new Map<string, Set<Seat>>();
  #taken = 0;
  #last = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Returns a function that gives the place back, which may be called more than once; null
   * if there is no place for this client.
   */
  take(client: string, giveUp: () => void): (() => void) | null {
    if (this.#taken >= this.#most && !this.free(this.#seats.get(client)?.size ?? 0)) return null;
    const seat = { giveUp, number: ++this.#last };
    const seats = this.#seats.get(client) ?? new Set<Seat>();
    this.#seats.set(client, seats.add(seat));
    this.#taken++;
    return () => this.#leave(client, seat);
  }

  /** Takes a place from the client with the most places, if it has more than `moreThan`. */
  free(moreThan = 0): boolean {
    let most: { readonly client: string; readonly seats: number; readonly oldest: Seat } | null = null;
    for (const [client, seats] of this.#seats) {
      const oldest: Seat = seats.values().next().value!;
      const isMore = most === null || seats.size > most.seats;
      if (isMore || (seats.size === most!.seats && oldest.number < most!.oldest.number)) {
        most = { client, seats: seats.size, oldest };
      }
    }
    if (most === null || most.seats <= moreThan) return false;
    this.#leave(most.client, most.oldest);
    most.oldest.giveUp();
    return true;
  }

  #leave(client: string, seat: Seat): void {
    const seats = this.#seats.get(client);
    if (seats?.delete(seat) !== true) return;
    this.#taken--;
    if (seats.size === 0) this.#seats.delete(client);
  }
}
