/** What a crawl under faults comes to: what the web and the store saw in, a verdict with its reasons out. */
import { type Breach, breachesOf, countPages } from '../web-log.ts';
import type { FaultRun } from './crawl-with-faults.ts';
import { FAULTS, type Fault } from './fault-schedule.ts';

const SHOWN = 3;

export interface FaultVerdict {
  /** The manners that were asked for. */
  readonly title: string;
  readonly pages: number;
  readonly hosts: number;
  readonly workers: number;
  readonly faults: Readonly<Record<Fault, number>>;
  readonly seconds: number;
  readonly stored: number;
  /** Whole answers for pages that had been answered before: work that died with a worker or was refused to a thawed one. */
  readonly fetchedAgain: number;
  readonly breaches: number;
  /** One sentence each; none where all held. */
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
