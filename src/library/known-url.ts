import type { Reason } from '../core/reasons.ts';
import type { UrlRecord, UrlState } from '../store/contract.ts';

/** A URL the crawl knows, whatever became of it. */
export interface KnownUrl {
  readonly url: string;
  readonly state: UrlState;
  /** Why it has no page, or what is wrong with its page. */
  readonly reason: Reason | null;
  /** Of the last answer; null where there was none. */
  readonly status: number | null;
  readonly fetchedAt: Date | null;
  /** Links away from the seeds. */
  readonly depth: number;
  /** The page it was first found on. */
  readonly via: string | null;
  readonly redirectTo: string | null;
  /** In a row. */
  readonly failures: number;
}

export function toKnownUrl(record: UrlRecord): KnownUrl {
  const { url, state, reason, depth, via, redirectTo, failures, capture } = record;
  const status = capture?.status ?? null;
  const fetchedAt = capture === null ? null : new Date(capture.fetchedAtMs);
  return { url, state, reason, status, fetchedAt, depth, via, redirectTo, failures };
}
