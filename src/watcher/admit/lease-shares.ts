/**
 * How much of the lease each address may have. In: who takes it, for how long, and when it is given back. Out: whether
 * an address may take it
 * now, and for how long at most.
 *
 * Invariants: an address that is not known to the owner holds the lease for half of the time at most, over a while, and
 * takes it at most
 * `takesPerMinute` times a minute. The table is bounded; the address that was not seen for the longest time is
 * forgotten first, so a
 * visitor who wants to be forgotten needs thousands of other addresses, each with a share of its own anyway.
 */
import { RateLimit } from '../serve/rate-limit.ts';

export interface ShareRules {
  /** The longest lease of one that is not known. */
  readonly longestMs: number;
  readonly takesPerMinute: number;
}

/** A lease gives back one half of its time while time passes. */
const SHARE = 0.5;
/** A lease that would be shorter is not worth taking. */
const SHORTEST_MS = 10_000;
/** Each take is written to the disk: all addresses together have ten times the takes of one. */
const TAKES_OF_ALL = 10;
const MAX_CLIENTS = 4_096;

interface Share {
  /** Time of the lease that was used, and not paid back by passing time. */
  usedMs: number;
  atMs: number;
}

export type Permission = { readonly mostMs: number } | { readonly waitMs: number };

export class LeaseShares {
  readonly #rules: ShareRules;
  readonly #takes: RateLimit;
  readonly #shares = new Map<string, Share>();
  /** Who holds the lease now, as far as it was given by a share. */
  #current: { readonly client: string; readonly endsAtMs: number } | null = null;

  constructor(rules: ShareRules) {
    this.#rules = rules;
    const own = { burst: rules.takesPerMinute, perSecond: rules.takesPerMinute / 60 };
    const overall = { burst: TAKES_OF_ALL * own.burst, perSecond: TAKES_OF_ALL * own.perSecond };
    this.#takes = new RateLimit(own, overall, MAX_CLIENTS);
  }

  get clients(): number {
    return this.#shares.size;
  }

  /** Counts as one take where it is permitted. */
  ask(client: string, nowMs: number): Permission {
    const { longestMs } = this.#rules;
    const leftMs = longestMs - this.#shareOf(client, nowMs).usedMs;
    const leastMs = Math.min(SHORTEST_MS, longestMs);
    if (leftMs < leastMs) return { waitMs: (leastMs - leftMs) / SHARE };
    const waitSeconds = this.#takes.take(client, nowMs);
    return waitSeconds > 0 ? { waitMs: waitSeconds * 1_000 } : { mostMs: leftMs };
  }

  /** The lease was given, or made longer. */
  gave(client: string, nowMs: number, endsAtMs: number): void {
    const before = this.#current?.client === client ? Math.max(nowMs, this.#current.endsAtMs) : nowMs;
    if (this.#current?.client !== client) this.ended(nowMs);
    this.#shareOf(client, nowMs).usedMs += Math.max(0, endsAtMs - before);
    this.#current = { client, endsAtMs };
  }

  /** The lease was given back, or somebody else was given it: what is left of its time was not used. */
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
    this.#shares.delete(client);
    this.#shares.set(client, share);
    if (this.#shares.size > MAX_CLIENTS) this.#shares.delete(this.#shares.keys().next().value!);
    return share;
  }
}
