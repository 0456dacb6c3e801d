/**
 * Politeness: the one place that decides when a host may be asked. Every request to a host (pages, redirects,
 * robots.txt) passes through the gate of that host. `begin` throws if it is called early, so a bug elsewhere ends in an
 * error and never in an impolite request.
 *
 * What always holds, as the server sees it:
 * - A host with a delay gets one request at a time. The next request starts no sooner than the delay after the
 *   previous request *ended*. A request arrives before it ends, so two arrivals are never closer than the delay,
 *   however slow the network is.
 * - A host without a delay gets at most `parallel` requests at a time (C5).
 * - A blocked host (Retry-After, robots.txt unreachable) gets no request.
 *
 * A gate starts with the manners that an earlier lease or an earlier process stored for its host, so a restart
 * does not break these rules. A host is leased to one holder, so it never has a second open gate. A host without a
 * delay may be shared: each holder gets a part of its parallelism, and the code that shares the host keeps the sum
 * within the limit. Where another worker may take the host over when our lease ends, a request begins only while
 * the lease is certainly valid.
 *
 * The wall clock may be set back. The last request then seems to lie in the future. The gate treats it as a request of
 * this moment, so its delay counts from now. The wait is never too short, and never longer than one delay.
 */
import type { Clock } from '../core/clock.ts';
import { LASTING_LEASE, type Lease } from '../core/lease-expiry.ts';

export interface GateRules {
  readonly parallel: number;
  /** The delay between requests, whatever the host answers. Null adapts the delay to the host. */
  readonly delayMs: number | null;
}

export interface Manners {
  readonly askedAtMs: number;
  readonly delayMs: number | null;
  readonly blockedUntilMs: number;
}

/** The properties of a response that matter for politeness. */
export interface Answer {
  readonly tookMs: number;
  /** True if the host is in trouble: a timeout, a connection reset or a 5xx. */
  readonly strained: boolean;
  /** The host asked for no requests until this time. 0 if it did not ask. */
  readonly blockUntilMs: number;
}

/** Thrown when the lease of the host has ended or may have ended. Another worker asks the host, or we ask it later. */
export class LeaseExpiredError extends Error {}

export class HostGate {
  readonly #rules: GateRules;
  readonly #clock: Clock;
  readonly #lease: Lease;
  #isShut = false;
  #crawlDelayMs = 0;
  #delayMs: number;
  #askedAtMs: number;
  #blockedUntilMs: number;
  /**
   * The end of the delay that an earlier gate began. This gate does not know the Crawl-delay before it has robots.txt.
   */
  #quietUntilMs: number;
  #lastPauseMs = 0;
  #underWay = 0;

  constructor(rules: GateRules, manners: Manners, clock: Clock, lease: Lease = LASTING_LEASE) {
    this.#rules = rules;
    this.#clock = clock;
    this.#lease = lease;
    this.#askedAtMs = manners.askedAtMs;
    this.#blockedUntilMs = manners.blockedUntilMs;
    this.#quietUntilMs = manners.askedAtMs + (manners.delayMs ?? 0);
    this.#delayMs = rules.delayMs ?? manners.delayMs ?? adaptDelay(null, null);
    this.#followClock();
  }

  #followClock(): void {
    const aheadMs = this.#askedAtMs - this.#clock.now();
    if (aheadMs <= 0) return;
    this.#askedAtMs -= aheadMs;
    this.#quietUntilMs -= aheadMs;
  }

  /** The earliest time for the next request. Infinity while the gate waits for a running request or for the lease. */
  nextAtMs(): number {
    this.#followClock();
    if (!this.#isOurs) return Number.POSITIVE_INFINITY;
    const delayMs = this.delayMs;
    if (this.#underWay >= (delayMs > 0 ? 1 : this.#rules.parallel)) return Number.POSITIVE_INFINITY;
    return Math.max(this.#blockedUntilMs, this.#quietUntilMs, delayMs > 0 ? this.#askedAtMs + delayMs : 0);
  }

  begin(): void {
    const nowMs = this.#clock.now();
    if (!this.#isOurs) throw new LeaseExpiredError('a host was about to be asked that may be no longer ours');
    if (nowMs < this.nextAtMs()) throw new Error('a request to a host would start sooner than allowed');
    this.#underWay++;
    if (this.#blockedUntilMs > this.#askedAtMs) this.#lastPauseMs = this.#blockedUntilMs - this.#askedAtMs;
    this.#askedAtMs = nowMs;
  }

  end(answer: Answer): void {
    this.#underWay--;
    this.#askedAtMs = this.#clock.now();
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, answer.blockUntilMs);
    if (answer.blockUntilMs === 0) this.#lastPauseMs = 0;
    if (this.#rules.delayMs === null) this.#delayMs = adaptDelay(this.#delayMs, answer);
  }

  /** Sets the Crawl-delay of robots.txt. It can lengthen the delay but never shorten it. */
  honour(crawlDelayMs: number | null): void {
    this.#crawlDelayMs = crawlDelayMs ?? 0;
  }

  block(untilMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, untilMs);
  }

  /** Closes the gate for good, because another holder has the host now. */
  shut(): void {
    this.#isShut = true;
  }

  get isShut(): boolean {
    return this.#isShut;
  }

  get #isOurs(): boolean {
    return !this.#isShut && this.#lease.isGood();
  }

  get delayMs(): number {
    return Math.max(this.#delayMs, this.#crawlDelayMs);
  }

  /** The length of the block that ended last; 0 if a request since then had a result that did not block the host. */
  get lastPauseMs(): number {
    return this.#lastPauseMs;
  }

  get underWay(): number {
    return this.#underWay;
  }

  get manners(): Manners {
    return { askedAtMs: this.#askedAtMs, delayMs: this.delayMs, blockedUntilMs: this.#blockedUntilMs };
  }
}

/**
 * The delay of a host for which the user set no delay. It is a multiple of the host's response time, so
 * that a server under load gets fewer requests. It is at least one second and at most 30 seconds. It
 * doubles each time the host shows strain.
 */
const LEAST_MS = 1_000;
const MOST_MS = 30_000;
/** With this factor the host works for us at most a fifth of the time. */
const FACTOR = 4;
/** The share by which one response moves the delay. */
const WEIGHT = 0.25;

export function adaptDelay(
  delayMs: number | null,
  answer: { readonly tookMs: number; readonly strained: boolean } | null,
): number {
  if (delayMs === null || answer === null) return LEAST_MS;
  const aim = answer.strained ? delayMs * 2 : answer.tookMs * FACTOR;
  const moved = answer.strained ? aim : delayMs + (aim - delayMs) * WEIGHT;
  return Math.round(Math.min(MOST_MS, Math.max(LEAST_MS, moved)));
}
