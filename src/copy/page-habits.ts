/**
 * How often a page was looked at and what came of it, for people. In: its record. Out: counts, times and the most likely rate of
 * change; null for a URL that was never answered.
 *
 * Looks that found the same content leave no record in the archive, so the looks are counted by the store, and the changes by
 * what it noted of them.
 */
import { mostLikelyRate } from '../frontier/revisit/rate.ts';
import type { ChangeEntry, ChangeKind, SourceRecord, Store, UrlRecord, VisitRecord } from '../store/contract.ts';
import { urlKeyHex } from '../url/key.ts';
import { LATEST_MS } from './read-copy.ts';
import { isClaimed } from './source-trust.ts';

const DAY_MS = 86_400_000;
/** More are not counted: what is noted of each may be long. */
export const MOST_COUNTED = 1_000;
/** Another page than before; noise is none, and one that is new or has lost its last link is the same page. */
const REAL_CHANGES: readonly ChangeKind[] = ['changed', 'moved', 'gone', 'returned'];

export interface PageHabits {
  /** The first among them. */
  readonly looks: number;
  readonly lastAtMs: number;
  /** The oldest answer that the archive has. */
  readonly sinceMs: number;
  /** As noted, at most MOST_COUNTED; and how often only noise had changed. */
  readonly changes: number;
  readonly noise: number;
  /** The most likely rate; 0 where no change was seen, infinite where every look found one. */
  readonly changesADay: number;
  /** Looks in a row that found no page, and when the next may be. */
  readonly failures: number;
  readonly notBeforeMs: number;
  /** When a sitemap or feed says that it changed last; 0 where none tells of it. And whether that is news. */
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

/** How well the change sources of a host have told the truth; null where none was ever put to the test. */
export async function sourceOf(store: Pick<Store, 'sources'>, host: string): Promise<SourceRecord | null> {
  return (await store.sources()).find((source) => source.host === host) ?? null;
}
