/**
 * Turns a question into the entries of a report. In: a question and the memory. Out: ranked lines and the next
 * cursor. What always holds: a reader that continues with the cursor misses nothing and, except in listings and
 * plain files, gets no unchanged page; however much happened, a report has at most `limit` entries, and
 * building it needs memory for at most 10,000 URLs.
 */
import type { Change, WatchedPage } from '../records.ts';
import { Collapse } from './collapse.ts';
import { type Cursor, changeCursor, listingCursor } from './cursor.ts';
import { byRank, entryLine, pageLine, type RankedLine, type ReportHead } from './report-lines.ts';
import type { ReportMemory, ReportSource } from './report-source.ts';

export const MAX_ENTRIES = 10_000;
/** Number of pages or changes read from the memory at a time. */
const PIECE = 1_000;
/** Limit for many changes of few URLs. The reader gets the entries found so far and asks again. */
const MAX_CHANGES_READ = 200_000;
/** Events of scripts can be long. A report stops after this many characters of events, plus those of one more page. */
const MAX_EVENT_CHARACTERS = 4_000_000;

export interface ReportQuestion {
  readonly since: Cursor | null;
  readonly limit: number;
}

/** A report without the head fields that change every minute. */
export interface ReportDraft extends Pick<ReportHead, 'since' | 'cursor' | 'more' | 'listing'> {
  readonly lines: readonly RankedLine[];
}

export async function draftReport(source: ReportSource, { since, limit }: ReportQuestion): Promise<ReportDraft> {
  if (limit === 0) return headAlone(source);
  const { memory } = source;
  const isKept = since !== null && since.epoch === memory.epoch && since.seq >= memory.oldestSeq;
  // A number above `lastSeq` was never given: the memory was restored to an earlier state.
  if (!isKept || since.seq > memory.lastSeq) return draftListing(source, null, limit);
  if (since.kind === 'listing') return draftListing(source, since, limit);
  return (await draftChanges(source, since, limit)) ?? draftListing(source, null, limit);
}

/** For readers that only want the cursor. */
function headAlone({ memory }: ReportSource): ReportDraft {
  const cursor = changeCursor(memory.epoch, memory.lastSeq);
  return { since: cursor, cursor, more: false, listing: false, lines: [] };
}

/** Null if needed changes were dropped from the journal while they were read. */
async function draftChanges(
  source: ReportSource,
  since: Cursor & { kind: 'change' },
  limit: number,
): Promise<ReportDraft | null> {
  const { memory } = source;
  const { epoch, lastSeq } = memory;
  const collapse = new Collapse(since.unsureUpTo);
  let seq = since.seq;
  let eventCharacters = 0;
  const isFull = () =>
    collapse.entryCount >= limit ||
    collapse.touchedCount >= MAX_ENTRIES ||
    seq - since.seq >= MAX_CHANGES_READ ||
    eventCharacters >= MAX_EVENT_CHARACTERS;
  while (seq < lastSeq && !isFull()) {
    const piece = await memory.changes(seq, Math.min(PIECE, lastSeq - seq));
    if (piece[0]?.seq !== seq + 1) return null;
    for (const change of piece) {
      if (isFull() || change.seq > lastSeq) break;
      seq = change.seq;
      if (!isReported(memory, change)) continue;
      collapse.add(change);
      eventCharacters += eventLength(change.page);
    }
  }
  return {
    since: changeCursor(epoch, since.seq, since.unsureUpTo),
    cursor: changeCursor(epoch, seq, since.unsureUpTo),
    more: seq < lastSeq,
    listing: false,
    lines: linesOf(source, collapse),
  };
}

/**
 * The last changes of a site, for readers with any cursor in this range. No URL is collapsed to nothing, because a
 * reader may know a state in between.
 */
export async function draftLastChanges(source: ReportSource, most: number): Promise<ReportDraft> {
  const { memory } = source;
  const { epoch, lastSeq } = memory;
  const first = Math.max(memory.oldestSeq, lastSeq - most);
  let collapse = new Collapse(lastSeq);
  let since = first;
  for (let seq = first; seq < lastSeq; ) {
    const piece: readonly Change[] = await memory.changes(seq, Math.min(PIECE, lastSeq - seq));
    if (piece.length === 0) break;
    if (piece[0]!.seq !== seq + 1) {
      collapse = new Collapse(lastSeq);
      since = piece[0]!.seq - 1;
    }
    for (const change of piece) if (change.seq <= lastSeq && isReported(memory, change)) collapse.add(change);
    seq = piece.at(-1)!.seq;
  }
  const [from, cursor] = [changeCursor(epoch, since), changeCursor(epoch, lastSeq)];
  return { since: from, cursor, more: false, listing: false, lines: linesOf(source, collapse) };
}

async function draftListing(
  source: ReportSource,
  goesOn: (Cursor & { kind: 'listing' }) | null,
  limit: number,
): Promise<ReportDraft> {
  const { memory } = source;
  const { epoch } = memory;
  const began = goesOn?.seq ?? memory.lastSeq;
  const lines: RankedLine[] = [];
  let key = goesOn?.afterKey ?? null;
  let more = true;
  let eventCharacters = 0;
  const isFull = () => lines.length >= limit || eventCharacters >= MAX_EVENT_CHARACTERS;
  while (more && !isFull()) {
    const wanted = Math.min(PIECE, limit - lines.length);
    // One page more than wanted shows whether there are more pages.
    const piece = await memory.pages(key, wanted + 1);
    more = piece.length > wanted;
    for (const page of piece.slice(0, wanted)) {
      if (isFull()) {
        more = true;
        break;
      }
      lines.push(pageLine(page, source.rankOf(page)));
      key = page.key;
      eventCharacters += eventLength(page);
    }
  }
  return {
    since: goesOn === null ? null : listingCursor(epoch, began, goesOn.afterKey),
    cursor: more ? listingCursor(epoch, began, key!) : changeCursor(epoch, began, memory.lastSeq),
    more,
    listing: true,
    lines: lines.sort(byRank),
  };
}

function isReported(memory: ReportMemory, { page }: Change): boolean {
  return memory.isReported?.(page.url) ?? true;
}

function eventLength({ events }: WatchedPage): number {
  return events.length === 0 ? 0 : JSON.stringify(events).length;
}

function linesOf(source: ReportSource, collapse: Collapse): RankedLine[] {
  const { memory } = source;
  // Filters after the collapse, because a page that came and went means nothing to a reader that knew neither state.
  const entries = collapse
    .entries()
    .filter(({ kind, page }) => kind === 'deleted' || (memory.isStillPage?.(page) ?? true));
  return entries.map((entry) => entryLine(entry, source.rankOf(entry.page))).sort(byRank);
}
