/**
 * What goes wrong in a crawl, and when: how much of each kind in, a list in order out.
 *
 * Faults are due by how many pages have been fetched, not by time, so that a slow machine has as many as a fast one and none comes after
 * the end. What always holds: the same seed gives the same list.
 */
import { randomBelow, seededRandom } from '../../web/random.ts';

/** kill: `kill -9` of a worker; freeze: beyond its lease, then thawed; restart, crash: of PostgreSQL; cut: all its connections. */
export const FAULTS = ['kill', 'freeze', 'restart', 'crash', 'cut'] as const;
export type Fault = (typeof FAULTS)[number];
export type FaultCounts = Readonly<Record<Fault, number>>;

export interface DueFault {
  readonly fault: Fault;
  /** Pages that were fetched by then. */
  readonly atPages: number;
  /** Which worker, as a share of those that run. */
  readonly lot: number;
}

/** All fall between these shares of the pages: before, workers only start; after, there may be none left to hit. */
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
    // One in each stretch, anywhere in it: by chance, but not all at once.
    const share = FIRST + ((LAST - FIRST) * (place + random())) / all.length;
    return { fault, atPages: Math.floor(share * pages), lot: random() };
  });
}
