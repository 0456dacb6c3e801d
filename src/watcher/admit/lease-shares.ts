/**
 * Limits how much of the lease each address may have. In: who takes the lease, for how long, and when it is released.
 * Out: whether an address may take it now, and for how long at most.
 *
 * What always holds: over time, an address that the owner does not know holds the lease at most half of the
 * time and takes it at most `takesPerMinute` times a minute. The table is bounded, and the address that was
 * not seen for the longest time is forgotten first. A visitor that wants to be forgotten needs thousands of
 * other addresses, each with its own share anyway.
 */
import { putNewest } from '../../core/bounded-map.ts';
import { RateLimit } from './rate-limit.ts';

export interface ShareRules {
  /** The longest lease of an unknown crawler. */
  readonly longestMs: number;
  readonly takesPerMinute: number;
}

/** Each passing millisecond pays back half a millisecond of used lease time. */
const SHARE = 0.5;
/** A shorter lease is not worth taking. */
const MIN_LEASE_MS = 10_000;
/** Each take is written to the disk. All addresses together may take ten times as often as one. */
const COMMON_FACTOR = 10;
const MAX_CLIENTS = 4_096;

interface Share {
  /** Used lease time that is not yet paid back by passing time. */
  usedMs: number;
  atMs: number;
}

export type Permission = { readonly mostMs: number } | { readonly waitMs: number };

export class LeaseShares {
  readonly #rules: ShareRules;
  readonly #takes: RateLimit;
  readonly #shares = new Map<string, Share>();
  /** The current holder, if it got the lease from its share. */
  #current: { readonly client: string; readonly endsAtMs: number } | null = null;

  constructor(rules: ShareRules) {
    this.#rules = rules;
    const own = { burst: rules.takesPerMinute, perSecond: rules.takesPerMinute / 60 };
    const overall = { burst: COMMON_FACTOR * own.burst, perSecond: COMMON_FACTOR * own.perSecond };
    this.#takes = new RateLimit(own, overall, MAX_CLIENTS);
  }

  get clients(): number {
    return this.#shares.size;
  }

  /** Counts as one take if it is permitted. */
  ask(client: string, nowMs: number): Permission {
    const { longestMs } = this.#rules;
    const leftMs = longestMs - this.#shareOf(client, nowMs).usedMs;
    const leastMs = Math.min(MIN_LEASE_MS, longestMs);
    if (leftMs < leastMs) return { waitMs: (leastMs - leftMs) / SHARE };
    const waitSeconds = this.#takes.take(client, nowMs);
    return waitSeconds > 0 ? { waitMs: waitSeconds * 1_000 } : { mostMs: leftMs };
  }

  /** The lease was given or renewed. */
  gave(client: string, nowMs: number, endsAtMs: number): void {
    const before = this.#current?.client === client ? Math.max(nowMs, this.#current.endsAtMs) : nowMs;
    if (this.#current?.client !== client) this.ended(nowMs);
    this.#shareOf(client, nowMs).usedMs += Math.max(0, endsAtMs - before);
    this.#current = { client, endsAtMs };
  }

  /** The lease was released, or another crawler got it. The rest of its time was not used. */
  ended(nowMs: number): void {
    if (this.#current === null) return;
    const { client, endsAtMs } = this.#current;
    this.#current = null;
    const share = this.#shareOf(client, nowMs);
    share.usedMs = Math.max(0, share.usedMs - Math.max(0, endsAtMs - nowMs));
  }

  #shareOf(client: string, nowMs: number): Share {
    const share = this.#shares.get(client) ?? { usedMs: 0, atMs: nowMs };
    share.usedMs = Math.max(0, share.usedMs - SHARE * Math.max(0, nowMs - share.atMs));
    share.atMs = nowMs;
    putNewest(this.#shares, client, share, MAX_CLIENTS);
    return share;
  }
}
