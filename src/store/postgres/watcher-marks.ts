/** Marks of pages that watchers told of (stub). */
import type { CommitBatch, UrlState } from '../contract.ts';
import type { WorkingSet } from './working-set.ts';

export async function setMarks(
  _set: WorkingSet,
  _batch: CommitBatch,
  _states: readonly (UrlState | null)[],
): Promise<void> {}
