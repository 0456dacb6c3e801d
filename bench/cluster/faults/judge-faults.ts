/** Judges a crawl with faults. In: the observations of the web and of the store. Out: a verdict with its reasons. */
import { type Breach, breachesOf, countPages } from '../web-log.ts';
import type { FaultRun } from './crawl-with-faults.ts';
import { FAULTS, type Fault } from './fault-schedule.ts';

const SHOWN = 3;

export interface FaultVerdict {
  /** Describes the requested manners. */
  readonly title: string;
  readonly pages: number;
  readonly hosts: number;
  readonly workers: number;
  readonly faults: Readonly<Record<Fault, number>>;
  readonly seconds: number;
  readonly stored: number;
  /**
   * Complete responses for pages that had already been answered. A killed worker lost this work, or the store refused
   * it from a worker that had been frozen.
   */
  readonly fetchedAgain: number;
  readonly breaches: number;
  /** One sentence per broken rule. Empty when all rules held. */
  readonly complaints: readonly string[];
}

export function judgeFaults({ size, seconds, faults, requests, copy, complaints }: FaultRun): FaultVerdict {
  const { perHost, delayMs } = size.manners;
  const breaches = breachesOf(requests, size.manners);
  const missed = FAULTS.filter((fault) => faults[fault] !== size.faults[fault]);
  return {
    title: delayMs > 0 ? `a pause of ${delayMs} ms` : `${perHost} requests at once`,
    pages: size.shape.pages,
    hosts: size.shape.hosts,
    workers: size.workers,
    faults,
    seconds,
    stored: copy.pages,
    fetchedAgain: countPages(requests).repeatedPages,
    breaches: breaches.length,
    complaints: [
      ...complaints,
      ...copy.differences,
      ...breaches.slice(0, SHOWN).map(sentence),
      ...(breaches.length > SHOWN ? [`${breaches.length} breaches of manners in all`] : []),
      ...missed.map((fault) => `only ${faults[fault]} of ${size.faults[fault]} faults of the kind ${fault} happened`),
    ],
  };
}

function sentence({ host, rule, found, first, second }: Breach): string {
  const what = rule === 'parallel' ? `${found} requests at once` : `a pause of ${found.toFixed(0)} ms`;
  return `${what} at host ${host} (pages ${first.page} and ${second.page})`;
}
