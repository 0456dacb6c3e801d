/**
 * Who may take the lease of a site (W7). In: the address and the proof of a visitor. Out: whether the owner knows it,
 * and whether it may
 * take the lease now, and for how long.
 *
 * Invariants: a known crawler has no share to keep to, and the lease of an unknown one is no bar to it
 * (report/lease-keeper.ts). An
 * unknown one is never told more than that it has to wait.
 */
import { type AddressList, addressList, type Client } from '../serve/client-address.ts';
import type { CrawlerKeys } from './crawler-keys.ts';
import { LeaseShares, type Permission, type ShareRules } from './lease-shares.ts';

export const LEASE_FOR = ['anyone', 'known'] as const;

export interface AdmissionRules extends ShareRules {
  readonly leaseFor: (typeof LEASE_FOR)[number];
  readonly keys: CrawlerKeys | null;
  /** Addresses and networks of known crawlers. */
  readonly from: readonly string[];
}

/** Everything is allowed: where a program has rules of its own. */
const OPEN: AdmissionRules = {
  leaseFor: 'anyone',
  keys: null,
  from: [],
  longestMs: Number.MAX_SAFE_INTEGER,
  takesPerMinute: Number.MAX_SAFE_INTEGER,
};

export interface Visitor {
  /** What its questions are counted under. */
  readonly client: string;
  readonly isKnown: boolean;
  /** The proof by which it is known; null where its address is enough, or it is not known. */
  readonly proof: string | null;
}

export class LeaseAdmission {
  readonly #rules: AdmissionRules;
  readonly #from: AddressList;
  readonly #shares: LeaseShares;

  constructor(rules: Partial<AdmissionRules> = {}) {
    this.#rules = { ...OPEN, ...rules };
    this.#from = addressList(this.#rules.from, '--lease-from');
    this.#shares = new LeaseShares(this.#rules);
  }

  get isForAnyone(): boolean {
    return this.#rules.leaseFor === 'anyone';
  }

  /** Null: it has a proof that is not good. Where the owner has no keys, a proof counts for nothing. */
  visitor(
    { counted, proved }: Pick<Client, 'counted' | 'proved'>,
    proof: string | null,
    asked: { readonly site: string; readonly query: string; readonly nowMs: number },
  ): Visitor | null {
    const isKnown = proved !== null && this.#from.has(proved);
    if (proof === null || this.#rules.keys === null) return { client: counted, isKnown, proof: null };
    const name = this.#rules.keys.nameIn(proof, asked.site, asked.query, asked.nowMs);
    return name === null ? null : { client: `crawler ${name}`, isKnown: true, proof };
  }

  /** False: its proof has given the lease before. */
  use({ proof }: Visitor, nowMs: number): boolean {
    return proof === null || (this.#rules.keys?.use(proof, nowMs) ?? true);
  }

  /** Times are those of a clock that only goes on. */
  ask({ client, isKnown }: Visitor, nowMs: number): Permission {
    return isKnown ? { mostMs: Number.MAX_SAFE_INTEGER } : this.#shares.ask(client, nowMs);
  }

  gave({ client, isKnown }: Visitor, nowMs: number, endsAtMs: number): void {
    if (isKnown) this.#shares.ended(nowMs);
    else this.#shares.gave(client, nowMs, endsAtMs);
  }

  ended(nowMs: number): void {
    this.#shares.ended(nowMs);
  }
}
