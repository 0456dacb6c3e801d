/**
 * Archive files that the database no longer needs: their needed captures were copied, and the files are
 * about to be removed (retain-files.ts). In: the names, before anything is done to the files. Out: the
 * files that may be removed after a crash.
 *
 * What always holds: a name is noted before the file is created or given up. The note counts only while
 * the database has no row for the file, so a crash before the transaction leaves the file as it is. A
 * file that was not noted is never removed.
 */
import type { Store } from '../../store/contract.ts';

const NOTE = 'archive-files-given-up';

export async function noteFilesToRemove(
  store: Pick<Store, 'note' | 'setNote'>,
  files: readonly string[],
): Promise<void> {
  const before = await noted(store);
  await store.setNote(NOTE, JSON.stringify([...new Set([...before, ...files])]));
}

export async function filesToRemove(store: Pick<Store, 'note' | 'archiveFiles'>): Promise<ReadonlySet<string>> {
  const names = await noted(store);
  if (names.length === 0) return new Set();
  const known = await store.archiveFiles();
  return new Set(names.filter((file) => !known.has(file)));
}

/** Called when the files are removed, or were not given up. */
export async function forgetFilesToRemove(store: Pick<Store, 'note' | 'setNote'>): Promise<void> {
  if ((await noted(store)).length > 0) await store.setNote(NOTE, '[]');
}

async function noted(store: Pick<Store, 'note'>): Promise<string[]> {
  return JSON.parse((await store.note(NOTE)) ?? '[]') as string[];
}
