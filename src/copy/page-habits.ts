/**
 * How often a page was visited and what the visits found, for people. In: the record of the page. Out: counts, times
 * and the most likely rate of change; null for a URL that never answered.
 *
 * Visits that found the same content leave no record in the archive. So the visits are counted by the store, and the
 * changes by the entries of the change log.
 */
import { LATEST_MS } from '../crawl/place/read-archived.ts';
import { isClaimed } from '../crawl/watchers/trust-rule.ts';
import { mostLikelyRate } from '../frontier/revisit/rate-prior.ts';
import type { ChangeEntry, SourceRecord, Store, UrlRecord, VisitRecord } from '../store/contract.ts';
import { REAL_CHANGES } from '../store/rules/visit-rules.ts';
import { urlKeyHex } from '../url/key.ts';

const DAY_MS = 86_400_000;
/** Older changes are not counted, because the description of a change may be long. */
export const MOST_COUNTED = 1_000;

export interface PageHabits {
  /** Number of visits, including the first fetch. */
  readonly looks: number;
  readonly lastAtMs: number;
  /** Time of the oldest response in the archive. */
  readonly sinceMs: number;
  /** Recorded changes, at most MOST_COUNTED, and how often only noise had changed. */
  readonly changes: number;
  readonly noise: number;
  /** The most likely rate; 0 if no change was seen, infinite if every visit found one. */
  readonly changesADay: number;
  /** Number of visits in a row that found no page, and the earliest time of the next one. */
  readonly failures: number;
  readonly notBeforeMs: number;
  /**
   * Time of the last change according to a sitemap or feed, 0 if there is none; and whether the
   * last visit did not know it.
   */
  readonly claimedMs: number;
  readonly isClaimed: boolean;
}

export async function habitsOf(
  store: Pick<Store, 'visits' | 'capturesOf'>,
  record: UrlRecord,
  noted: readonly ChangeEntry[],
): Promise<PageHabits | null> {
  const visit = await visitOf(store, record.id);
  if (visit === null) return null;
  const captures = await store.capturesOf(record.host, urlKeyHex(record.url), LATEST_MS, LATEST_MS);
  return {
    looks: visit.checks + 1,
    lastAtMs: visit.checkedAtMs,
    sinceMs: captures.at(-1)?.fetchedAtMs ?? visit.checkedAtMs,
    changes: noted.filter(({ kind }) => REAL_CHANGES.includes(kind)).length,
    noise: noted.filter(({ kind }) => kind === 'noise').length,
    changesADay: mostLikelyRate(visit) * DAY_MS,
    failures: visit.failures,
    notBeforeMs: visit.notBeforeMs,
    claimedMs: visit.claimedMs,
    isClaimed: isClaimed(visit),
  };
}

async function visitOf(store: Pick<Store, 'visits'>, id: number): Promise<VisitRecord | null> {
  const [visit] = await store.visits(id - 1, 1);
  return visit?.id === id ? visit : null;
}

/** How often the change sources of a host were right; null if no visit has tested them yet. */
export async function sourceOf(store: Pick<Store, 'sources'>, host: string): Promise<SourceRecord | null> {
  return (await store.sources()).find((source) => source.host === host) ?? null;
}
