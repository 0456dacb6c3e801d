/**
 * Retention: old versions go, and the disk space comes back. In: an open store, its archive and a rule. Out: how many captures
 * were dropped, how many archive files were rewritten or removed, and how many bytes that freed.
 *
 * What always holds: what the rule keeps can be read before, during and after, also by other processes, and after a crash
 * at any instant. The store must be open for writing, which keeps a second writer out, and no unit may be at work: a writer
 * remembers where payloads lie. Of a cluster's archive only files in this folder are rewritten. It costs what there is to do; where that is nothing, a look at two small tables.
 */

import { publish, type RetainStep } from '../core/events.ts';
import type { KeepRule } from '../core/keep-rule.ts';
import type { ArchivePlace, KeptContents, Store } from '../store/contract.ts';
import { type FileStore, reclaimSpace } from './retain-files.ts';

export interface Retained {
  readonly captures: number;
  /** Rewritten or removed. */
  readonly files: number;
  readonly bytesFreed: number;
}

export interface RetainOptions {
  /** From 0 to 1: a file of which less is still needed is rewritten. */
  readonly neededShare?: number;
  /** Asked between steps: true ends it early, with all that is done in order. */
  readonly isStopped?: () => boolean;
  /** Of a worker of a cluster, which must be the only one at work: whose the new files are, and where they lie. */
  readonly writer?: ArchivePlace;
}

type RetainStore = Pick<Store, 'dropCaptures'> & FileStore;

const NEEDED_SHARE = 0.5;
/** A transaction's worth: some ten milliseconds. */
const PAGES_AT_ONCE = 500;

export async function retain(
  store: RetainStore,
  archiveDir: string,
  rule: KeepRule,
  nowMs: number,
  { neededShare = NEEDED_SHARE, isStopped = () => false, writer }: RetainOptions = {},
): Promise<Retained> {
  const done = { captures: 0, files: 0, bytesFreed: 0 };
  const tell = (step: RetainStep): void => publish('retain/progress', { step, ...done });
  if (rule.kind !== 'all') {
    await dropOld(store, contentsKeptBy(rule, nowMs), isStopped, (dropped) => {
      done.captures += dropped;
      tell('dropped');
    });
  }
  if (!isStopped()) {
    await reclaimSpace(store, archiveDir, { nowMs, neededShare, isStopped, tell, writer }, (files, bytesFreed) => {
      done.files += files;
      done.bytesFreed += bytesFreed;
      tell('removed');
    });
  }
  return done;
}

function contentsKeptBy(rule: Exclude<KeepRule, { kind: 'all' }>, nowMs: number): KeptContents {
  return rule.kind === 'newest' ? rule : { kind: 'since', sinceMs: nowMs - rule.spanMs };
}

async function dropOld(
  store: RetainStore,
  keep: KeptContents,
  isStopped: () => boolean,
  onDropped: (captures: number) => void,
): Promise<void> {
  let [revisits, needed] = [0, 0];
  for (let round = 0; round < 2; round++) {
    for (let after: number | null = 0; after !== null; ) {
      if (isStopped()) return;
      const some = await store.dropCaptures(keep, after, PAGES_AT_ONCE);
      if (some.dropped > 0) onDropped(some.dropped);
      revisits += some.revisits;
      needed += some.needed;
      after = some.after;
    }
    // A payload may have been needed by a revisit only because that was judged later. Once more, and it is gone.
    if (revisits === 0 || needed === 0) return;
  }
}
