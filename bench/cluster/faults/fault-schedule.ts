/**
 * Plans the faults of a crawl. In: the number of faults of each kind. Out: an ordered list.
 *
 * A fault is due when a number of pages has been fetched, not at a time. So a slow machine gets as many faults as a
 * fast one, and no fault comes after the end. What always holds: the same seed gives the same list.
 */
import { randomBelow, seededRandom } from '../../../testbed/random.ts';

/**
 * kill: `kill -9` of a worker. freeze: a worker is stopped for longer than its lease and then continues. restart,
 * crash: a restart or crash of PostgreSQL. cut: all connections of PostgreSQL are closed.
 */
export const FAULTS = ['kill', 'freeze', 'restart', 'crash', 'cut'] as const;
export type Fault = (typeof FAULTS)[number];
export type FaultCounts = Readonly<Record<Fault, number>>;

export interface DueFault {
  readonly fault: Fault;
  /** The fault is due when this many pages have been fetched. */
  readonly atPages: number;
  /** Chooses the worker, as a share of the running workers. */
  readonly lot: number;
}

/**
 * All faults fall between these shares of the pages. Before the first share workers are still starting; after the last
 * share there may be no worker left to hit.
 */
const FIRST = 0.04;
const LAST = 0.8;

export function scheduleFaults(counts: FaultCounts, pages: number, seed: number): DueFault[] {
  const random = seededRandom(seed, 10);
  const all = FAULTS.flatMap((fault) => Array.from({ length: counts[fault] }, () => fault));
  for (let place = all.length - 1; place > 0; place--) {
    const other = randomBelow(random, place + 1);
    [all[place], all[other]] = [all[other]!, all[place]!];
  }
  return all.map((fault, place) => {
    // One fault in each interval, at a random place in it. So faults are random but do not come all at once.
    const share = FIRST + ((LAST - FIRST) * (place + random())) / all.length;
    return { fault, atPages: Math.floor(share * pages), lot: random() };
  });
}
