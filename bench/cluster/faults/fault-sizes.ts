/** Sizes of a crawl with faults: the small one is for the tests, the large one for the benchmark. */
import { type ManyHostsShape, USUAL_PORT } from '../many-hosts.ts';
import type { Manners } from '../web-log.ts';
import type { FaultCounts } from './fault-schedule.ts';

export interface FaultSize {
  readonly shape: ManyHostsShape;
  readonly faults: FaultCounts;
  readonly workers: number;
  readonly manners: Manners;
  readonly leaseMs: number;
  /** Error of the clock of one worker. */
  readonly clockShiftMs: number;
  readonly seed: number;
  readonly timeoutMs: number;
}

/**
 * One request at a time with a pause, or several requests at once without a pause. Both limits hold
 * for all workers together.
 */
export const WITH_PAUSES: Manners = { perHost: 1, delayMs: 150 };
export const SIDE_BY_SIDE: Manners = { perHost: 3, delayMs: 0 };

const HOUR_MS = 3_600_000;

export function smallSize(manners: Manners, port: number): FaultSize {
  return {
    shape: { seed: 1, pages: 300, hosts: 30, network: '127.77', port, leaves: 1, isPrompt: false },
    faults: { kill: 4, freeze: 1, restart: 1, crash: 1, cut: 1 },
    workers: 3,
    manners,
    leaseMs: 2_000,
    clockShiftMs: HOUR_MS,
    seed: 1,
    timeoutMs: 240_000,
  };
}

export function largeSize(manners: Manners, pages: number, hosts: number, seed: number): FaultSize {
  return {
    shape: { seed, pages, hosts, network: '127.77', port: USUAL_PORT, leaves: 1, isPrompt: false },
    faults: { kill: 30, freeze: 5, restart: 5, crash: 1, cut: 5 },
    workers: 4,
    manners,
    leaseMs: 3_000,
    clockShiftMs: HOUR_MS,
    seed,
    timeoutMs: 900_000,
  };
}
