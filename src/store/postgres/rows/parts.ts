/**
 * Parts: everything about a host has one part number, a hash of the host's name. The number of parts is fixed when the
 * crawl is planned. The id of a host contains its part.
 *
 * A commit reads and changes each part with separate statements, so parts have a cost: with 16 parts a page
 * takes 1.4 times the CPU time of the server that it takes with 4. Their benefit shows in tables of many
 * gigabytes, where vacuum works on one partition at a time.
 *
 * If a large table has a partition for each part, statements name the partition (`leaf`). A statement over the
 * whole table would be planned again each time, because the server estimates a much higher cost for a plan that
 * fits any part; that took a third of all its work for a page.
 */
import { hash } from 'node:crypto';
import type { LargeTable } from '../schema.ts';

export const DEFAULT_PARTS = 4;
/** The number of parts when they are distributed over servers: several for each server of any realistic cluster. */
export const SPREAD_PARTS = 64;

export class Parts {
  readonly count: number;
  readonly #areCut: boolean;

  /** `areCut`: the large tables have partitions. False if an extension distributes the tables in its own way. */
  constructor(count: number, areCut: boolean) {
    this.count = count;
    this.#areCut = areCut;
  }

  /** The name of the table that has the rows of a part. */
  leaf(schema: string, table: LargeTable, part: number): string {
    return this.#areCut ? `${schema}.${table}_${part}` : `${schema}.${table}`;
  }

  ofName(host: string): number {
    return Number.parseInt(hash('sha256', host).slice(0, 8), 16) % this.count;
  }

  ofHost(hostId: number): number {
    return hostId % this.count;
  }

  /** The part of a row with its own key: a digest in hexadecimal digits, which is as good as a random number. */
  ofDigest(hex: string): number {
    return Number.parseInt(hex.slice(0, 8), 16) % this.count;
  }

  ofPrint(print: number): number {
    return print % this.count;
  }

  hostId(number: number, part: number): number {
    return number * this.count + part;
  }

  /** Groups items by part, ascending. Rows of several parts are always locked in this order. */
  group<T>(items: Iterable<T>, partOf: (item: T) => number): [part: number, items: T[]][] {
    return [...Map.groupBy(items, partOf)].sort(([a], [b]) => a - b);
  }
}
