/** Tests how workers learn about notes, with a store that answers when the test allows it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedNotes } from '../../../src/crawl/cluster/shared-notes.ts';
import type { ParameterLesson, Store } from '../../../src/store/contract.ts';
import { FakeCluster } from './setup/fake-cluster.ts';

const LESSON = { host: 'http://h.example', space: '/', name: 'sid' };

test('of two concurrent reads of notes, the older one does not overwrite the newer one', async () => {
  const cluster = new FakeCluster();
  const slow = Promise.withResolvers<void>();
  let verdict: ParameterLesson['verdict'] = 'open';
  const answers = [
    () => slow.promise.then(() => [{ ...LESSON, verdict: 'needed' }]),
    async () => [{ ...LESSON, verdict: 'ignored' }],
  ];
  const store = {
    note: async () => null,
    lessons: () => answers.shift()!(),
    watchers: async () => [],
  } as unknown as Store;
  const notes = new SharedNotes(store, cluster, 1);
  notes.listen((_seeds, _lessons, changed) => {
    for (const lesson of changed) verdict = lesson.verdict;
  });
  const both = [notes.readUpTo(2), notes.readUpTo(3)];
  await new Promise((resolve) => setImmediate(resolve));
  slow.resolve();
  await Promise.all(both);
  assert.equal(verdict, 'ignored');
  assert.equal(answers.length, 0);
  await notes.readUpTo(2);
});

test('a failed read of notes does not block the next read', async () => {
  let fails = 1;
  const store = {
    note: async () => {
      if (fails-- > 0) throw new Error('cut');
      return null;
    },
    lessons: async () => [],
    watchers: async () => [],
  } as unknown as Store;
  const notes = new SharedNotes(store, new FakeCluster(), 1);
  let heard = 0;
  notes.listen(() => void heard++);
  const both = [notes.readUpTo(2), notes.readUpTo(2)];
  await assert.rejects(both[0]!, /cut/);
  await both[1];
  assert.equal(heard, 1);
});
