/**
 * Decides who may take the lease of a site (W7). In: the address and the proof of a visitor. Out: whether the owner
 * knows the visitor, whether it may take the lease now, and for how long.
 *
 * What always holds: a known crawler has no share limit, and the lease of an unknown crawler does not block it
 * (report/lease-keeper.ts). An unknown crawler only learns that it has to wait.
 */
import { type AddressList, addressList, type Client } from './client-address.ts';
import type { CrawlerKeys } from './crawler-keys.ts';
import { LeaseShares, type Permission, type ShareRules } from './lease-shares.ts';

export const LEASE_FOR = ['anyone', 'known'] as const;

export interface AdmissionRules extends ShareRules {
  readonly leaseFor: (typeof LEASE_FOR)[number];
  readonly keys: CrawlerKeys | null;
  /** Addresses and networks of known crawlers. */
  readonly from: readonly string[];
}

/** Allows everything, for programs with their own rules. */
const OPEN: AdmissionRules = {
  leaseFor: 'anyone',
  keys: null,
  from: [],
  longestMs: Number.MAX_SAFE_INTEGER,
  takesPerMinute: Number.MAX_SAFE_INTEGER,
};

export interface Visitor {
  /** The name under which questions are counted. */
  readonly client: string;
  readonly isKnown: boolean;
  /** The proof of a known crawler; null if its address is enough, or if it is unknown. */
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

  /** Null if the proof is invalid. If the owner has no keys, proofs are ignored. */
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

  /** False if the proof has already given the lease. */
  use({ proof }: Visitor, nowMs: number): boolean {
    return proof === null || (this.#rules.keys?.use(proof, nowMs) ?? true);
  }

  /** Times come from a monotonic clock. */
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
