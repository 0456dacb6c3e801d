/**
 * Parts: all that is known of a host has one number, a hash of the host's name. How many there are is fixed when the crawl is
 * planned. The id of a host tells its part.
 *
 * A commit reads and changes each part by statements of its own, so parts cost: with 16 a page takes the server 1.4 times the CPU time that
 * it takes with 4. What they bring shows in tables of many gigabytes, where vacuum works on one partition at a time.
 *
 * Where a large table is cut into a partition a part, statements name the partition (`leaf`). A statement over the whole table is planned
 * anew each time, because a plan for any part looks many times as dear to the server; that took a third of all it did for a page.
 */
import { hash } from 'node:crypto';
import type { LargeTable } from './schema.ts';

export const DEFAULT_PARTS = 4;
/** Where they are spread over servers: several for each of as many as anybody has. */
export const SPREAD_PARTS = 64;

export class Parts {
  readonly count: number;
  readonly #areCut: boolean;

  /** `areCut`: not so where an engine spreads tables in its own way. */
  constructor(count: number, areCut: boolean) {
    this.count = count;
    this.#areCut = areCut;
  }

  /** Where a large table has the rows of a part. */
  leaf(schema: string, table: LargeTable, part: number): string {
    return this.#areCut ? `${schema}.${table}_${part}` : `${schema}.${table}`;
  }

  ofName(host: string): number {
    return Number.parseInt(hash('sha256', host).slice(0, 8), 16) % this.count;
  }

  ofHost(hostId: number): number {
    return hostId % this.count;
  }

  /** Of what is kept by a key of its own: a digest in hexadecimal digits, which is as good as chance. */
  ofDigest(hex: string): number {
    return Number.parseInt(hex.slice(0, 8), 16) % this.count;
  }

  ofPrint(print: number): number {
    return print % this.count;
  }

  hostId(number: number, part: number): number {
    return number * this.count + part;
  }

  /** By part, ascending: whoever locks rows of several parts does it in this order. */
  group<T>(items: Iterable<T>, partOf: (item: T) => number): [part: number, items: T[]][] {
    return [...Map.groupBy(items, partOf)].sort(([a], [b]) => a - b);
  }
}
