/** Tests which listener is told which changes, when, and which changes remain, with a manual clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../../src/core/events.ts';
import { Delivery } from '../../../src/crawl/delivery/delivery.ts';
import {
  type ChangeBatch,
  DEFAULT_KINDS,
  DeliveryFailure,
  type Listener,
} from '../../../src/crawl/delivery/listener.ts';
import type { ChangeKind } from '../../../src/store/contract.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';
import { ChangeStore, change, settle, until } from './change-store.ts';

/** Records every batch that it receives. `answer` may throw. */
class Recorder implements Listener {
  readonly name: string;
  readonly kinds: ReadonlySet<ChangeKind> = new Set(DEFAULT_KINDS);
  readonly limits = { maxChanges: 3, maxBytes: 100_000, gatherMs: 1_000 };
  readonly showsState?: boolean;
  readonly batches: { readonly id: string; readonly seqs: readonly number[] }[] = [];
  readonly attempts: number[] = [];
  readonly answer: (attempt: number, batch: ChangeBatch, signal: AbortSignal) => Promise<void> | void;

  constructor(name: string, answer: Recorder['answer'] = () => {}, facts: Partial<Listener> = {}) {
    this.name = name;
    this.answer = answer;
    Object.assign(this, facts);
  }

  async deliver(batch: ChangeBatch, signal: AbortSignal): Promise<void> {
    this.attempts.push(batch.changes.length);
    await this.answer(this.attempts.length, batch, signal);
    this.batches.push({ id: batch.id, seqs: batch.changes.map(({ seq }) => seq) });
  }

  get seqs(): readonly number[] {
    return this.batches.flatMap(({ seqs }) => seqs);
  }
}

const noteOf = (store: ChangeStore, name: string) => JSON.parse(store.notes.get(`delivered/${name}`)!);

async function run(store: ChangeStore, ...listeners: readonly Recorder[]) {
  const delivery = await Delivery.open(store, listeners, new ManualClock());
  return delivery.finish(0);
}

test('a new listener receives all later changes, in order, in batches', async () => {
  const store = new ChangeStore();
  store.addMany(1, 5);
  const listener = new Recorder('a');
  const delivery = await Delivery.open(store, [listener], new ManualClock());
  store.addMany(6, 12);
  const report = await delivery.finish(1_000);
  assert.deepEqual(
    listener.batches.map(({ seqs }) => seqs),
    [[6, 7, 8], [9, 10, 11], [12]],
  );
  assert.deepEqual(report, {
    listeners: [{ name: 'a', delivered: 7, waiting: 0, failure: null, isHeld: false }],
    leftovers: [],
  });
  assert.deepEqual(noteOf(store, 'a'), { arrived: 12, until: 0 });
  assert.ok(store.syncs >= 3, 'each batch is on the disk before it is told');
});

test('the next run continues the delivery where the last one stopped', async () => {
  const store = new ChangeStore();
  await run(store, new Recorder('a'));
  store.addMany(1, 4);
  const second = new Recorder('a');
  await run(store, second);
  store.addMany(5, 6);
  const third = new Recorder('a');
  await run(store, third);
  assert.deepEqual(
    [second.seqs, third.seqs],
    [
      [1, 2, 3, 4],
      [5, 6],
    ],
  );
});

test('changes are gathered for a moment, and more wake calls cost nothing meanwhile', async () => {
  const store = new ChangeStore();
  const clock = new ManualClock();
  const listener = new Recorder('a');
  const delivery = await Delivery.open(store, [listener], clock);
  await settle();
  clock.advance(1_000);
  await settle();
  for (let seq = 1; seq <= 3; seq++) {
    store.add(change(seq));
    delivery.wake();
    await settle();
    clock.advance(100);
  }
  await settle();
  assert.deepEqual(listener.batches, [], 'not yet');
  clock.advance(900);
  await until(() => listener.batches.length === 1, 'told after a second');
  assert.deepEqual(listener.seqs, [1, 2, 3]);
  store.add(change(4));
  assert.equal((await delivery.finish(1_000)).listeners[0]!.delivered, 4);
});

test('a failing listener is retried with growing delays and delays no other listener', async () => {
  const store = new ChangeStore();
  const clock = new ManualClock();
  const failing = new Recorder('failing', (attempt) => {
    if (attempt <= 11) throw new Error(`no\x1b[31m ${attempt}`);
  });
  const fine = new Recorder('fine');
  const warnings: string[] = [];
  const silence = listen('crawl/warning', ({ message }) => warnings.push(message));
  const delivery = await Delivery.open(store, [failing, fine], clock);
  store.addMany(1, 4);
  await settle();
  clock.advance(1_000);
  await until(() => fine.seqs.length === 4, 'the other one is told');
  assert.equal(failing.attempts.length, 1);
  const waits: number[] = [];
  for (let attempt = 2; attempt <= 12; attempt++) {
    let waitedMs = 0;
    await settle();
    for (; failing.attempts.length < attempt; waitedMs += 1_000) {
      delivery.wake();
      clock.advance(1_000);
      await settle();
    }
    waits.push(waitedMs / 1_000);
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  await delivery.finish(1_000);
  silence();
  assert.deepEqual(failing.seqs, [1, 2, 3, 4], 'nothing lost, nothing out of order');
  assert.deepEqual(warnings, ['failing: 3 changes were not delivered: no [31m 1; the delivery is retried']);
});

test('one line reports undelivered changes, and the end does not wait for a retry after the deadline', async () => {
  const store = new ChangeStore();
  await run(store, new Recorder('a'), new Recorder('b'));
  store.addMany(1, 4);
  const clock = new ManualClock();
  const a = new Recorder('a', () => {
    throw new DeliveryFailure('it answered 503', { retryAfterMs: 3_600_000 });
  });
  const delivery = await Delivery.open(store, [a, new Recorder('b')], clock);
  const report = await delivery.finish(30_000);
  assert.deepEqual(a.attempts, [3]);
  assert.deepEqual(report.leftovers, ['a: 4 changes were not delivered: it answered 503; the next run tries again']);
  assert.deepEqual(
    report.listeners.map(({ delivered, waiting }) => [delivered, waiting]),
    [
      [0, 4],
      [4, 0],
    ],
  );
  assert.equal(clock.pending, 0, 'no timer is left');
});

test('a listener is retried until the deadline at the end of the run', async () => {
  const store = new ChangeStore();
  const clock = new ManualClock();
  const listener = new Recorder('a', (attempt) => {
    if (attempt < 3) throw new Error('not yet');
  });
  const delivery = await Delivery.open(store, [listener], clock);
  store.add(change(1));
  const finished = delivery.finish(10_000);
  await until(() => listener.attempts.length === 1, 'tried');
  await settle();
  clock.advance(1_000);
  await until(() => listener.attempts.length === 2, 'tried again');
  await settle();
  clock.advance(2_000);
  assert.deepEqual((await finished).leftovers, []);
});

test('a listener that wants no more deliveries is not called again in this run', async () => {
  const store = new ChangeStore();
  const clock = new ManualClock();
  const listener = new Recorder('a', () => {
    throw new DeliveryFailure('it wants no more', { isFinal: true });
  });
  const delivery = await Delivery.open(store, [listener], clock);
  store.addMany(1, 2);
  await settle();
  clock.advance(1_000);
  await until(() => listener.attempts.length === 1, 'asked');
  store.add(change(3));
  delivery.wake();
  clock.advance(1_000_000);
  const report = await delivery.finish(1_000);
  assert.equal(listener.attempts.length, 1);
  assert.match(report.leftovers[0]!, /^a: 3 changes were not delivered.*wants no more/);
});

test('noise is delivered only on request, and is skipped for good otherwise', async () => {
  const store = new ChangeStore();
  const asks = (name: string, kinds: readonly ChangeKind[]) => new Recorder(name, () => {}, { kinds: new Set(kinds) });
  const [plain, all, gone] = [new Recorder('plain'), asks('all', ['changed', 'noise', 'gone']), asks('gone', ['gone'])];
  const delivery = await Delivery.open(store, [plain, all, gone], new ManualClock());
  store.add(change(1), change(2, { kind: 'noise' }), change(3, { kind: 'gone' }));
  store.addMany(4, 600, { kind: 'noise' });
  const { listeners } = await delivery.finish(1_000);
  assert.deepEqual(plain.seqs, [1, 3]);
  assert.deepEqual(gone.seqs, [3]);
  assert.deepEqual(
    all.seqs,
    Array.from({ length: 600 }, (_, i) => i + 1),
  );
  assert.deepEqual(
    listeners.map(({ waiting }) => waiting),
    [0, 0, 0],
  );
  assert.deepEqual(noteOf(store, 'plain'), { arrived: 600, until: 0 });
});

test('the bytes of a batch are limited too, and a larger change is delivered alone', async () => {
  const store = new ChangeStore();
  const limits = { maxChanges: 100, maxBytes: 1_000, gatherMs: 0 };
  const listener = new Recorder('a', () => {}, { limits });
  const delivery = await Delivery.open(store, [listener], new ManualClock());
  const long = (chars: number) => ({ url: `http://a.test/${'x'.repeat(chars)}` });
  store.add(change(1), change(2, long(300)), change(3, long(300)), change(4, long(5_000)), change(5));
  await delivery.finish(1_000);
  assert.deepEqual(
    listener.batches.map(({ seqs }) => seqs),
    [[1, 2], [3], [4], [5]],
  );
});

test('a batch that was in progress in a crash is delivered again, unchanged and with the same id', async () => {
  const store = new ChangeStore();
  await run(store, new Recorder('a'));
  store.addMany(1, 2);
  let sent = '';
  const crashing = new Recorder('a', (_, { id }) => {
    sent = id;
    return new Promise(() => {});
  });
  const clock = new ManualClock();
  // This delivery is never finished, like a process that is killed.
  await Delivery.open(store, [crashing], clock);
  await settle();
  clock.advance(1_000);
  await until(() => sent !== '', 'under way');
  assert.deepEqual(noteOf(store, 'a'), { arrived: 0, until: 2, after: 0, through: 2 });
  store.addMany(3, 4);
  // The next process that opens the folder ends the leases of the last one.
  store.owners.clear();
  const next = new Recorder('a');
  await run(store, next);
  assert.deepEqual(
    next.batches.map(({ seqs }) => seqs),
    [
      [1, 2],
      [3, 4],
    ],
  );
  assert.equal(next.batches[0]!.id, sent);
  assert.notEqual(next.batches[1]!.id, sent);
});

test('one process at a time delivers to a listener, and the next one takes over after a crash', async () => {
  const store = new ChangeStore();
  const clock = new ManualClock();
  const [first, second] = [new Recorder('a'), new Recorder('a')];
  await Delivery.open(store, [first], clock);
  const waiting = await Delivery.open(store, [second], clock);
  store.addMany(1, 3);
  await settle();
  clock.advance(1_000);
  await until(() => first.seqs.length === 3, 'the first one delivers');
  const { leftovers } = await (await Delivery.open(store, [new Recorder('a')], clock)).finish(0);
  assert.deepEqual(leftovers, ['a: another process delivers to it']);
  store.addMany(4, 5);
  // The first one is killed: nobody renews its lease any more.
  const taken = { owner: 'nobody', heldUntilMs: clock.now() + 10_000 };
  store.owners.set('delivered/a', taken);
  for (let seconds = 0; seconds < 20 && second.seqs.length === 0; seconds++) {
    clock.advance(1_000);
    await settle();
  }
  assert.deepEqual(
    [first.seqs, second.seqs],
    [
      [1, 2, 3],
      [4, 5],
    ],
  );
  assert.ok(clock.now() >= taken.heldUntilMs);
  await waiting.close();
});

test('different batches never have the same id, across copies, listeners and kinds', async () => {
  const ids: string[] = [];
  for (const kinds of [['changed'], ['changed', 'gone']] as const) {
    const store = new ChangeStore();
    const [a, b] = [new Recorder('a', () => {}, { kinds: new Set(kinds) }), new Recorder('b')];
    const delivery = await Delivery.open(store, [a, b], new ManualClock());
    store.addMany(1, 2);
    await delivery.finish(0);
    ids.push(a.batches[0]!.id, b.batches[0]!.id);
  }
  assert.equal(new Set(ids).size, 4);
});

test('a copy that was restored from a backup skips none of its new changes', async () => {
  const store = new ChangeStore();
  store.notes.set('delivered/a', JSON.stringify({ arrived: 900, until: 950 }));
  store.addMany(1, 5);
  const listener = new Recorder('a');
  const delivery = await Delivery.open(store, [listener], new ManualClock());
  store.add(change(6));
  await delivery.finish(1_000);
  assert.deepEqual(listener.seqs, [6]);
});

test('an unreadable cursor repeats all changes rather than losing any', async () => {
  for (const noted of ['', 'null', '7', '{"arrived":"x"}', '{"arrived":-4,"until":1e300}', '{']) {
    const store = new ChangeStore();
    store.notes.set('delivered/a', noted);
    store.addMany(1, 2);
    const listener = new Recorder('a');
    await run(store, listener);
    assert.deepEqual(listener.seqs, [1, 2], noted);
  }
});

test('a listener that shows a state is called once per run, even without changes', async () => {
  const store = new ChangeStore();
  const shows = new Recorder('a', () => {}, { showsState: true });
  assert.deepEqual((await run(store, shows)).leftovers, []);
  assert.deepEqual(shows.attempts, [0]);
  const failing = new Recorder(
    'a',
    () => {
      throw new Error('the disk is full');
    },
    { showsState: true },
  );
  const { leftovers } = await run(store, failing);
  assert.deepEqual(leftovers, ['a was not updated: the disk is full; the next run tries again']);
});

test('stop interrupts the delivery in progress; the next run repeats it', async () => {
  const store = new ChangeStore();
  let heard = false;
  const heeding = new Recorder('heeding', (_, __, signal) => {
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        heard = true;
        reject(new Error('broken off'));
      });
    });
  });
  const deaf = new Recorder('deaf', () => new Promise(() => {}));
  const clock = new ManualClock();
  const delivery = await Delivery.open(store, [heeding, deaf], clock);
  store.add(change(1));
  const finished = delivery.finish(60_000);
  await until(() => heeding.attempts.length + deaf.attempts.length === 2, 'under way');
  delivery.stop();
  await settle();
  clock.advance(3_000);
  const { leftovers } = await finished;
  assert.ok(heard);
  assert.deepEqual(leftovers, [
    'heeding: 1 change was not delivered: the run ended before the delivery; the next run tries again',
    'deaf: 1 change was not delivered: the run ended before the delivery; the next run tries again',
  ]);
  const [again, too] = [new Recorder('heeding'), new Recorder('deaf')];
  await run(store, again, too);
  assert.deepEqual([again.seqs, too.seqs], [[1], [1]]);
});

test('a delivery that hangs is abandoned at the deadline', async () => {
  const store = new ChangeStore();
  const clock = new ManualClock();
  const hanging = new Recorder('a', (_, __, signal) => {
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('x'))));
  });
  const delivery = await Delivery.open(store, [hanging], clock);
  store.add(change(1));
  const finished = delivery.finish(5_000);
  await until(() => hanging.attempts.length === 1, 'under way');
  clock.advance(5_000);
  assert.match((await finished).leftovers[0]!, /^a: 1 change was not delivered/);
});

test('an error of the store is reported at the end, after the other listeners are done', async () => {
  const store = new ChangeStore();
  const [broken, fine] = [new Recorder('broken'), new Recorder('fine')];
  const delivery = await Delivery.open(store, [broken, fine], new ManualClock());
  store.add(change(1));
  const moveFollower = store.moveFollower.bind(store);
  store.moveFollower = async (move) => {
    if (move.name === 'delivered/broken') throw new Error('the disk is full');
    return moveFollower(move);
  };
  await assert.rejects(delivery.finish(1_000), /the disk is full/);
  assert.deepEqual([broken.seqs, fine.seqs], [[], [1]], 'nothing is told whose number could not be noted');
});

test('two listeners with the same name are refused, and no listener is fine', async () => {
  const store = new ChangeStore();
  const twice = Delivery.open(store, [new Recorder('a'), new Recorder('a')], new ManualClock());
  await assert.rejects(twice, { code: 'ERR_BAD_OPTION' });
  const none = await Delivery.open(store, [], new ManualClock());
  none.wake();
  assert.deepEqual(await none.finish(1_000), { listeners: [], leftovers: [] });
  assert.equal(store.notes.size, 0);
});

test('a failed run closes its delivery: no listener is called any more and no timer is left', async () => {
  const store = new ChangeStore();
  const clock = new ManualClock();
  const listener = new Recorder('a');
  const delivery = await Delivery.open(store, [listener], clock);
  store.addMany(1, 4);
  delivery.wake();
  await settle();
  await delivery.close();
  assert.equal(clock.pending, 0);
  assert.deepEqual(listener.batches, []);
  assert.deepEqual(noteOf(store, 'a'), { arrived: 0, until: 0 });
});
