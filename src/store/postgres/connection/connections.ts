/**
 * A few connections to a server. In: work. Out: its results, over a free connection or else the least used one.
 *
 * What always holds: while only one caller works, it stays on one connection. The server keeps plans and reads its
 * catalogues for each connection. A pool that hands out its connections in turn would make each of four
 * connections learn every statement and hold it in memory.
 */
import type postgres from 'postgres';
import type { ConnectionMonitor } from './connection-monitor.ts';

/** A client with one connection, which it opens when it is needed, and the watch over that connection. */
export interface Line {
  readonly client: postgres.Sql;
  readonly watch: ConnectionMonitor;
}

const END_TIMEOUT_SECONDS = 2;

export class Connections {
  readonly #lines: readonly Line[];
  /** The number of users of each connection. */
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
