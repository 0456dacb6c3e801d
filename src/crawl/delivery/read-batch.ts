/**
 * From the store to a listener's next batch: changes in the order in which they were committed, those of other kinds passed
 * over, until the batch is full or there are no more.
 */

import { setImmediate } from 'node:timers/promises';
import { safeJson } from '../../core/safe-text.ts';
import type { ChangeEntry, Store } from '../../store/contract.ts';
import type { Listener } from './listener.ts';
import { pagesShowing } from './shown-on.ts';
import { type ToldChange, tellChange } from './told-change.ts';

export type ChangeSource = Pick<
  Store,
  'changes' | 'lastChange' | 'capturesOf' | 'linksToEach' | 'note' | 'setNote' | 'sync'
>;

export interface ReadBatch {
  readonly changes: readonly ToldChange[];
  /** The last change that was looked at. */
  readonly through: number;
  /** There was nothing more to look at. */
  readonly isEnd: boolean;
}

const PAGE_CHANGES = 100;
/** How far back the newest changes are looked for, where most are of kinds that are not told. */
const MAX_LOOK_BACK = 100_000;

/** Changes behind `after`, none behind `until` unless that is 0. */
export async function readBatch(
  store: ChangeSource,
  { kinds, limits }: Pick<Listener, 'kinds' | 'limits'>,
  after: number,
  until: number,
): Promise<ReadBatch> {
  const changes: ToldChange[] = [];
  let bytes = 0;
  let through = after;
  for (;;) {
    const page = await store.changes(through, PAGE_CHANGES);
    const wanted = page.filter(({ seq, kind }) => kinds.has(kind) && (until === 0 || seq <= until));
    const shownOn = await pagesShowing(store, wanted);
    for (const entry of page) {
      if (until > 0 && entry.seq > until) return { changes, through, isEnd: false };
      if (kinds.has(entry.kind)) {
        const told = await tellChange(store, entry, shownOn.get(entry.id));
        bytes += Buffer.byteLength(safeJson(told)) + 1;
        if (changes.length > 0 && bytes > limits.maxBytes) return { changes, through, isEnd: false };
        changes.push(told);
      }
      through = entry.seq;
      if (changes.length >= limits.maxChanges) return { changes, through, isEnd: false };
    }
    if (page.length < PAGE_CHANGES) return { changes, through, isEnd: true };
    // Reading does not wait for anything, so that a long stretch of noise would hold up the crawl.
    await setImmediate();
  }
}

/** How many changes wait behind `after`; no more than `most` are counted. */
export async function countWaiting(
  store: ChangeSource,
  { kinds }: Pick<Listener, 'kinds'>,
  after: number,
  most: number,
): Promise<number> {
  let waiting = 0;
  for (let through = after; waiting < most; ) {
    const page = await store.changes(through, PAGE_CHANGES);
    waiting += page.filter(({ kind }) => kinds.has(kind)).length;
    if (page.length < PAGE_CHANGES) break;
    through = page.at(-1)!.seq;
    await setImmediate();
  }
  return Math.min(waiting, most);
}

/** The newest `limit` changes of these kinds, newest first. */
export async function readNewest(
  store: ChangeSource,
  { kinds }: Pick<Listener, 'kinds'>,
  limit: number,
): Promise<readonly ToldChange[]> {
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
  const told = newest.slice(0, limit);
  const shownOn = await pagesShowing(store, told);
  return Promise.all(told.map((entry) => tellChange(store, entry, shownOn.get(entry.id))));
}
