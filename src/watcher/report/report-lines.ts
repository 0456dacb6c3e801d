/** The lines of a report as docs/watcher-report.md has them. */
import { safeJson } from '../../core/safe-text.ts';
import type { ChangeKind, WatchedPage } from '../records.ts';
import type { CollapsedChange, ToldPage } from './collapse.ts';
import type { LeaseView } from './lease-keeper.ts';
import type { PageRank } from './report-source.ts';

export const REPORT_VERSION = 1;

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

export function changeLine({ kind, seq, page, from, to }: CollapsedChange, ranks: PageRank): RankedLine {
  return entryLine(kind, page, seq, ranks, from, to);
}

export function pageLine(page: WatchedPage, ranks: PageRank): RankedLine {
  const { key, url, hash, stamp, updates, changedAtMs, events } = page;
  const told = { key, url, hash, size: stamp.size, updates, atMs: changedAtMs, events };
  return entryLine('page', told, page.seq, ranks, null, null);
}

/** The most important first (W2); equal ones by URL, so that the same question has the same answer. */
export function byRank(a: RankedLine, b: RankedLine): number {
  return b.rank - a.rank || (a.url < b.url ? -1 : a.url > b.url ? 1 : 0);
}

/** What is undefined is not in the line. */
function entryLine(
  change: ChangeKind | 'page',
  { url, hash, size, atMs, events }: ToldPage,
  seq: number,
  ranks: PageRank,
  from: string | null,
  to: string | null,
): RankedLine {
  const isThere = change !== 'deleted';
  const isKnown = isThere && hash !== '';
  const rank = rounded(ranks.rank);
  const line = safeJson({
    url,
    change,
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
