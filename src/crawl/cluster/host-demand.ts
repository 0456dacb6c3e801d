/**
 * How many more hosts a worker can serve (W12). In: the hosts it holds. Out: a number. A worker takes only as
 * many hosts as keep its requests in progress: a host that waits in the store can be taken by any worker, a
 * host that waits at a busy worker by none.
 *
 * A host keeps as many requests in progress as it may be sent at a time and has URLs for. A host with a delay has
 * one request in progress for the share answer / (answer + delay) of the time. The missing requests are converted
 * to hosts by the average of the held hosts.
 */
import type { Clock } from '../../core/clock.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import { type LiveLease, parallelOf } from '../live-leases.ts';
import { isLoopback } from '../unit/host-rules.ts';

/** Share of the window that is kept in reserve: a finished host is replaced only after a commit and a claim. */
const SPARE_SHARE = 0.5;
/** And this many seconds of work: a fast worker finishes more before new hosts arrive. */
const SPARE_SECONDS = 0.5;
/** Used until the delay of a host is known: the default delay of the politeness rules. */
const USUAL_DELAY_MS = 1_000;
/** Lower limit for the requests of a host: tiny values must not make a worker take thousands of hosts at once. */
const LEAST_A_HOST = 0.02;
/** A worker whose hosts keep less than this share of its window busy is short of work. */
const MIN_BUSY_SHARE = 0.5;

/** The current capacity of the worker. */
export interface Ability {
  /** Requests that may be in progress. */
  readonly window: number;
  readonly pagesPerSecond: number;
  /** How long an answer takes. */
  readonly answerMs: number;
}

export interface HostDemand {
  readonly hosts: number;
  /** The held hosts keep less than half of its requests in progress. */
  readonly isShort: boolean;
}

export function hostDemandOf(
  held: Iterable<LiveLease>,
  { window, pagesPerSecond, answerMs }: Ability,
  options: CrawlOptions,
  clock: Clock,
): HostDemand {
  const nowMs = clock.now();
  let busy = 0;
  let hosts = 0;
  for (const lease of held) {
    if (lease.isLeaving || lease.manners.blockedUntilMs > nowMs) continue;
    hosts++;
    const out = lease.shares.reduce((sum, { ids }) => sum + ids.size, 0);
    const delayMs = delayOf(lease, options);
    const maxParallel = delayMs === 0 ? parallelOf(options.perHost, lease.share) : answerMs / (answerMs + delayMs);
    busy += Math.min(out, maxParallel);
  }
  const enough = window + Math.max(window * SPARE_SHARE, pagesPerSecond * SPARE_SECONDS);
  const aHost = hosts === 0 ? 1 : Math.max(LEAST_A_HOST, busy / hosts);
  return { hosts: Math.max(0, Math.round((enough - busy) / aHost)), isShort: busy < window * MIN_BUSY_SHARE };
}

function delayOf({ host, manners }: LiveLease, { delay }: CrawlOptions): number {
  return Math.max(manners.delayMs ?? 0, delay ?? (isLoopback(host) ? 0 : (manners.delayMs ?? USUAL_DELAY_MS)));
}
