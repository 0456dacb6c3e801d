/**
 * Reads a report from its first part to its last. In: the place of the report, the cursor to start from, and
 * whether to take the lease with it. Out: the entries, passed on part by part, and a summary; or the holder of the
 * lease; or why the report cannot be used.
 *
 * What always holds: a report has at most `MAX_PARTS` parts and at most as many entries as a site of its size can have,
 * and each part has a new cursor. So reading ends whatever the server does.
 */
import type { FetchOutcome } from '../../fetch/outcome.ts';
import type { UrlStore } from '../../store/contract.ts';
import { inBatches } from '../../store/read-in-batches.ts';
import { hostOf } from '../../url/host.ts';
import {
  holderIn,
  leaseIn,
  parseReport,
  type ReportEntry,
  type ReportFault,
  type ReportHead,
  type ReportLease,
  type ReportPart,
} from './report.ts';

const MAX_PARTS = 1_000;
/** For a report from a cursor on: pages may have appeared and disappeared since. */
const MAX_ENTRIES_PER_PAGE = 2;
const MAX_EXTRA_ENTRIES = 10_000;
const MAX_REDIRECTS = 3;
/**
 * Reading may take `firstMs` plus `entryMs` for each entry. No host is crawled meanwhile: a large site gets its time,
 * and a slow server does not delay other hosts for long. A site of a million pages has a hundred parts.
 */
const ALONE_LIMIT = { firstMs: 120_000, entryMs: 5 };
const SHARED_LIMIT = { firstMs: 30_000, entryMs: 1 };
const MAX_READING_MS = 1_800_000;
const HOSTS_AT_ONCE = 64;

export interface ReportQuestion {
  readonly url: string;
  /** The scheme and authority that the report must be about. */
  readonly site: string;
  readonly since: string | null;
  /** More parameters of the first request: the lease. */
  readonly with?: Readonly<Record<string, string>>;
  /** Whether reading takes too long for this number of entries. Then no further part is requested. */
  readonly isLate?: (entries: number) => boolean;
}

export interface WholeReport {
  readonly kind: 'report';
  /** The head of the last part, with the lease of the first part. */
  readonly head: ReportHead;
  readonly entries: number;
  readonly isListing: boolean;
  /** The report starts after our cursor: changes in between are not reported. */
  readonly hasGap: boolean;
  /** How far the clock of the server is ahead of ours. */
  readonly clockAheadMs: number;
}

export type Reading =
  | WholeReport
  | { readonly kind: 'held'; readonly holder: string; readonly retryAfterMs: number | null }
  /** `lease`: a lease that came with the unusable report. */
  | { readonly kind: 'failed'; readonly fault: ReportFault; readonly lease: ReportLease | null };

/**
 * Sends a request when the host may be asked. Returns a fault if robots.txt forbids it or
 * the server wants to be left alone.
 */
export type Ask = (url: string) => Promise<FetchOutcome | ReportFault>;

export async function readReport(
  ask: Ask,
  question: ReportQuestion,
  onPart: (entries: readonly ReportEntry[]) => Promise<void>,
): Promise<Reading> {
  const { url, site, since } = question;
  const seen = new Set<string>();
  let first: ReportHead | null = null;
  let entries = 0;
  let cursor = since;
  let lease: ReportLease | null = null;
  const failed = (fault: ReportFault): Reading => ({ kind: 'failed', fault, lease });
  for (let number = 0; number < MAX_PARTS; number++) {
    if (number > 0 && question.isLate?.(entries)) return failed('slow');
    const answer = await askThere(ask, questionUrl(url, cursor, number === 0 ? question.with : undefined));
    if (typeof answer === 'string') return failed(answer);
    const part = partOf(answer, site, number === 0);
    const clockAheadMs = clockAhead(answer);
    lease ??= leaseIn(answer.decoded, site);
    answer.release();
    if (typeof part === 'string') return failed(part);
    if ('kind' in part) return part;
    const { head } = part;
    first ??= head;
    entries += part.entries.length;
    const isTooMuch = entries > MAX_ENTRIES_PER_PAGE * head.pages + MAX_EXTRA_ENTRIES;
    if (isTooMuch || seen.has(head.cursor)) return failed('endless');
    if (head.isListing !== first.isListing) return failed('bad-line');
    seen.add(head.cursor);
    await onPart(number === 0 ? newIn(part, since) : part.entries);
    if (!head.more) {
      const hasGap = isBehindGap(first, since);
      const whole = { head: { ...head, lease: first.lease }, entries, isListing: head.isListing };
      return { kind: 'report', ...whole, hasGap, clockAheadMs };
    }
    cursor = head.cursor;
  }
  return failed('endless');
}

/** A report may redirect within its own host. */
export async function askThere(ask: Ask, url: string): Promise<FetchOutcome | ReportFault> {
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const answer = await ask(url);
    if (typeof answer === 'string' || answer.redirectTo === null) return answer;
    answer.release();
    if (hostOf(answer.redirectTo) !== hostOf(url)) return 'elsewhere';
    url = answer.redirectTo;
  }
  return 'absent';
}

export function questionUrl(base: string, since: string | null, more: Readonly<Record<string, string>> = {}): string {
  const url = new URL(base);
  if (since !== null) url.searchParams.set('since', since);
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  return url.href;
}

function partOf(outcome: FetchOutcome, site: string, isFirst: boolean): ReportPart | Reading | ReportFault {
  const { status, reason, decoded } = outcome;
  if (status === 409 && isFirst) return held(outcome);
  if (status === 401) return 'bad-key';
  if (status === 429 || status === 503) return 'busy';
  if (status === 0 || status >= 500) return 'unreachable';
  if (status !== 200) return 'absent';
  if (reason === 'body-too-large') return 'too-large';
  // A body that was cut off, or that cannot be decoded, is not a whole report.
  if (reason !== null) return 'cut-off';
  return parseReport(decoded, site);
}

/** A refusal without a holder means that the site wants to be left alone for a while. */
function held({ decoded, retryAfterMs, endedAtMs }: FetchOutcome): Reading {
  const { holder, untilMs } = holderIn(decoded);
  return {
    kind: 'held',
    holder,
    retryAfterMs: retryAfterMs ?? (untilMs > 0 ? Math.max(0, untilMs - endedAtMs) : null),
  };
}

function clockAhead(outcome: FetchOutcome): number {
  const atMs = Date.parse(outcome.header('date'));
  return Number.isNaN(atMs) ? 0 : atMs - outcome.endedAtMs;
}

/** The entries after our cursor. A plain file may start before it. */
function newIn({ head, entries }: ReportPart, since: string | null): readonly ReportEntry[] {
  if (head.isListing || since === null || head.since === since) return entries;
  if (head.since === null || cursorEpoch(head.since) !== cursorEpoch(since)) return entries;
  return entries.filter(({ seq }) => seq > cursorNumber(since));
}

function isBehindGap({ isListing, since }: ReportHead, asked: string | null): boolean {
  if (isListing) return false;
  if (since === null || asked === null) return true;
  if (since === asked) return false;
  return cursorEpoch(since) !== cursorEpoch(asked) || !(cursorNumber(since) <= cursorNumber(asked));
}

/** A cursor is opaque, except for plain files, which are read by its parts: `epoch.number`. */

function cursorEpoch(cursor: string): string {
  return cursor.slice(0, Math.max(0, cursor.lastIndexOf('.')));
}

/** NaN if the cursor has no number; then no number is greater. */
function cursorNumber(cursor: string): number {
  return Number(cursor.slice(cursor.lastIndexOf('.') + 1));
}

/** How long the reading of a report may take. */
export function longestReadingMs(entries: number, othersWait: boolean): number {
  const { firstMs, entryMs } = othersWait ? SHARED_LIMIT : ALONE_LIMIT;
  return Math.min(MAX_READING_MS, firstMs + entries * entryMs);
}

/** Whether another host has pages, or has URLs that wait. */
export async function doOthersWait(store: UrlStore, hostId: number): Promise<boolean> {
  for await (const hosts of inBatches((after, limit) => store.hosts(after, limit), HOSTS_AT_ONCE)) {
    if (hosts.some(({ id, fetched, waiting }) => id !== hostId && fetched + waiting > 0)) return true;
  }
  return false;
}
