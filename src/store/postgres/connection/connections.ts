/**
 * A few connections to a server. In comes work; it gets the first connection that nobody uses, or else the least used one.
 *
 * What always holds: whoever works alone stays on one connection. The server keeps plans by connection, and reads its catalogues for each:
 * in turn, as a pool hands them out, each of four would have to learn every statement, and hold it in memory.
 */
import type postgres from 'postgres';
import type { ConnectionWatch } from './connection-watch.ts';

/** A client with one connection, which it opens when it is needed, and the watch over it. */
export interface Line {
  readonly client: postgres.Sql;
  readonly watch: ConnectionWatch;
}

const END_TIMEOUT_SECONDS = 2;

export class Connections {
  readonly #lines: readonly Line[];
  /** How many use each. */
  readonly #users: number[];

  constructor(count: number, make: () => Line) {
    this.#lines = Array.from({ length: count }, make);
    this.#users = this.#lines.map(() => 0);
  }

  async lend<T>(work: (line: Line) => Promise<T>): Promise<T> {
    const place = this.#users.indexOf(Math.min(...this.#users));
    this.#users[place]!++;
    try {
      return await work(this.#lines[place]!);
    } finally {
      this.#users[place]!--;
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#lines.map(({ client }) => client.end({ timeout: END_TIMEOUT_SECONDS })));
  }
}
