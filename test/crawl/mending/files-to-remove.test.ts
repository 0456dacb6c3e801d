import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesToRemove, forgetFilesToRemove, noteFilesToRemove } from '../../../src/crawl/mending/files-to-remove.ts';

test('a noted file may be removed only while the database has no row for it', async () => {
  const notes = new Map<string, string>();
  const known = new Map([['old', 10]]);
  const store = {
    note: async (name: string) => notes.get(name) ?? null,
    setNote: async (name: string, value: string) => void notes.set(name, value),
    archiveFiles: async () => known,
  };
  assert.deepEqual([...(await filesToRemove(store))], []);
  await noteFilesToRemove(store, ['new']);
  await noteFilesToRemove(store, ['old', 'new']);
  assert.deepEqual([...(await filesToRemove(store))], ['new']);
  known.delete('old');
  assert.deepEqual([...(await filesToRemove(store))].sort(), ['new', 'old']);
  await forgetFilesToRemove(store);
  assert.deepEqual([...(await filesToRemove(store))], []);
});
