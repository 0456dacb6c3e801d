import type { Reason } from '../core/reasons.ts';
import type { UrlRecord, UrlState } from '../store/contract.ts';

/** A URL that the crawl knows, in any state. */
export interface KnownUrl {
  readonly url: string;
  readonly state: UrlState;
  /** Why the URL has no page, or the defect of its page. */
  readonly reason: Reason | null;
  /** The status of the last response, or null. */
  readonly status: number | null;
  readonly fetchedAt: Date | null;
  /** Number of links away from the seeds. */
  readonly depth: number;
  /** The page on which the URL was first found. */
  readonly via: string | null;
  readonly redirectTo: string | null;
  /** Number of consecutive failures. */
  readonly failures: number;
}

export function toKnownUrl(record: UrlRecord): KnownUrl {
  const { url, state, reason, depth, via, redirectTo, failures, capture } = record;
  const status = capture?.status ?? null;
  const fetchedAt = capture === null ? null : new Date(capture.fetchedAtMs);
  return { url, state, reason, status, fetchedAt, depth, via, redirectTo, failures };
}
