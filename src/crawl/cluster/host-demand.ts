/**
 * The division of hosts among workers (W12): how many more hosts a worker can serve, and which it hands over.
 *
 * In: the hosts it holds. Out: a number. A worker takes only as
 * many hosts as keep its requests in progress: a host that waits in the store can be taken by any worker, a
 * host that waits at a busy worker by none.
 *
 * A host keeps as many requests in progress as it may be sent at a time and has URLs for. A host with a delay has
 * one request in progress for the share answer / (answer + delay) of the time. The missing requests are converted
 * to hosts by the average of the held hosts.
 */
import type { Clock } from '../../core/clock.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import type { ClusterView } from '../../store/cluster.ts';
import { type LiveLease, parallelOf } from '../live-leases.ts';
import { isLoopback } from '../unit/host-rules.ts';
import type { Ring } from './ring.ts';

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

const PACE_SAMPLES = 10;

/** Recent pages per second, from a count that is sampled once a second. */
export class Pace {
  readonly #counts: number[] = [];

  add(pages: number): void {
    this.#counts.push(pages);
    if (this.#counts.length > PACE_SAMPLES + 1) this.#counts.shift();
  }

  get pagesPerSecond(): number {
    const seconds = this.#counts.length - 1;
    if (seconds < 1) return 0;
    return Number(((this.#counts.at(-1)! - this.#counts[0]!) / seconds).toFixed(1));
  }
}

/** The value before the first measurement, and the limits of plausible values. */
const [USUAL_MS, QUICKEST_MS, SLOWEST_MS] = [250, 20, 20_000];

/**
 * How long servers take to answer, estimated from the requests in progress and the
 * requests that ended between two measurements.
 */
export class AnswerTime {
  ms = USUAL_MS;

  add(answers: number, underWay: number, sinceMs: number): void {
    if (answers === 0 || underWay === 0) return;
    const seenMs = (underWay * sinceMs) / answers;
    const plausibleMs = Math.min(SLOWEST_MS, Math.max(QUICKEST_MS, seenMs));
    this.ms += (plausibleMs - this.ms) / 2;
  }
}

/**
 * Which hosts a worker hands over to other workers, by the state of the cluster at the last heartbeat.
 *
 * A worker that wants hosts gets some from workers that have more: first the hosts that the ring assigns to
 * it, which were already taken if it joined late, then any. The giver keeps as many hosts as the average,
 * so that hosts do not move back and forth.
 */
export function hostsToHandOver({ slots, workers }: ClusterView, ring: Ring, owner: string): number[] {
  const wanting = new Map<string, number>();
  for (const worker of workers) {
    const fewer = Math.floor((slots.size - worker.liveHosts) / 2);
    const wanted = Math.min(worker.hostsWanted, fewer);
    if (worker.owner !== owner && wanted > 0) wanting.set(worker.name, wanted);
  }
  if (wanting.size === 0) return [];
  const mean = workers.reduce((sum, { liveHosts }) => sum + liveHosts, 0) / workers.length;
  const wanted = wanting.values().reduce((sum, one) => sum + one, 0);
  const spare = Math.max(0, Math.min(Math.floor(slots.size - mean), wanted));
  const ownName = workers.find((worker) => worker.owner === owner)?.name;
  const place = (slot: number): number => {
    const name = ring.ownerOf(slot);
    return name !== null && wanting.has(name) ? 0 : name === ownName ? 2 : 1;
  };
  // A host that several workers share cannot be handed over.
  const whole = [...slots].flatMap(([hostId, slot]) => (slot === null ? [] : [{ hostId, place: place(slot) }]));
  return whole
    .sort((left, right) => left.place - right.place)
    .slice(0, spare)
    .map(({ hostId }) => hostId);
}
