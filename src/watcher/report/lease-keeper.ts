/**
 * Allows one crawler at a time (W7). A crawler holds the lease until it releases the lease or the time is up. In:
 * takes, renewals and releases. Out: a token or a refusal. What always holds: there are never two holders, not even
 * across a kill, because each decision is made alone and is on the disk before it is answered. If a crawler that the
 * owner knows takes the lease, the lease of an unknown crawler ends early.
 *
 * While the watcher runs, time comes from a monotonic clock. After a restart, the elapsed time comes
 * from the wall clock or the uptime of the machine, whichever gives the holder more time, but the
 * lease never lasts longer than its duration.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { uptime } from 'node:os';
import { SerialQueue } from '../memory/serial-queue.ts';
import { forgetLease, type KeptLease, readLease, writeLease } from './lease-file.ts';

/** When a released site may be taken again: after a change (`event`), or some time after it was taken (`time`). */
const LEASE_RESETS = ['event', 'time'] as const;
export type LeaseReset = (typeof LEASE_RESETS)[number];

const LEASE_RULES = {
  reset: 'time' as LeaseReset,
  /** For the reset `time`: the time from one take to the next. */
  restMs: 0,
  longestMs: 3_600_000,
  /** The longest time for a crawler that the owner does not know. */
  anonymousMs: Number.POSITIVE_INFINITY,
  /** Used if the crawler does not ask for a duration. */
  usualMs: 600_000,
};
export type LeaseRules = Readonly<typeof LEASE_RULES>;

export interface LeaseClock {
  now(): number;
  /** Milliseconds of a monotonic clock. */
  steadyMs(): number;
  /** The uptime of the machine. */
  uptimeMs(): number;
}

/** The lease as the head of a report shows it. */
export type LeaseView =
  | { readonly by: 'server' | 'log' | 'none'; readonly held: false }
  | {
      readonly by: 'server' | 'log';
      readonly held: true;
      readonly holder: string;
      readonly untilMs: number;
      readonly token?: string;
    };

export type TakeOutcome =
  | { readonly isGiven: true; readonly lease: LeaseView & { held: true; token: string }; readonly forMs: number }
  | { readonly isGiven: false; readonly lease: LeaseView; readonly retryAfterMs: number };

export interface TakeRequest {
  readonly holder: string;
  readonly forMs: number | null;
  /** The token of the current holder, for a renewal. */
  readonly token: string | null;
  /** The number of the last change at that time. Later changes are new to the holder. */
  readonly seq: number;
  /** The owner knows this crawler. The lease of an unknown crawler does not block it. */
  readonly isKnown?: boolean;
  /** An upper limit for the duration, in addition to the rules. */
  readonly mostMs?: number;
}

/** The time of the next change cannot be predicted. */
const EVENT_RETRY_MS = 60_000;

export class LeaseKeeper {
  readonly #file: string;
  readonly #rules: LeaseRules;
  readonly #clock: LeaseClock;
  #kept: KeptLease | null;
  /** On the monotonic clock. */
  #endsAt = 0;
  #restsUntil = 0;
  /** No renewal goes beyond this time. */
  #heldAtMost = 0;
  readonly #turns = new SerialQueue();
  #given = 0;

  private constructor(file: string, rules: LeaseRules, clock: LeaseClock, kept: KeptLease | null) {
    this.#file = file;
    this.#rules = rules;
    this.#clock = clock;
    this.#kept = kept;
    if (kept === null) return;
    const agoMs = timeSince(kept, clock);
    this.#endsAt = clock.steadyMs() + Math.max(0, kept.forMs - agoMs);
    // The time between the take and the last renewal counts for both limits.
    const takenAgoMs = kept.untilMs - kept.forMs - kept.takenAtMs + agoMs;
    this.#restsUntil = clock.steadyMs() + Math.max(0, rules.restMs - takenAgoMs);
    this.#heldAtMost = clock.steadyMs() + Math.max(0, this.#longestMs(kept) - takenAgoMs);
  }

  /** A damaged file counts as a lease of an unknown holder, so the longest time must pass first. */
  static async open(
    file: string,
    rules: Partial<LeaseRules> = {},
    clock: LeaseClock = leaseClock,
  ): Promise<LeaseKeeper> {
    const all = { ...LEASE_RULES, ...rules };
    return new LeaseKeeper(file, all, clock, await readLease(file, clock.now(), all.longestMs));
  }

  /** Number of takes and renewals. Together with `view` it shows whether anything has changed. */
  get given(): number {
    return this.#given;
  }

  view(by: 'server' | 'log' = 'server'): LeaseView {
    const held = this.#held();
    if (held === null) return { by, held: false };
    const untilMs = Math.round(this.#clock.now() + this.#endsAt - this.#clock.steadyMs());
    return { by, held: true, holder: held.holder, untilMs };
  }

  /** Checks whether the request would be refused. The check costs nothing. */
  refusal(request: TakeRequest): (TakeOutcome & { isGiven: false }) | null {
    const lease = this.view();
    const held = this.#held();
    const refused = (retryAfterMs: number) => ({
      isGiven: false as const,
      lease,
      retryAfterMs: Math.max(1, retryAfterMs),
    });
    if (this.#isOf(request) && this.#heldAtMost > this.#clock.steadyMs()) return null;
    if (this.#kept !== null && request.isKnown === true && this.#kept.isKnown !== true) return null;
    if (held !== null) return refused(this.#endsAt - this.#clock.steadyMs());
    // The token is not the last one: another crawler has held the lease in between.
    if (request.token !== null) return refused(1);
    if (this.#kept === null || !this.#kept.isReleased) return null;
    if (this.#rules.reset === 'event') return request.seq > this.#kept.seq ? null : refused(EVENT_RETRY_MS);
    const restMs = this.#restsUntil - this.#clock.steadyMs();
    return restMs > 0 ? refused(restMs) : null;
  }

  take(request: TakeRequest): Promise<TakeOutcome> {
    return this.#turns.take(async () => {
      const refusal = this.refusal(request);
      if (refusal !== null) return refusal;
      const isRenewal = this.#isOf(request);
      const { usualMs, restMs } = this.#rules;
      const steady = this.#clock.steadyMs();
      const longestMs = Math.min(this.#longestMs(request), request.mostMs ?? Number.POSITIVE_INFINITY);
      const roomMs = isRenewal ? this.#heldAtMost - steady : longestMs;
      const forMs = Math.max(1, Math.floor(Math.min(request.forMs ?? usualMs, roomMs)));
      const nowMs = this.#clock.now();
      const before = isRenewal ? this.#kept! : null;
      const lease: KeptLease = {
        holder: request.holder,
        token: before?.token ?? randomBytes(16).toString('base64url'),
        takenAtMs: before?.takenAtMs ?? nowMs,
        untilMs: nowMs + forMs,
        forMs,
        uptimeMs: this.#clock.uptimeMs(),
        seq: before?.seq ?? request.seq,
        isReleased: false,
        isKnown: request.isKnown === true,
      };
      await writeLease(this.#file, lease);
      this.#kept = lease;
      this.#given++;
      this.#endsAt = steady + forMs;
      if (before === null) {
        this.#restsUntil = steady + restMs;
        this.#heldAtMost = steady + longestMs;
      }
      const { holder, token, untilMs } = lease;
      return { isGiven: true, lease: { by: 'server', held: true, holder, untilMs, token }, forMs };
    });
  }

  /** For the access log, whose readers have no token. The holder may ask again under the same name. */
  takeByName(request: Omit<TakeRequest, 'token'>): Promise<TakeOutcome> {
    const held = this.#held();
    return this.take({ ...request, token: held?.holder === request.holder ? held.token : null });
  }

  /** False if the token does not belong to the lease. A repeated release gets the same answer. */
  release(token: string): Promise<boolean> {
    return this.#turns.take(async () => {
      if (this.#kept === null || !isSame(this.#kept.token, token)) return false;
      if (this.#kept.isReleased) return true;
      const released = { ...this.#kept, isReleased: true };
      await writeLease(this.#file, released);
      this.#kept = released;
      return true;
    });
  }

  /** Undoes a take whose answer never reached the crawler. */
  takeBack(token: string): Promise<void> {
    return this.#turns.take(async () => {
      if (!isSame(this.#kept?.token ?? '', token)) return;
      await forgetLease(this.#file);
      this.#kept = null;
    });
  }

  #held(): KeptLease | null {
    const kept = this.#kept;
    return kept === null || kept.isReleased || this.#clock.steadyMs() >= this.#endsAt ? null : kept;
  }

  /** Also true after the time is up. As long as no other crawler took the lease, it can be renewed. */
  #isOf({ holder, token }: TakeRequest): boolean {
    const kept = this.#kept;
    return kept !== null && !kept.isReleased && isSame(kept.token, token) && kept.holder === holder;
  }

  #longestMs({ isKnown }: { readonly isKnown?: boolean }): number {
    const { longestMs, anonymousMs } = this.#rules;
    return isKnown === true ? longestMs : Math.min(longestMs, anonymousMs);
  }
}

/**
 * Compares in constant time, so that the duration of a refusal reveals nothing about a token. The empty token of an
 * unreadable file matches nobody.
 */
function isSame(token: string, given: string | null): boolean {
  if (given === null || token === '' || given.length !== token.length) return false;
  return timingSafeEqual(Buffer.from(token), Buffer.from(given));
}

/**
 * The time since the lease was given or last renewed. The smaller value of the two clocks counts, because either clock
 * may have been set or restarted.
 */
function timeSince({ untilMs, forMs, uptimeMs }: KeptLease, clock: LeaseClock): number {
  const byWall = Math.max(0, clock.now() - (untilMs - forMs));
  const byUptime = clock.uptimeMs() - uptimeMs;
  return byUptime < 0 ? byWall : Math.min(byWall, byUptime);
}

export const leaseClock: LeaseClock = {
  now: Date.now,
  steadyMs: () => performance.now(),
  uptimeMs: () => Math.round(uptime() * 1_000),
};
