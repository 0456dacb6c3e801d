/** Tests that an edit of many pages is delivered once with its number, in every form, in order and at least once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atomFeed } from '../../../src/crawl/delivery/atom-feed.ts';
import { chatMessage } from '../../../src/crawl/delivery/chat/chat-message.ts';
import type { DeliveredChange } from '../../../src/crawl/delivery/delivered-change.ts';
import { Delivery } from '../../../src/crawl/delivery/delivery.ts';
import { type ChangeBatch, DEFAULT_KINDS, type Listener } from '../../../src/crawl/delivery/listener.ts';
import { NO_RULES, readNewest } from '../../../src/crawl/delivery/read-batch.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';
import { COPY } from './a-batch.ts';
import { ChangeStore, change, settle, until } from './change-store.ts';

const YEAR = { level: 'content', part: 'template', edit: '0123456789abcdef' } as const;
const MINUTE_MS = 60_000;

class Recorder implements Listener {
  readonly name = 'a';
  readonly kinds = new Set(DEFAULT_KINDS);
  readonly limits = { maxChanges: 3, maxBytes: 100_000, gatherMs: 1_000 };
  readonly batches: { readonly id: string; readonly changes: readonly DeliveredChange[] }[] = [];
  isRefusing = false;

  async deliver({ id, changes }: ChangeBatch): Promise<void> {
    this.batches.push({ id, changes });
    if (this.isRefusing) throw new Error('no');
  }

  /** `number of the change × pages` of each batch. */
  get told(): string[] {
    return this.batches.map(({ changes }) => changes.map(({ seq, edit }) => `${seq}×${edit?.pages ?? 1}`).join(' '));
  }
}

/** 40 changes, of which all but the numbers 5, 20 and 35 are the same edit. */
function storeWithEdit(): ChangeStore {
  const store = new ChangeStore();
  for (let seq = 1; seq <= 40; seq++) store.add(change(seq, seq % 15 === 5 ? {} : YEAR));
  return store;
}

async function openAtStart(store: ChangeStore, listener: Listener, clock = new ManualClock()): Promise<Delivery> {
  store.notes.set('delivered/a', JSON.stringify({ arrived: 0, until: 0 }));
  return Delivery.open(store, [listener], clock);
}

test('an edit of many pages is one change of a batch, and the others keep their order', async () => {
  const listener = new Recorder();
  const delivery = await openAtStart(storeWithEdit(), listener);
  const { listeners } = await delivery.finish(1_000);
  assert.deepEqual(listener.told, ['1×37 5×1 20×1', '35×1']);
  assert.deepEqual([listeners[0]!.delivered, listeners[0]!.waiting], [4, 0]);
  const examples = [1, 2, 3, 4, 6].map((seq) => `http://a.test/${seq}`);
  assert.deepEqual(listener.batches[0]!.changes[0]!.edit, { ...YEAR, pages: 37, examples });
});

test('a batch that is delivered again is equal, although more pages have the same edit by now', async () => {
  const store = storeWithEdit();
  const first = new Recorder();
  first.isRefusing = true;
  await (await openAtStart(store, first)).finish(0);
  for (let seq = 41; seq <= 60; seq++) store.add(change(seq, YEAR));
  const second = new Recorder();
  await (await Delivery.open(store, [second], new ManualClock())).finish(1_000);
  assert.deepEqual(second.batches[0], first.batches[0]);
  assert.deepEqual(second.told, ['1×37 5×1 20×1', '35×1', '41×20']);
});

test('while a round runs, an edit of many pages waits for its end, but not for ever', async () => {
  const store = storeWithEdit();
  const clock = new ManualClock();
  const listener = new Recorder();
  const delivery = await openAtStart(store, listener, clock);
  const pass = async (ms: number): Promise<void> => {
    await settle();
    clock.advance(ms);
    await settle();
  };
  await pass(1_000);
  for (let seq = 41; seq <= 50; seq++) store.add(change(seq, YEAR));
  delivery.wake();
  await pass(MINUTE_MS);
  assert.deepEqual(listener.told, []);
  delivery.endRound();
  await until(() => listener.batches.length === 2, 'told at the end of the round');
  assert.equal(listener.told[0], '1×47 5×1 20×1');
  for (let seq = 51; seq <= 70; seq++) store.add(change(seq, YEAR));
  delivery.wake();
  await pass(1_000);
  await pass(4 * MINUTE_MS);
  assert.equal(listener.batches.length, 2);
  await pass(MINUTE_MS);
  assert.equal(listener.told[2], '51×20');
  store.add(change(71));
  delivery.wake();
  await pass(1_000);
  assert.equal(listener.told[3], '71×1', 'other changes do not wait');
  await delivery.finish(1_000);
});

test('changes that must meet a condition are delivered one by one', async () => {
  const listener = new Recorder();
  const store = storeWithEdit();
  store.notes.set('delivered/a', JSON.stringify({ arrived: 0, until: 0 }));
  const rules = { ...NO_RULES, joinsEdits: false };
  await (await Delivery.open(store, [listener], new ManualClock(), rules)).finish(1_000);
  assert.equal(listener.batches.flatMap(({ changes }) => changes).length, 40);
});

test('a chat message begins with the edits of many pages and counts their pages', async () => {
  const listener = new Recorder();
  await (await openAtStart(storeWithEdit(), listener)).finish(1_000);
  const changes = listener.batches[0]!.changes.toReversed();
  const { heading, lines } = chatMessage({ changes });
  assert.equal(heading, '39 changed on a.test');
  assert.deepEqual(
    lines.map(({ title, details }) => [title, details]),
    [
      ['Page 1', 'the same edit on 37 pages'],
      ['Page 20', ''],
      ['Page 5', ''],
    ],
  );
});

test('a feed has one entry for the equal edits of a day, with the same id as they grow', async () => {
  const store = storeWithEdit();
  const newest = () => readNewest(store, { kinds: new Set(DEFAULT_KINDS) }, 5, NO_RULES);
  const entries = async () => (await newest()).map(({ seq, at, edit }) => [seq, at.slice(11, 19), edit?.pages ?? 1]);
  const own = [
    [35, '09:30:35', 1],
    [20, '09:30:20', 1],
    [5, '09:30:05', 1],
  ];
  assert.deepEqual(await entries(), [[1, '09:30:40', 37], ...own]);
  store.add(change(41, YEAR));
  assert.deepEqual(await entries(), [[1, '09:30:41', 38], ...own]);
  const feed = atomFeed(COPY, await newest());
  assert.match(feed, /<title>Changed on 38 pages: Page 1<\/title>/);
  assert.match(feed, /It is the same edit on 38 pages, such as http:\/\/a\.test\/1 http:\/\/a\.test\/2/);
  store.add(change(42, { ...YEAR, atMs: change(42).atMs + 86_400_000 }));
  assert.deepEqual((await entries())[0], [42, '09:30:42', 1], 'another day');
});
