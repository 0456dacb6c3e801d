/**
 * Parts: all that is known of a host has one number, a hash of the host's name. How many there are is fixed when the crawl is
 * planned. The id of a host tells its part.
 */
import { hash } from 'node:crypto';

export const DEFAULT_PARTS = 16;

export class Parts {
  readonly count: number;

  constructor(count: number) {
    this.count = count;
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
