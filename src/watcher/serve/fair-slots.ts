/**
 * A limited number of places (connections, answers under way), shared fairly. In: who wants one, and how to take it
 * away again. Out: a
 * place, or none.
 *
 * Invariants: never more places than there are. Where all are taken, a newcomer gets that of the client with the most
 * of them, the oldest
 * first; a client that has the most itself gets none. So one who opens hundreds, and hundreds who open one each and
 * keep it, cannot
 * keep others out.
 */
interface Seat {
  readonly giveUp: () => void;
  readonly number: number;
}

export class FairSeats {
  readonly #most: number;
  /** By client; the oldest first. */
  readonly #seats = new Map<string, Set<Seat>>();
  #taken = 0;
  #last = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Returns how to give it back, which may be called more than once; null where there is none for this client. */
  take(client: string, giveUp: () => void): (() => void) | null {
    if (this.#taken >= this.#most && !this.free(this.#seats.get(client)?.size ?? 0)) return null;
    const seat = { giveUp, number: ++this.#last };
    const seats = this.#seats.get(client) ?? new Set<Seat>();
    this.#seats.set(client, seats.add(seat));
    this.#taken++;
    return () => this.#leave(client, seat);
  }

  /** Takes a place from the client with the most, if it has more than that many. */
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
