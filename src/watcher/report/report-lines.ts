/** The lines of a report, as docs/watcher-report.md defines them. */
import { safeJson } from '../../core/safe-text.ts';
import type { Rank } from '../rank/rank.ts';
import type { ChangeKind, WatchedPage } from '../records.ts';
import { type CollapsedChange, reportedPage } from './collapse.ts';
import type { LeaseView } from './lease-keeper.ts';

const REPORT_VERSION = 1;

export interface ReportHead {
  readonly site: string;
  readonly since: string | null;
  readonly cursor: string;
  readonly more: boolean;
  readonly listing: boolean;
  readonly pages: number;
  readonly atMs: number;
  readonly lease: LeaseView;
}

export interface RankedLine {
  readonly rank: number;
  readonly url: string;
  readonly line: string;
}

/** A change, or a page of a listing. */
interface Entry extends Omit<CollapsedChange, 'kind'> {
  readonly kind: ChangeKind | 'page';
}

export function headLine({ site, since, cursor, more, listing, pages, atMs, lease }: ReportHead): string {
  const head = { 'orbweaver-report': REPORT_VERSION, site, since, cursor, more, listing, pages, at: isoTime(atMs) };
  return `${safeJson({ ...head, lease: leaseField(lease) })}\n`;
}

export function leaseField(lease: LeaseView): Record<string, unknown> {
  if (!lease.held) return { by: lease.by, held: false };
  const { by, holder, untilMs, token } = lease;
  return { by, held: true, holder, until: isoTime(untilMs), ...(token === undefined ? {} : { token }) };
}

export function endLine(entries: number): string {
  return `${safeJson({ end: true, entries })}\n`;
}

export function pageLine(page: WatchedPage, ranks: Rank): RankedLine {
  const shown = reportedPage(page, page.changedAtMs);
  return entryLine({ kind: 'page', page: shown, seq: page.seq, from: null, to: null }, ranks);
}

/** The most important page first (W2). Equal ranks are sorted by URL, so that the same question has the same answer. */
export function byRank(a: RankedLine, b: RankedLine): number {
  return b.rank - a.rank || (a.url < b.url ? -1 : a.url > b.url ? 1 : 0);
}

/** Undefined fields do not appear in the line. */
export function entryLine({ kind, page, seq, from, to }: Entry, ranks: Rank): RankedLine {
  const { url, hash, size, atMs, events } = page;
  const isThere = kind !== 'deleted';
  const isKnown = isThere && hash !== '';
  const rank = rounded(ranks.rank);
  const line = safeJson({
    url,
    change: kind,
    seq,
    at: isoTime(atMs),
    rank,
    frequency: isThere ? rounded(ranks.frequency) : undefined,
    level: isThere ? rounded(ranks.level) : undefined,
    hash: isKnown ? hash : undefined,
    size: isKnown ? size : undefined,
    from: from ?? undefined,
    to: to ?? undefined,
    events: isThere && events.length > 0 ? events : undefined,
  });
  return { rank, url, line: `${line}\n` };
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

const LAST_TIME_MS = 8.64e15;

export function isoTime(ms: number): string {
  return new Date(Number.isFinite(ms) ? Math.min(Math.max(Math.trunc(ms), 0), LAST_TIME_MS) : 0).toISOString();
}
