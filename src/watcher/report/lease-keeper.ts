/**
 * One crawler at a time (W7). Whoever takes the lease holds it until it is released or its time is up. Takes, renewals and
 * releases come in; a token or a refusal goes out. Always holds: never two holders, not across a kill either: each
 * decision is made alone and is on the disk before it is answered. The lease of a crawler that the owner does not know
 * ends early where one
 * takes it that the owner knows.
 *
 * While the watcher runs, time is that of a clock that is never set. A restart is bridged by the wall clock and by how long the machine
 * has been up, whichever gives the holder more, but for no longer than the lease was given for.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { uptime } from 'node:os';
import { forgetLease, type KeptLease, readLease, writeLease } from './lease-file.ts';

/** When a site may be taken again after it was released: once something changed, or some time after it was taken. */
export const LEASE_RESETS = ['event', 'time'] as const;
export type LeaseReset = (typeof LEASE_RESETS)[number];

export interface LeaseRules {
  readonly reset: LeaseReset;
  /** Of the strategy `time`: how long after it was taken. */
  readonly restMs: number;
  readonly longestMs: number;
  /** The same for a crawler that the owner does not know. */
  readonly anonymousMs: number;
  /** Where the crawler does not say. */
  readonly usualMs: number;
}

export const LEASE_RULES: LeaseRules = {
  reset: 'time',
  restMs: 0,
  longestMs: 3_600_000,
  anonymousMs: Number.POSITIVE_INFINITY,
  usualMs: 600_000,
};

export interface LeaseClock {
  now(): number;
  /** Milliseconds of a clock that only goes on. */
  steadyMs(): number;
  /** How long the machine has been up. */
  uptimeMs(): number;
}

/** What the head of a report says. */
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
  /** Of who has it already. */
  readonly token: string | null;
  /** The last change at that time: what comes after is news to the holder. */
  readonly seq: number;
  /** The owner knows this crawler: the lease of one that is not known is no bar to it. */
  readonly isKnown?: boolean;
  /** No longer than that, whatever the rules allow. */
  readonly mostMs?: number;
}

/** Nobody can say when a page will change next. */
const EVENT_RETRY_MS = 60_000;

export class LeaseKeeper {
  readonly #file: string;
  readonly #rules: LeaseRules;
  readonly #clock: LeaseClock;
  #kept: KeptLease | null;
  /** By the steady clock. */
  #endsAt = 0;
  #restsUntil = 0;
  /** No renewal goes beyond this. */
  #heldAtMost = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #given = 0;

  private constructor(file: string, rules: LeaseRules, clock: LeaseClock, kept: KeptLease | null) {
    this.#file = file;
    this.#rules = rules;
    this.#clock = clock;
    this.#kept = kept;
    if (kept === null) return;
    const agoMs = timeSince(kept, clock);
    this.#endsAt = clock.steadyMs() + Math.max(0, kept.forMs - agoMs);
    // How long before its last renewal it was taken belongs to both.
    const takenAgoMs = kept.untilMs - kept.forMs - kept.takenAtMs + agoMs;
    this.#restsUntil = clock.steadyMs() + Math.max(0, rules.restMs - takenAgoMs);
    this.#heldAtMost = clock.steadyMs() + Math.max(0, this.#longestMs(kept) - takenAgoMs);
  }

  /** A file that is damaged counts as a lease that nobody has: the longest time is waited for first. */
  static async open(
    file: string,
    rules: Partial<LeaseRules> = {},
    clock: LeaseClock = leaseClock,
  ): Promise<LeaseKeeper> {
    const all = { ...LEASE_RULES, ...rules };
    return new LeaseKeeper(file, all, clock, await readLease(file, clock.now(), all.longestMs));
  }

  /** How often it was given or renewed: with `view` this says whether anything is different. */
  get given(): number {
    return this.#given;
  }

  view(by: 'server' | 'log' = 'server'): LeaseView {
    const held = this.#held();
    if (held === null) return { by, held: false };
    const untilMs = Math.round(this.#clock.now() + this.#endsAt - this.#clock.steadyMs());
    return { by, held: true, holder: held.holder, untilMs };
  }

  /** Whether it would be refused, for a question that costs nothing. */
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
    // A token that is not the last one: another has had it in between.
    if (request.token !== null) return refused(1);
    if (this.#kept === null || !this.#kept.isReleased) return null;
    if (this.#rules.reset === 'event') return request.seq > this.#kept.seq ? null : refused(EVENT_RETRY_MS);
    const restMs = this.#restsUntil - this.#clock.steadyMs();
    return restMs > 0 ? refused(restMs) : null;
  }

  take(request: TakeRequest): Promise<TakeOutcome> {
    return this.#alone(async () => {
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

  /** By the access log, whose readers have no token: whoever holds it may ask again under the same name. */
  takeByName(request: Omit<TakeRequest, 'token'>): Promise<TakeOutcome> {
    const held = this.#held();
    return this.take({ ...request, token: held?.holder === request.holder ? held.token : null });
  }

  /** False: the token is not that of the lease. Who releases twice is told the same twice. */
  release(token: string): Promise<boolean> {
    return this.#alone(async () => {
      if (this.#kept === null || !isSame(this.#kept.token, token)) return false;
      if (this.#kept.isReleased) return true;
      const released = { ...this.#kept, isReleased: true };
      await writeLease(this.#file, released);
      this.#kept = released;
      return true;
    });
  }

  /** Given, but never told to who asked: as if it had not been. */
  takeBack(token: string): Promise<void> {
    return this.#alone(async () => {
      if (!isSame(this.#kept?.token ?? '', token)) return;
      await forgetLease(this.#file);
      this.#kept = null;
    });
  }

  #held(): KeptLease | null {
    const kept = this.#kept;
    return kept === null || kept.isReleased || this.#clock.steadyMs() >= this.#endsAt ? null : kept;
  }

  /** Also when its time is up: as long as nobody else took it, nobody was between. */
  #isOf({ holder, token }: TakeRequest): boolean {
    const kept = this.#kept;
    return kept !== null && !kept.isReleased && isSame(kept.token, token) && kept.holder === holder;
  }

  #longestMs({ isKnown }: { readonly isKnown?: boolean }): number {
    const { longestMs, anonymousMs } = this.#rules;
    return isKnown === true ? longestMs : Math.min(longestMs, anonymousMs);
  }

  #alone<T>(decide: () => Promise<T>): Promise<T> {
    const decided = this.#turn.then(decide);
    this.#turn = decided.catch(() => undefined);
    return decided;
  }
}

/** In constant time: how long a refusal takes says nothing about a token. One that was lost is nobody's. */
function isSame(token: string, given: string | null): boolean {
  if (given === null || token === '' || given.length !== token.length) return false;
  return timingSafeEqual(Buffer.from(token), Buffer.from(given));
}

/** Since the lease was given or last renewed: by the clock that says less, as either may have been set or begun anew. */
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
