/**
 * Reads the next batch of a listener from the store: changes in the order of their commits, without the kinds that the
 * listener does not want, until the batch is full or there are no more changes.
 */

import { setImmediate } from 'node:timers/promises';
import { readDifference } from '../../change/stored-difference.ts';
import { safeJson } from '../../core/safe-text.ts';
import type { PositionStore } from '../../followers/follower.ts';
import type { ChangeEntry, ChangeKind, Store } from '../../store/contract.ts';
import { type DeliveredChange, describeChange, MAX_SHOWN_ON } from './delivered-change.ts';
import type { EditWindow } from './edit-window.ts';
import type { Listener } from './listener.ts';
import { NewestChanges } from './newest-changes.ts';

export type ChangeSource = PositionStore &
  Pick<Store, 'changes' | 'lastChange' | 'sharedEdits' | 'capturesOf' | 'linksToEach' | 'note' | 'setNote' | 'sync'>;

export interface ReadBatch {
  readonly changes: readonly DeliveredChange[];
  /** The last change that was read. */
  readonly through: number;
  /** Whether all changes of the window were read, as far as they have their descriptions. */
  readonly isEnd: boolean;
}

const PAGE_CHANGES = 100;
/** How many changes are searched for the newest ones, if most of them are of unwanted kinds. */
const MAX_LOOK_BACK = 100_000;

const DESCRIBED_KINDS: ReadonlySet<ChangeKind> = new Set(['changed', 'noise', 'returned']);

/** Whether a description of this change can be made, and nobody has made it yet. */
export function isUndescribed({ kind, change }: ChangeEntry): boolean {
  return change === null && DESCRIBED_KINDS.has(kind);
}

/** What a change must fulfil before it is delivered. */
export interface DeliveryRules {
  /** Changes up to this number have the descriptions that they will get. A change without one waits until then. */
  describedThrough(): Promise<number>;
  /** Always the same for the same change. */
  accepts(change: ChangeEntry): Promise<boolean>;
  /** Whether an edit of many pages is delivered once. It is not if each page must meet a condition. */
  readonly joinsEdits: boolean;
}

export const NO_RULES: DeliveryRules = {
  describedThrough: async () => Number.POSITIVE_INFINITY,
  accepts: async () => true,
  joinsEdits: true,
};

/** Where to read: after `after` and up to `until`, or to the end of the window if `until` is 0. */
export interface ReadRange {
  readonly after: number;
  readonly until: number;
  readonly window: EditWindow;
  readonly rules: DeliveryRules;
}

export async function readBatch(
  store: ChangeSource,
  { kinds, limits }: Pick<Listener, 'kinds' | 'limits'>,
  { after, until, window, rules }: ReadRange,
): Promise<ReadBatch> {
  const changes: DeliveredChange[] = [];
  let bytes = 0;
  let through = after;
  const end = until === 0 ? window.through : until;
  for (;;) {
    const { page, isWaiting } = await readPage(store, kinds, through, rules);
    const wanted = page.filter(({ seq, kind }) => kinds.has(kind) && seq <= end);
    if (rules.joinsEdits) await window.read(wanted);
    const shownOn = await pagesShowing(store, wanted);
    for (const entry of page) {
      if (entry.seq > end) return { changes, through, isEnd: until === 0 };
      const edit = kinds.has(entry.kind) ? window.sharedBy(entry) : null;
      const isTold = edit !== null && edit.firstSeq !== entry.seq;
      if (!isTold && kinds.has(entry.kind) && (await rules.accepts(entry))) {
        const described = await describeChange(store, entry, shownOn.get(entry.id), edit);
        bytes += Buffer.byteLength(safeJson(described)) + 1;
        if (changes.length > 0 && bytes > limits.maxBytes) return { changes, through, isEnd: false };
        changes.push(described);
      }
      through = entry.seq;
      if (changes.length >= limits.maxChanges) return { changes, through, isEnd: false };
    }
    if (isWaiting || page.length < PAGE_CHANGES) return { changes, through, isEnd: true };
    // Reading never waits for I/O, so a long run of noise would block the crawl.
    await setImmediate();
  }
}

/** The next changes, without those from the first one on whose description is still being made. */
async function readPage(
  store: ChangeSource,
  kinds: Listener['kinds'],
  through: number,
  { describedThrough }: DeliveryRules,
): Promise<{ readonly page: readonly ChangeEntry[]; readonly isWaiting: boolean }> {
  const isLacking = (entry: ChangeEntry): boolean => kinds.has(entry.kind) && isUndescribed(entry);
  const page = await store.changes(through, PAGE_CHANGES);
  if (!page.some(isLacking)) return { page, isWaiting: false };
  const ready = await describedThrough();
  // Read again: the entries may have been described since they were read.
  const now = await store.changes(through, PAGE_CHANGES);
  const end = now.findIndex((entry) => isLacking(entry) && entry.seq > ready);
  return end < 0 ? { page: now, isWaiting: false } : { page: now.slice(0, end), isWaiting: true };
}

/** The number of changes after `after`, counted up to `max`. */
export async function countWaiting(
  store: ChangeSource,
  { kinds }: Pick<Listener, 'kinds'>,
  after: number,
  max: number,
): Promise<number> {
  let waiting = 0;
  for (let through = after; waiting < max; ) {
    const page = await store.changes(through, PAGE_CHANGES);
    waiting += page.filter(({ kind }) => kinds.has(kind)).length;
    if (page.length < PAGE_CHANGES) break;
    through = page.at(-1)!.seq;
    await setImmediate();
  }
  return Math.min(waiting, max);
}

/** The newest `limit` changes of these kinds, newest first. An edit of many pages on one day is one of them. */
export async function readNewest(
  store: ChangeSource,
  { kinds }: Pick<Listener, 'kinds'>,
  limit: number,
  { accepts, joinsEdits }: Pick<DeliveryRules, 'accepts' | 'joinsEdits'>,
): Promise<readonly DeliveredChange[]> {
  const newest = new NewestChanges(limit, joinsEdits);
  const last = await store.lastChange();
  let before = last + 1;
  let isComplete = false;
  while (before > 1 && !isComplete && last - before < MAX_LOOK_BACK) {
    const after = Math.max(0, before - 1 - PAGE_CHANGES);
    const page = (await store.changes(after, PAGE_CHANGES)).filter(({ seq }) => seq < before);
    for (const entry of page.filter(({ kind }) => kinds.has(kind)).reverse()) {
      isComplete ||= newest.isCompleteAt(entry.atMs);
      if (!isComplete && (await accepts(entry))) newest.add(entry);
    }
    before = after + 1;
    await setImmediate();
  }
  const { shown } = newest;
  const shownOn = await pagesShowing(
    store,
    shown.map(({ entry }) => entry),
  );
  return Promise.all(shown.map(({ entry, edit }) => describeChange(store, entry, shownOn.get(entry.id), edit)));
}

/*
 * A changed image is a change of the pages that show it. In: the changes to deliver. Out: for each
 * image among them, the pages that show it. One search covers all images, because finding the links to
 * a URL reads every link list of the graph.
 */

/** Keyed by the id of the image. */
async function pagesShowing(
  store: Pick<Store, 'linksToEach'>,
  entries: readonly ChangeEntry[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const ids = [...new Set(entries.filter(isChangedImage).map(({ id }) => id))];
  if (ids.length === 0) return NONE;
  const links = await store.linksToEach(ids, MAX_SHOWN_ON);
  return new Map(ids.map((id, i) => [id, links[i]!.map(({ url }) => url)]));
}

const NONE: ReadonlyMap<number, readonly string[]> = new Map();

function isChangedImage({ change }: ChangeEntry): boolean {
  // Most changes are changes of pages. This test finds that out without parsing.
  return change?.includes('"image":{') === true && readDifference(change)?.image != null;
}
