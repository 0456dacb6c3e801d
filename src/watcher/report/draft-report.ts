/**
 * A question becomes the entries of a report. A question and the memory come in; ranked lines and the cursor to go on with
 * come out. Always holds: who asks on with the cursor misses nothing and, listings and plain files aside, is told of no page that is as it was;
 * and however much happened, a report has at most `limit` entries and is put together in memory for no more than 10,000 URLs.
 */
import type { Change, WatchedPage } from '../records.ts';
import { Collapse } from './collapse.ts';
import { type Cursor, changeCursor, listingCursor } from './cursor.ts';
import { byRank, changeLine, pageLine, type RankedLine } from './report-lines.ts';
import type { ReportMemory, ReportSource } from './report-source.ts';

export const MAX_ENTRIES = 10_000;
/** What is read of the memory at a time. */
const PIECE = 1_000;
/** Many changes of few URLs: the reader gets what there is by then, and asks on. */
const MAX_CHANGES_READ = 200_000;
/** What scripts of pages do may be long: of a report that much of it, and what one page more has. */
const MAX_EVENT_CHARACTERS = 4_000_000;

export interface ReportQuestion {
  readonly since: Cursor | null;
  readonly limit: number;
}

/** A report without its head's fields that change by the minute. */
export interface ReportDraft {
  readonly since: string | null;
  readonly cursor: string;
  readonly more: boolean;
  readonly listing: boolean;
  readonly lines: readonly RankedLine[];
}

export async function draftReport(source: ReportSource, { since, limit }: ReportQuestion): Promise<ReportDraft> {
  if (limit === 0) return headAlone(source);
  const { memory } = source;
  const isKept = since !== null && since.epoch === memory.epoch && since.seq >= memory.oldestSeq;
  // A number that was never given: the memory was put back to an earlier state.
  if (!isKept || since.seq > memory.lastSeq) return draftListing(source, null, limit);
  if (since.kind === 'listing') return draftListing(source, since, limit);
  return (await draftChanges(source, since, limit)) ?? draftListing(source, null, limit);
}

/** To learn the cursor. */
function headAlone({ memory }: ReportSource): ReportDraft {
  const cursor = changeCursor(memory.epoch, memory.lastSeq);
  return { since: cursor, cursor, more: false, listing: false, lines: [] };
}

/** Null where changes it needs were dropped while they were read. */
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
      if (!isTold(memory, change)) continue;
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
 * The last changes of a site, for readers who stand anywhere in between: nothing is summed up to nothing, as it may be what
 * one of them knows otherwise.
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
    for (const change of piece) if (change.seq <= lastSeq && isTold(memory, change)) collapse.add(change);
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
    // One more than is wanted says whether there are more.
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

function isTold(memory: ReportMemory, { page }: Change): boolean {
  return memory.isTold?.(page.url) ?? true;
}

function eventLength({ events }: WatchedPage): number {
  return events.length === 0 ? 0 : JSON.stringify(events).length;
}

function linesOf(source: ReportSource, collapse: Collapse): RankedLine[] {
  const { memory } = source;
  // Not before they are summed up: what came and went is nothing to who knew neither.
  const entries = collapse
    .entries()
    .filter(({ kind, page }) => kind === 'deleted' || (memory.isStillPage?.(page) ?? true));
  return entries.map((entry) => changeLine(entry, source.rankOf(entry.page))).sort(byRank);
}
