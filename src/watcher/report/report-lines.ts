/** The lines of a report as docs/watcher-report.md has them. */
import type { WatchedPage } from '../records.ts';
import type { CollapsedChange } from './collapse.ts';
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
  return `${JSON.stringify({ ...head, lease: leaseField(lease) })}\n`;
}

export function leaseField(lease: LeaseView): Record<string, unknown> {
  if (!lease.held) return { by: lease.by, held: false };
  const { by, holder, untilMs, token } = lease;
  return { by, held: true, holder, until: isoTime(untilMs), ...(token === undefined ? {} : { token }) };
}

export function endLine(entries: number): string {
  return `${JSON.stringify({ end: true, entries })}\n`;
}

export function changeLine({ kind, url, seq, change, from, to }: CollapsedChange, ranks: PageRank): RankedLine {
  const rank = rounded(ranks.rank);
  const start = { url, change: kind, seq, at: isoTime(change.atMs), rank };
  const whole =
    kind === 'deleted'
      ? { ...start, ...(to === null ? {} : { to }) }
      : { ...start, ...contentFields(change.page, ranks, from) };
  return { rank, url, line: `${JSON.stringify(whole)}\n` };
}

export function pageLine(page: WatchedPage, ranks: PageRank): RankedLine {
  const rank = rounded(ranks.rank);
  const start = { url: page.url, change: 'page', seq: page.seq, at: isoTime(page.changedAtMs), rank };
  return { rank, url: page.url, line: `${JSON.stringify({ ...start, ...contentFields(page, ranks, null) })}\n` };
}

/** The most important first (W2); equal ones by URL, so that the same question has the same answer. */
export function byRank(a: RankedLine, b: RankedLine): number {
  return b.rank - a.rank || (a.url < b.url ? -1 : a.url > b.url ? 1 : 0);
}

function contentFields({ hash, stamp, events }: WatchedPage, { frequency, level }: PageRank, from: string | null) {
  return {
    frequency: rounded(frequency),
    level: rounded(level),
    ...(hash === '' ? {} : { hash, size: stamp.size }),
    ...(from === null ? {} : { from }),
    ...(events.length === 0 ? {} : { events }),
  };
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

const LAST_TIME_MS = 8.64e15;

export function isoTime(ms: number): string {
  return new Date(Number.isFinite(ms) ? Math.min(Math.max(Math.trunc(ms), 0), LAST_TIME_MS) : 0).toISOString();
}
