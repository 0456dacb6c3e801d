/**
 * How many more hosts a worker can serve (W12): the hosts it holds in, a number out. It takes no more than keep its requests under way,
 * because a host that waits in the store can be taken by anybody, and one that waits with a busy worker by nobody.
 *
 * A host keeps as many requests under way as it may be sent at a time and has URLs for; one with a delay keeps its only one under way
 * for as long as an answer takes, of an answer and a delay. What is missing is asked for in hosts like those held.
 */
import type { Clock } from '../../core/clock.ts';
import type { CrawlOptions } from '../../core/options.ts';
import { isLoopback } from '../host-rules.ts';
import { type LiveLease, parallelOf } from '../live-leases.ts';

/** Of the window, kept at hand besides: a host that is done is replaced only after a commit and a claim. */
const SPARE_SHARE = 0.5;
/** And so many seconds of work: the quicker a worker, the more is over before there is more. */
const SPARE_SECONDS = 0.5;
/** Before a host has shown its own: what politeness asks for by default. */
const USUAL_DELAY_MS = 1_000;
/** So little of a request under way is no reason to take thousands of hosts at once. */
const LEAST_A_HOST = 0.02;
/** Below so much of its window a worker is short of work. */
const HUNGRY_SHARE = 0.5;

/** What it can do now. */
export interface Ability {
  /** Requests that may be under way. */
  readonly window: number;
  readonly pagesPerSecond: number;
  /** How long an answer takes. */
  readonly answerMs: number;
}

export interface Appetite {
  readonly hosts: number;
  /** What it holds keeps less than half of its requests under way. */
  readonly isHungry: boolean;
}

export function appetiteOf(
  held: Iterable<LiveLease>,
  { window, pagesPerSecond, answerMs }: Ability,
  options: CrawlOptions,
  clock: Clock,
): Appetite {
  const nowMs = clock.now();
  let busy = 0;
  let hosts = 0;
  for (const lease of held) {
    if (lease.isLeaving || lease.manners.blockedUntilMs > nowMs) continue;
    hosts++;
    const out = lease.shares.reduce((sum, { ids }) => sum + ids.size, 0);
    const delayMs = delayOf(lease, options);
    const mostAtOnce = delayMs === 0 ? parallelOf(options.perHost, lease.share) : answerMs / (answerMs + delayMs);
    busy += Math.min(out, mostAtOnce);
  }
  const enough = window + Math.max(window * SPARE_SHARE, pagesPerSecond * SPARE_SECONDS);
  const aHost = hosts === 0 ? 1 : Math.max(LEAST_A_HOST, busy / hosts);
  return { hosts: Math.max(0, Math.round((enough - busy) / aHost)), isHungry: busy < window * HUNGRY_SHARE };
}

function delayOf({ host, manners }: LiveLease, { delay }: CrawlOptions): number {
  return Math.max(manners.delayMs ?? 0, delay ?? (isLoopback(host) ? 0 : (manners.delayMs ?? USUAL_DELAY_MS)));
}
