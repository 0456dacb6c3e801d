/**
 * Archive files that the database itself has given up: what is needed of them was copied, and they are about to be
 * removed
 * (retain-files.ts). In: the names, before anything is done to them. Out: which of them may be removed after a crash.
 *
 * Always: a name is noted before the file is created or given up. It counts only while the database has no row for the
 * file, so a
 * crash before the transaction that gives it up leaves the file as it is. Files that nobody noted are never removed.
 */
import type { Store } from '../store/contract.ts';

const NOTE = 'archive-files-given-up';

export async function noteGivenUp(store: Pick<Store, 'note' | 'setNote'>, files: readonly string[]): Promise<void> {
  const before = await noted(store);
  await store.setNote(NOTE, JSON.stringify([...new Set([...before, ...files])]));
}

export async function filesGivenUp(store: Pick<Store, 'note' | 'archiveFiles'>): Promise<ReadonlySet<string>> {
  const names = await noted(store);
  if (names.length === 0) return new Set();
  const known = await store.archiveFiles();
  return new Set(names.filter((file) => !known.has(file)));
}

/** They are removed, or were not given up after all. */
export async function forgetGivenUp(store: Pick<Store, 'note' | 'setNote'>): Promise<void> {
  if ((await noted(store)).length > 0) await store.setNote(NOTE, '[]');
}

async function noted(store: Pick<Store, 'note'>): Promise<string[]> {
  return JSON.parse((await store.note(NOTE)) ?? '[]') as string[];
}
