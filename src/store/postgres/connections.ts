/**
 * A few connections to a server. In comes work; it gets the first connection that nobody uses, or else the least used one.
 *
 * What always holds: whoever works alone stays on one connection. The server keeps plans by connection, and reads its catalogues for each:
 * in turn, as a pool hands them out, each of four would have to learn every statement, and hold it in memory.
 */
import type postgres from 'postgres';

const END_TIMEOUT_SECONDS = 2;

export class Connections {
  readonly #clients: readonly postgres.Sql[];
  /** How many use each. */
  readonly #users: number[];

  /** `make` gives a client with one connection, which it opens when it is needed. */
  constructor(count: number, make: () => postgres.Sql) {
    this.#clients = Array.from({ length: count }, make);
    this.#users = this.#clients.map(() => 0);
  }

  get first(): postgres.Sql {
    return this.#clients[0]!;
  }

  async lend<T>(work: (client: postgres.Sql) => Promise<T>): Promise<T> {
    const place = this.#users.indexOf(Math.min(...this.#users));
    this.#users[place]!++;
    try {
      return await work(this.#clients[place]!);
    } finally {
      this.#users[place]!--;
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end({ timeout: END_TIMEOUT_SECONDS })));
  }
}
