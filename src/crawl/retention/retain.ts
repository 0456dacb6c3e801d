/**
 * Retention: drops old versions and frees their disk space. In: an open store, its archive and a rule. Out: the number
 * of dropped captures, the number of archive files rewritten or removed, and the bytes freed.
 *
 * What always holds: the versions that the rule keeps are readable before, during and after, also by other processes,
 * and after a crash at any moment. The store must be open for writing, which excludes a second writer, and no unit may
 * be working, because a writer remembers the places of payloads. In a cluster, only files in this folder are rewritten.
 * The cost depends on the work; with nothing to do, it is a query of two small tables.
 */

import { publish, type RetainStep } from '../../core/events.ts';
import type { KeepRule } from '../../core/options/keep-rule.ts';
import type { ArchivePlace, KeptContents, Store } from '../../store/contract.ts';
import { type FileStore, reclaimSpace } from './retain-files.ts';

export interface Retained {
  readonly captures: number;
  /** Archive files rewritten or removed. */
  readonly files: number;
  readonly bytesFreed: number;
}

export interface RetainOptions {
  /** From 0 to 1: a file is rewritten if less than this share of it is needed. */
  readonly neededShare?: number;
  /** Called between steps: true ends the work early, in a consistent state. */
  readonly isStopped?: () => boolean;
  /** For a worker of a cluster, which must be the only one at work: the owner and folder of the new files. */
  readonly writer?: ArchivePlace;
}

type RetainStore = Pick<Store, 'dropCaptures' | 'setNote'> & FileStore;

/** The note that changes when versions were dropped. */
export const DROPPED_NOTE = 'captures-dropped';
const NEEDED_SHARE = 0.5;
/** The pages of one transaction, which takes some ten milliseconds. */
const PAGES_AT_ONCE = 500;

export async function retain(
  store: RetainStore,
  archiveDir: string,
  rule: KeepRule,
  nowMs: number,
  { neededShare = NEEDED_SHARE, isStopped = () => false, writer }: RetainOptions = {},
): Promise<Retained> {
  const done = { captures: 0, files: 0, bytesFreed: 0 };
  const onStep = (step: RetainStep): void => publish('retain/progress', { step, ...done });
  if (rule.kind !== 'all') {
    await dropOld(store, contentsKeptBy(rule, nowMs), isStopped, (dropped) => {
      done.captures += dropped;
      onStep('dropped');
    });
  }
  if (!isStopped()) {
    await reclaimSpace(store, archiveDir, { nowMs, neededShare, isStopped, onStep, writer }, (files, bytesFreed) => {
      done.files += files;
      done.bytesFreed += bytesFreed;
      onStep('removed');
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
      if (some.dropped > 0) {
        // The index of versions compares its versions with the copy when this changes.
        await store.setNote(DROPPED_NOTE, crypto.randomUUID());
        onDropped(some.dropped);
      }
      revisits += some.revisits;
      needed += some.needed;
      after = some.after;
    }
    // A payload may have been kept only for a revisit record that was dropped after it was
    // judged. A second round drops it.
    if (revisits === 0 || needed === 0) return;
  }
}
