/**
 * Politeness: the one place that decides when a host may be asked. Every request to a host — pages, redirects, robots.txt —
 * passes through the gate of that host, and `begin` throws if it is called early, so that a fault elsewhere ends in an
 * error of ours and never in an impolite request.
 *
 * What always holds, as the server sees it:
 * - A host with a delay has one request at a time, and the next one starts no sooner than the delay after the one before
 *   *ended*. A request arrives before it ends, so two arrivals are never nearer than the delay, however slow the network.
 * - A host without a delay has at most `parallel` requests at a time (C5).
 * - While it is blocked (Retry-After, robots.txt unreachable) it has none.
 * A gate begins with the manners its host was left with, by an earlier lease or an earlier process, so a restart breaks none
 * of this. A host is leased to one holder, so no second gate of it is open; one without a delay may be shared out in parts
 * of its parallelism, whose sum is kept by whoever shares it out.
 * Where others may take the host over when our lease of it runs out, nothing begins unless the lease is surely alive.
 *
 * The clock on the wall may be put back. A request of ours cannot lie ahead: it is taken for one of this instant, so that its
 * delay counts from now. That is never too short, and never longer than once.
 */
import type { Clock } from '../core/clock.ts';
import { LASTING_LEASE, type Lease } from '../core/lease-guard.ts';
import { adaptDelay } from './adaptive-delay.ts';

export interface GateRules {
  readonly parallel: number;
  /** Between requests, whatever the host answers; null adapts to the host. */
  readonly delayMs: number | null;
}

export interface Manners {
  readonly askedAtMs: number;
  readonly delayMs: number | null;
  readonly blockedUntilMs: number;
}

/** How an answer went, as far as manners are concerned. */
export interface Answer {
  readonly tookMs: number;
  /** The host is in trouble: a time-out, a reset, a 5xx. */
  readonly strained: boolean;
  /** The host asked to be left alone until then; 0 when it did not. */
  readonly blockUntilMs: number;
}

/** The host is, or may be, no longer ours to ask: whatever was to be asked is for somebody else, or for later. */
export class LeaseLapsed extends Error {}

export class HostGate {
  readonly #rules: GateRules;
  readonly #clock: Clock;
  readonly #lease: Lease;
  #isShut = false;
  #crawlDelayMs = 0;
  #delayMs: number;
  #askedAtMs: number;
  #blockedUntilMs: number;
  /** The end of the delay that an earlier gate had begun: its Crawl-delay is not known here before robots.txt is. */
  #quietUntilMs: number;
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

  /** The earliest time for the next request; Infinity while it must wait for one under way to end, or for the lease. */
  nextAtMs(): number {
    this.#followClock();
    if (!this.#isOurs) return Number.POSITIVE_INFINITY;
    const delayMs = this.delayMs;
    if (this.#underWay >= (delayMs > 0 ? 1 : this.#rules.parallel)) return Number.POSITIVE_INFINITY;
    return Math.max(this.#blockedUntilMs, this.#quietUntilMs, delayMs > 0 ? this.#askedAtMs + delayMs : 0);
  }

  begin(): void {
    const nowMs = this.#clock.now();
    if (!this.#isOurs) throw new LeaseLapsed('a host was about to be asked that may be no longer ours');
    if (nowMs < this.nextAtMs()) throw new Error('a host was about to be asked sooner than allowed');
    this.#underWay++;
    this.#askedAtMs = nowMs;
  }

  end(answer: Answer): void {
    this.#underWay--;
    this.#askedAtMs = this.#clock.now();
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, answer.blockUntilMs);
    if (this.#rules.delayMs === null) this.#delayMs = adaptDelay(this.#delayMs, answer);
  }

  /** The Crawl-delay of robots.txt; it can lengthen the delay, never shorten it. */
  honour(crawlDelayMs: number | null): void {
    this.#crawlDelayMs = crawlDelayMs ?? 0;
  }

  block(untilMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, untilMs);
  }

  /** The host is somebody else's by now: it opens no more. */
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

  get underWay(): number {
    return this.#underWay;
  }

  get manners(): Manners {
    return { askedAtMs: this.#askedAtMs, delayMs: this.delayMs, blockedUntilMs: this.#blockedUntilMs };
  }
}
