/**
 * Reads the next batch of a listener from the store: changes in the order of their commits, without the kinds that the
 * listener does not want, until the batch is full or there are no more changes.
 */

import { setImmediate } from 'node:timers/promises';
import { readDifference } from '../../change/stored-difference.ts';
import { safeJson } from '../../core/safe-text.ts';
import type { ChangeEntry, Store } from '../../store/contract.ts';
import { type DeliveredChange, describeChange, MAX_SHOWN_ON } from './delivered-change.ts';
import type { Listener } from './listener.ts';

export type ChangeSource = Pick<
  Store,
  'changes' | 'lastChange' | 'capturesOf' | 'linksToEach' | 'note' | 'setNote' | 'sync'
>;

export interface ReadBatch {
  readonly changes: readonly DeliveredChange[];
  /** The last change that was read. */
  readonly through: number;
  /** Whether all changes were read. */
  readonly isEnd: boolean;
}

const PAGE_CHANGES = 100;
/** How many changes are searched for the newest ones, if most of them are of unwanted kinds. */
const MAX_LOOK_BACK = 100_000;

/** Reads changes after `after` and up to `until`. If `until` is 0, there is no upper limit. */
export async function readBatch(
  store: ChangeSource,
  { kinds, limits }: Pick<Listener, 'kinds' | 'limits'>,
  after: number,
  until: number,
): Promise<ReadBatch> {
  const changes: DeliveredChange[] = [];
  let bytes = 0;
  let through = after;
  for (;;) {
    const page = await store.changes(through, PAGE_CHANGES);
    const wanted = page.filter(({ seq, kind }) => kinds.has(kind) && (until === 0 || seq <= until));
    const shownOn = await pagesShowing(store, wanted);
    for (const entry of page) {
      if (until > 0 && entry.seq > until) return { changes, through, isEnd: false };
      if (kinds.has(entry.kind)) {
        const described = await describeChange(store, entry, shownOn.get(entry.id));
        bytes += Buffer.byteLength(safeJson(described)) + 1;
        if (changes.length > 0 && bytes > limits.maxBytes) return { changes, through, isEnd: false };
        changes.push(described);
      }
      through = entry.seq;
      if (changes.length >= limits.maxChanges) return { changes, through, isEnd: false };
    }
    if (page.length < PAGE_CHANGES) return { changes, through, isEnd: true };
    // Reading never waits for I/O, so a long run of noise would block the crawl.
    await setImmediate();
  }
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

/** The newest `limit` changes of these kinds, newest first. */
export async function readNewest(
  store: ChangeSource,
  { kinds }: Pick<Listener, 'kinds'>,
  limit: number,
): Promise<readonly DeliveredChange[]> {
  const newest: ChangeEntry[] = [];
  const last = await store.lastChange();
  let before = last + 1;
  while (before > 1 && newest.length < limit && last - before < MAX_LOOK_BACK) {
    const after = Math.max(0, before - 1 - PAGE_CHANGES);
    const page = (await store.changes(after, PAGE_CHANGES)).filter(({ seq }) => seq < before);
    newest.push(...page.filter(({ kind }) => kinds.has(kind)).reverse());
    before = after + 1;
    await setImmediate();
  }
  const shown = newest.slice(0, limit);
  const shownOn = await pagesShowing(store, shown);
  return Promise.all(shown.map((entry) => describeChange(store, entry, shownOn.get(entry.id))));
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
