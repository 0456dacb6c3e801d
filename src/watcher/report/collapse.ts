/**
 * Collapses several changes of one URL into one entry, or none. In: changes, in order. Out: the entries for
 * a reader that knew the state before the first change. What always holds: a reader that applies the
 * entries has the state after the last change.
 *
 * Only the state before and the state after count: whether there was a page, and with which content. For
 * changes that the reader may already have seen (`unsureUpTo`) the state before is unknown, so such a URL
 * is always reported with its current state.
 */
import type { Change, ChangeKind, DynamicEvent, WatchedPage } from '../records.ts';

/**
 * The fields of a page that a report contains. Only these are kept in memory, because
 * thousands of pages are collapsed at a time.
 */
export interface ReportedPage {
  readonly key: string;
  readonly url: string;
  readonly hash: string;
  readonly size: number;
  readonly updates: number;
  readonly atMs: number;
  readonly events: readonly DynamicEvent[];
}

export interface CollapsedChange {
  readonly kind: ChangeKind;
  /** The current page, or the last state of a deleted page. */
  readonly page: ReportedPage;
  readonly seq: number;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * A file behind a URL. A file that replaces another file (a/index.html replaces
 * a.html) is a second slot of the same URL.
 */
interface Slot {
  readonly key: string;
  readonly was: string | null;
  page: ReportedPage;
  isThere: boolean;
}

interface Touched {
  readonly url: string;
  /** Nearly always one slot. The slot that changed last is at the end. */
  readonly slots: Slot[];
  seq: number;
  /** The new URL of a deleted page, from its last change. */
  to: string | null;
  isUnsure: boolean;
  /** The URL that this page had in the state before; null if the page did not exist. */
  origin: string | null;
}

export class Collapse {
  readonly #unsureUpTo: number;
  readonly #touched = new Map<string, Touched>();
  #entryCount = 0;

  constructor(unsureUpTo = 0) {
    this.#unsureUpTo = unsureUpTo;
  }

  /** Number of entries so far. One more change adds at most one entry. */
  get entryCount(): number {
    return this.#entryCount;
  }

  get touchedCount(): number {
    return this.#touched.size;
  }

  add(change: Change): void {
    const { url, key } = change.page;
    const known = this.#touched.get(url);
    const touched = known ?? {
      url,
      slots: [],
      seq: 0,
      to: null,
      isUnsure: false,
      origin: change.was === null ? null : url,
    };
    if (known === undefined) this.#touched.set(url, touched);
    const wasReported = kindOf(touched) !== null;
    const at = touched.slots.findIndex((slot) => slot.key === key);
    const page = reportedPage(change.page, change.atMs);
    const isThere = change.kind !== 'deleted';
    if (at < 0 && change.kind === 'updated') takeOver(touched.slots, change.was);
    const slot = at < 0 ? { key, was: change.was, page, isThere } : touched.slots.splice(at, 1)[0]!;
    slot.page = page;
    slot.isThere = isThere;
    touched.slots.push(slot);
    touched.seq = change.seq;
    touched.to = change.to;
    touched.isUnsure ||= change.seq <= this.#unsureUpTo;
    if (change.kind === 'new') touched.origin = this.#originOf(change.from);
    this.#entryCount += Number(kindOf(touched) !== null) - Number(wasReported);
  }

  entries(): CollapsedChange[] {
    const movedTo = new Map<string, string>();
    for (const { url, origin, slots } of this.#touched.values()) {
      if (origin !== null && origin !== url && present(slots) !== null) movedTo.set(origin, url);
    }
    const entries: CollapsedChange[] = [];
    for (const touched of this.#touched.values()) {
      const kind = kindOf(touched);
      if (kind === null) continue;
      const { url, seq, slots } = touched;
      entries.push({
        kind,
        seq,
        page: present(slots) ?? slots.at(-1)!.page,
        from: kind === 'new' ? this.#fromOf(touched) : null,
        to: kind === 'deleted' ? (movedTo.get(url) ?? this.#laterTo(touched)) : null,
      });
    }
    return entries;
  }

  #originOf(from: string | null): string | null {
    if (from === null) return null;
    const touched = this.#touched.get(from);
    return touched === undefined ? from : touched.origin;
  }

  /** Names the old URL only if the reader knew that page and is told, now or earlier, that it is deleted. */
  #fromOf({ url, origin }: Touched): string | null {
    if (origin === null || origin === url) return null;
    const before = this.#touched.get(origin);
    return before === undefined || kindOf(before) === 'deleted' ? origin : null;
  }

  /** The other half of a move may come with the next report. */
  #laterTo({ to }: Touched): string | null {
    return to === null || this.#touched.has(to) ? null : to;
  }
}

function kindOf({ slots, isUnsure }: Touched): ChangeKind | null {
  const before = slots.find(({ was }) => was !== null)?.was ?? null;
  const after = present(slots)?.hash ?? null;
  if (after === null) return before !== null || (isUnsure && slots.length > 0) ? 'deleted' : null;
  if (before === null) return 'new';
  return isUnsure || !isSameContent(before, after) ? 'updated' : null;
}

/** An unknown hash equals no hash, not even itself. */
function isSameContent(before: string, after: string): boolean {
  return before === after && before !== '';
}

function present(slots: readonly Slot[]): ReportedPage | null {
  for (let i = slots.length - 1; i >= 0; i--) if (slots[i]!.isThere) return slots[i]!.page;
  return null;
}

/**
 * A file whose first change is an update has replaced the file that had the content before. The replaced file is gone.
 */
function takeOver(slots: readonly Slot[], was: string | null): void {
  const taken = slots.findLast((slot) => slot.isThere && slot.page.hash === was);
  if (taken !== undefined) taken.isThere = false;
}

export function reportedPage({ key, url, hash, stamp, updates, events }: WatchedPage, atMs: number): ReportedPage {
  return { key, url, hash, size: stamp.size, updates, atMs, events };
}
