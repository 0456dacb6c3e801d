/**
 * A report from its first part to its last. In: where it is, from which cursor on, and whether the lease is to be taken with it. Out: its
 * entries, handed on part by part, and what the whole amounts to; or who has the lease; or why it cannot be used.
 *
 * Always: no more parts than `MAX_PARTS`, no more entries than a site of that size can have, and each part gets further than
 * the one before, so that there is an end to what is read whatever the server does.
 */
import type { FetchOutcome } from '../../fetch/outcome.ts';
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
import { cursorEpoch, cursorNumber } from './report-cursor.ts';

const MAX_PARTS = 1_000;
/** Of a report from a cursor on: pages may have come and gone since. */
const MOST_ENTRIES_A_PAGE = 2;
const MOST_ENTRIES_BESIDES = 10_000;
const MAX_REDIRECTS = 3;

export interface ReportQuestion {
  readonly url: string;
  /** Scheme and authority that it has to speak for. */
  readonly site: string;
  readonly since: string | null;
  /** More parameters of the first question: the lease. */
  readonly with?: Readonly<Record<string, string>>;
  /** Whether it takes too long for so many entries: no further part is asked for then. */
  readonly isLate?: (entries: number) => boolean;
}

export interface WholeReport {
  readonly kind: 'report';
  /** Of the last part, with the lease of the first. */
  readonly head: ReportHead;
  readonly entries: number;
  readonly isListing: boolean;
  /** It does not begin where we left off: what happened in between is not told. */
  readonly hasGap: boolean;
  /** By how much the server's clock is ahead of ours. */
  readonly clockAheadMs: number;
}

export type Reading =
  | WholeReport
  | { readonly kind: 'held'; readonly holder: string; readonly retryAfterMs: number | null }
  /** With the lease that came with it all the same. */
  | { readonly kind: 'failed'; readonly fault: ReportFault; readonly lease: ReportLease | null };

/** Asks the server when it may be asked; a fault where robots.txt, or the server's wish to be left alone, forbids it. */
export type Ask = (url: string) => Promise<FetchOutcome | ReportFault>;

export async function readReport(
  ask: Ask,
  question: ReportQuestion,
  onPart: (entries: readonly ReportEntry[], isListing: boolean) => Promise<void>,
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
    const isTooMuch = entries > MOST_ENTRIES_A_PAGE * head.pages + MOST_ENTRIES_BESIDES;
    if (isTooMuch || seen.has(head.cursor)) return failed('endless');
    if (head.isListing !== first.isListing) return failed('bad-line');
    seen.add(head.cursor);
    await onPart(number === 0 ? newIn(part, since) : part.entries, head.isListing);
    if (!head.more) {
      const hasGap = isBehindGap(first, since);
      const whole = { head: { ...head, lease: first.lease }, entries, isListing: head.isListing };
      return { kind: 'report', ...whole, hasGap, clockAheadMs };
    }
    cursor = head.cursor;
  }
  return failed('endless');
}

/** On its own host a report may have moved. */
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
  // What the network cut off, or what does not decode, is no whole report.
  if (reason !== null) return 'cut-off';
  return parseReport(decoded, site);
}

/** Without a holder the site wants to be left alone for a while. */
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

/** Of a plain file, which may begin before our cursor: what came after it. */
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
