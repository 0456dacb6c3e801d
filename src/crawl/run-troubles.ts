/**
 * Why seeds have no page and hosts give no answer, for the end of a run. In: the store. Out: the reason of the last
 * attempt, what it is about, and the time of the next attempt.
 */
import type { Reason } from '../core/reasons.ts';
import type { HostRecord, Store, UrlRecord, UrlState } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { seedsNoted } from './earlier-runs.ts';
import { verdictOf } from './unit/robots-keeper.ts';

/** The request that failed: for the page itself, for the robots.txt of its host, or for another page of its host. */
export type TroubledRequest = 'page' | 'robots.txt' | 'host';

interface Trouble {
  readonly reason: Reason | null;
  readonly request: TroubledRequest;
  /** The earliest time of the next attempt, in ISO 8601; null if there is none or if it may be made at once. */
  readonly nextTryAt: string | null;
}

/** A seed without a page. */
export interface SeedTrouble extends Trouble {
  readonly url: string;
  readonly state: UrlState;
  /** The last target of its redirects, to which `state` and `reason` belong; null if it does not redirect. */
  readonly redirectedTo: string | null;
}

/** A host whose last request failed. */
export interface HostTrouble extends Trouble {
  readonly host: string;
  readonly reason: Reason;
  readonly waiting: number;
}

/** Further seeds are not examined. */
const MOST_SEEDS = 100;
const MOST_HOSTS = 10;
const MOST_REDIRECTS = 20;

export async function seedTroubles(store: Pick<Store, 'note' | 'explain' | 'host'>): Promise<SeedTrouble[]> {
  const troubles: SeedTrouble[] = [];
  for (const url of (await seedsNoted(store)).slice(0, MOST_SEEDS)) {
    const last = await lastTarget(store, url);
    if (last === null || last.state === 'fetched' || last.state === 'duplicate') continue;
    const host = await store.host(last.host);
    troubles.push({
      url,
      state: last.state,
      ...(last.reason === null && host !== null ? troubleOf(host) : { reason: last.reason, request: 'page' }),
      redirectedTo: last.url === url ? null : last.url,
      nextTryAt: last.state === 'waiting' ? isoOrNull(Math.max(last.dueAtMs ?? 0, blockedUntilMs(host))) : null,
    });
  }
  return troubles;
}

export async function hostTroubles(store: Pick<Store, 'hostsInTrouble'>): Promise<HostTrouble[]> {
  return (await store.hostsInTrouble(MOST_HOSTS)).map((record) => ({
    host: record.host,
    ...(troubleOf(record) as Pick<HostTrouble, 'reason' | 'request'>),
    waiting: record.waiting,
    nextTryAt: isoOrNull(blockedUntilMs(record)),
  }));
}

/** The trouble of a host, and whether it is about robots.txt. */
export function troubleOf({ trouble, robots }: HostRecord): Pick<Trouble, 'reason' | 'request'> {
  const isClosed = robots !== null && verdictOf({ ...robots, body: '' }).kind === 'disallow-all';
  return { reason: trouble, request: isClosed ? 'robots.txt' : 'host' };
}

async function lastTarget(store: Pick<Store, 'explain'>, seed: string): Promise<UrlRecord | null> {
  let record = await store.explain(hostOf(seed), urlKeyHex(seed));
  for (let hop = 0; record !== null && record.redirectTo !== null && hop < MOST_REDIRECTS; hop++) {
    const next = await store.explain(hostOf(record.redirectTo), urlKeyHex(record.redirectTo));
    if (next === null) break;
    record = next;
  }
  return record;
}

function blockedUntilMs(host: HostRecord | null): number {
  return host?.manners.blockedUntilMs ?? 0;
}

function isoOrNull(atMs: number): string | null {
  return atMs === 0 ? null : new Date(atMs).toISOString();
}
