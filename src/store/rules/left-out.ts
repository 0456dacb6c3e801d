/**
 * URLs that are known and not fetched: which reasons may end, and
 * what they say about the page. The same for every engine.
 */
import type { Reason } from '../../core/reasons.ts';
import type { CommitReceipt, UrlState } from '../contract.ts';
import type { Tally } from './tally.ts';

/**
 * Reasons that may end: a URL with one of them waits once it is found again at a place where the reason does not hold.
 */
export const REVIVED: readonly Reason[] = [
  'too-deep',
  'off-topic',
  'trap-sitemap-chain',
  'action-link',
  'guess-abandoned',
  'guess-unwanted',
  'no-sitemap',
];

/** The reason of a page that its host shows for any path. It stays a page, and is compared with no other page. */
export const SOFT_404: Reason = 'soft-404';

const NO_PAGE: readonly UrlState[] = ['failed', 'redirect', 'skipped', 'gone'];
/** Left out for now, which says nothing about the page. */
const LEFT_OUT_FOR_NOW: readonly (Reason | null)[] = [...REVIVED, 'ignored-parameter'];

/** The URL was requested, or left out for good, and it has no page. */
export function isWithoutPage(state: UrlState, reason: Reason | null): boolean {
  return NO_PAGE.includes(state) && !LEFT_OUT_FOR_NOW.includes(reason);
}

/** `count` URLs of a host that were left out now wait. */
export function countReleased(hostId: number, reason: Reason, tally: Tally, count = 1): void {
  for (let i = 0; i < count; i++) {
    tally.leaves(hostId, 'skipped', reason);
    tally.enters(hostId, 'waiting', null);
  }
}

/** Adds URLs that wait again because their patterns have room to those that wait again because of a lesson. */
export function withAdmitted<T extends Pick<CommitReceipt, 'released'>>(
  news: T,
  admitted: ReadonlyMap<string, number>,
): T {
  if (admitted.size === 0) return news;
  const released = new Map(news.released);
  for (const [host, count] of admitted) released.set(host, (released.get(host) ?? 0) + count);
  return { ...news, released };
}
