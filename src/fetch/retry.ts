import type { Reason } from '../core/reasons.ts';
import type { FetchReason } from './fetch-reasons.ts';

/**
 * The whole retry policy in one table. In: a reason and the number of failures in a row. Out: the time of the next
 * attempt, a pause of one day, or the end.
 */
export interface RetryRule {
  /**
   * Number of failures in a row after which the URL is set aside for a day (C4). 0:
   * the first answer is final, with no retry.
   */
  readonly tries: number;
  /** Delay before the second attempt. Each further attempt waits `factor` times longer. */
  readonly delayMs: number;
  readonly factor: number;
  /** The problem concerns the host, so its other URLs must wait too. */
  readonly blocksHost: boolean;
  /** The answer is final and is stored, so that the URL is not queued again when another page links to it (P7). */
  readonly remember: boolean;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const SET_ASIDE_MS = 24 * 60 * MINUTE;
const MAX_SET_ASIDES = 3;

const NEVER_AGAIN: RetryRule = { tries: 0, delayMs: 0, factor: 1, blocksHost: false, remember: true };
/** There is a page, but with a defect that a second request would show again. */
const KEEP_AS_IT_IS: RetryRule = { ...NEVER_AGAIN, remember: false };
const SOON: RetryRule = { tries: 3, delayMs: 5 * SECOND, factor: 4, blocksHost: false, remember: false };
/**
 * Mostly a restart or an outage of seconds: the first retries are within the patience of a run. There are more tries
 * than for other failures, because the first ones may all be in the same outage.
 */
const HOST_IN_TROUBLE: RetryRule = { tries: 6, delayMs: SECOND, factor: 5, blocksHost: true, remember: false };

export const RETRY_RULES: Readonly<Record<FetchReason, RetryRule>> = {
  'bad-url': NEVER_AGAIN,
  'private-address': NEVER_AGAIN,
  'dns-failed': HOST_IN_TROUBLE,
  'connect-failed': HOST_IN_TROUBLE,
  'connect-timeout': HOST_IN_TROUBLE,
  'tls-failed': { ...HOST_IN_TROUBLE, tries: 3, delayMs: 10 * MINUTE },
  // Mostly an accident of a moment: a run must not end without the page because of it.
  'connection-reset': { ...SOON, delayMs: SECOND, factor: 5 },
  'headers-timeout': { ...SOON, delayMs: 30 * SECOND },
  'body-timeout': { ...SOON, delayMs: 30 * SECOND },
  'total-timeout': { ...SOON, delayMs: MINUTE },
  'headers-too-large': NEVER_AGAIN,
  'bad-response': SOON,
  'bad-encoding': KEEP_AS_IT_IS,
  'partial-content': KEEP_AS_IT_IS,
  'body-too-large': KEEP_AS_IT_IS,
  'proxy-failed': HOST_IN_TROUBLE,
  'not-found': NEVER_AGAIN,
  gone: NEVER_AGAIN,
  forbidden: NEVER_AGAIN,
  'client-error': NEVER_AGAIN,
  'server-error': { ...SOON, delayMs: 30 * SECOND },
  'rate-limited': { tries: 5, delayMs: 30 * SECOND, factor: 3, blocksHost: true, remember: false },
  'bad-redirect': NEVER_AGAIN,
  'internal-error': SOON,
};

/** The request did not reach the server, so the host has not asked to be left alone. */
export const NEVER_REACHED = [
  'dns-failed',
  'connect-failed',
  'connect-timeout',
  'tls-failed',
  'proxy-failed',
] as const satisfies readonly FetchReason[];

export type NextTry =
  | { readonly kind: 'give-up' }
  | { readonly kind: 'retry'; readonly atMs: number }
  | { readonly kind: 'set-aside'; readonly untilMs: number };

/** A server is not asked again at once, not even with Retry-After: 0. */
const MIN_DELAY_MS = SECOND;

/** `failuresInARow` includes this failure, and is not reset when the URL is set aside. */
export function nextTry(
  reason: Reason,
  failuresInARow: number,
  retryAfterMs: number | null,
  nowMs: number,
  maxSetAsides = MAX_SET_ASIDES,
): NextTry {
  const rule = retryRule(reason);
  if (rule === null || rule.tries === 0) return { kind: 'give-up' };
  const rounds = Math.floor(failuresInARow / rule.tries);
  if (rounds > maxSetAsides) return { kind: 'give-up' };
  const failuresThisRound = failuresInARow % rule.tries;
  if (failuresThisRound === 0 && failuresInARow > 0) return { kind: 'set-aside', untilMs: nowMs + SET_ASIDE_MS };
  const ownDelayMs = rule.delayMs * rule.factor ** Math.max(0, failuresThisRound - 1);
  return { kind: 'retry', atMs: nowMs + Math.max(MIN_DELAY_MS, retryAfterMs ?? ownDelayMs) };
}

/**
 * The time for which a host is left alone after a failure that concerns the host; 0 after any other failure. If the
 * host could not be reached after a pause of `lastPauseMs` either, the next longer delay of the table counts.
 */
export function hostPauseMs(reason: Reason, lastPauseMs: number, retryAfterMs: number | null): number {
  const rule = retryRule(reason);
  if (!rule?.blocksHost) return 0;
  if (retryAfterMs !== null) return Math.max(MIN_DELAY_MS, retryAfterMs);
  let pauseMs = rule.delayMs;
  if (!NEVER_REACHED.some((each) => each === reason)) return pauseMs;
  // A pause counts from the last request, so it may be a little shorter than the delay that caused it.
  for (let step = 2; step < rule.tries && pauseMs < 2 * lastPauseMs; step++) pauseMs *= rule.factor;
  return pauseMs;
}

/** Null for reasons that no fetch returns. */
export function retryRule(reason: Reason): RetryRule | null {
  return reason in RETRY_RULES ? RETRY_RULES[reason as FetchReason] : null;
}

/** Longer waits are cut to this value, so that a server cannot postpone a URL for years. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Parses Retry-After (RFC 9110 §10.2.3): seconds or an HTTP date. An invalid
 * value gives null. A date in the past gives 0.
 */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim();
  if (text === '' || text.length > 64) return null;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  // Date.parse also accepts bare numbers and ISO dates. An HTTP date begins with the name of a day.
  if (!/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return null;
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) return null;
  return Math.min(Math.max(0, atMs - nowMs), MAX_RETRY_AFTER_MS);
}
