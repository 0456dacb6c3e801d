/**
 * When a host is asked for no more guesses. A guess is a string in a script, text or comment that looks like a URL
 * (docs/references.md). On some hosts most of them are wrong, and each costs the host a request. The same for every
 * engine: an engine counts the guesses of a host, and leaves the others out once this rule says so.
 */
import type { Reason } from '../../core/reasons.ts';
import { isGuess, isMarked, isTrial, looksLikeSitemap } from '../../url/traps/sitemap-chain.ts';
import type { FoundUrl, UrlResult, UrlState } from '../contract.ts';
import type { Tally } from './tally.ts';

/** Fewer requests say nothing about a host. */
export const MIN_GUESSES = 20;
/** At least this share of the requests failed. */
const FAILED_SHARE = 0.8;

/** Names of the counts of a host. They are stored with the counts of its path patterns, which begin with a slash. */
export const GUESSES_ASKED = 'guesses asked';
export const GUESSES_FAILED = 'guesses failed';

export const ABANDONED: Reason = 'guess-abandoned';

export interface GuessCounts {
  readonly asked: number;
  readonly failed: number;
}

export function abandonsGuesses({ asked, failed }: GuessCounts): boolean {
  return asked >= MIN_GUESSES && failed >= asked * FAILED_SHARE;
}

/** A waiting guess before it was left out. */
export interface AbandonedGuess {
  readonly failures: number;
  readonly reason: Reason | null;
}

/** `abandoned` has the number of such guesses by host. */
export function countAbandoned(
  hostId: number,
  { failures, reason }: AbandonedGuess,
  tally: Tally,
  abandoned: Map<number, number>,
): void {
  abandoned.set(hostId, (abandoned.get(hostId) ?? 0) + 1);
  tally.leaves(hostId, 'waiting', null);
  if (failures > 0) tally.retries(reason, -1);
  tally.enters(hostId, 'skipped', ABANDONED);
}

/** Whether a result says if a guess was right: it is the first answer to a URL that is known only as a guess. */
export function isGuessResult(hops: number, state: UrlState): boolean {
  return isGuess(hops) && state !== 'waiting' && state !== 'skipped';
}

/**
 * Whether a result counts: its URL waits, or was left out while the request was under way. The response is in the
 * archive then, so it must not be lost.
 */
export function acceptsResult(state: UrlState, reason: Reason | null, result: UrlResult): boolean {
  if (state === 'waiting') return true;
  return state === 'skipped' && reason === ABANDONED && result.state !== 'waiting' && result.state !== 'skipped';
}

/** A URL that was left out gets its answer after all. */
export function countLateAnswer(hostId: number, tally: Tally, abandoned: Map<number, number>): void {
  tally.leaves(hostId, 'skipped', ABANDONED);
  abandoned.set(hostId, (abandoned.get(hostId) ?? 0) - 1);
}

/** Whether a URL that was left out for this reason waits again when it is found like this. */
export function isRevivedBy({ skip, hops, url }: FoundUrl, reason: Reason): boolean {
  if (reason === 'no-sitemap') return skip === null && !isMarked(hops) && looksLikeSitemap(url);
  return skip === null && (reason !== ABANDONED || !isGuess(hops));
}

/**
 * Whether a result comes too late: no sitemap is at a place that was tried, but meanwhile the URL was found as a link.
 * It waits, and is requested as a link.
 */
export function isLateTrial({ reason }: UrlResult, hops: number): boolean {
  return reason === 'no-sitemap' && !isTrial(hops);
}

/** Whether a find is news for a URL that may be known only as a guess or as a trial. */
export function confirms({ hops, url }: FoundUrl, mayBeGuess: boolean): boolean {
  return !isMarked(hops) && (mayBeGuess || looksLikeSitemap(url));
}
