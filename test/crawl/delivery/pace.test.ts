/** Tests quiet hours and digests: when listeners receive their changes, with a manual clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Delivery } from '../../../src/crawl/delivery/delivery.ts';
import { type ChangeBatch, DEFAULT_KINDS, type Listener } from '../../../src/crawl/delivery/listener.ts';
import { listenersFrom } from '../../../src/crawl/delivery/listeners-from.ts';
import { DeliveryPace, type PaceSettings } from '../../../src/crawl/delivery/pace/delivery-pace.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';
import { ChangeStore, change, settle, until } from './change-store.ts';

const HOUR_MS = 3_600_000;

function heldUntil(settings: PaceSettings, now: string, last = '1970-01-01T00:00Z'): string | null {
  const hold = new DeliveryPace(settings).holdAt(Date.parse(now), Date.parse(last));
  return hold === null ? null : new Date(hold.untilMs).toISOString().slice(0, 16);
}

test('quiet hours end at the time of the zone, also over midnight and over several spans', () => {
  const night = { quietHours: ['22:00-07:00'], timeZone: 'Europe/Berlin' };
  assert.equal(heldUntil(night, '2026-11-19T20:59Z'), null, '21:59 in Berlin');
  assert.equal(heldUntil(night, '2026-11-19T21:00Z'), '2026-11-20T06:00');
  assert.equal(heldUntil(night, '2026-11-20T05:59:59Z'), '2026-11-20T06:00');
  assert.equal(heldUntil(night, '2026-11-20T06:00Z'), null);
  assert.equal(heldUntil(night, '2026-07-20T03:00Z'), '2026-07-20T05:00', 'summer time');
  const office = { quietHours: ['18:00-08:00', 'sat,sun 00:00-24:00'], timeZone: 'UTC' };
  assert.equal(heldUntil(office, '2026-11-20T19:00Z'), '2026-11-23T08:00', 'Friday evening to Monday morning');
  assert.equal(heldUntil(office, '2026-11-23T12:00Z'), null);
  const days = { quietHours: ['fri-mon 09:00-10:00'], timeZone: 'UTC' };
  assert.equal(heldUntil(days, '2026-11-22T09:30Z'), '2026-11-22T10:00', 'Sunday is between Friday and Monday');
  assert.equal(heldUntil(days, '2026-11-24T09:30Z'), null, 'Tuesday is not');
});

test('quiet hours end at the right moment when daylight saving moves the clock in between', () => {
  const night = { quietHours: ['22:00-07:00'], timeZone: 'Europe/Berlin' };
  assert.equal(heldUntil(night, '2026-03-28T23:00Z'), '2026-03-29T05:00', 'an hour is left out');
  assert.equal(heldUntil(night, '2026-10-24T22:00Z'), '2026-10-25T06:00', 'an hour comes twice');
});

test('digests come after their time or at their hour, and never in quiet hours', () => {
  assert.equal(heldUntil({ digest: '6h' }, '2026-11-19T10:00Z', '2026-11-19T05:30Z'), '2026-11-19T11:30');
  assert.equal(heldUntil({ digest: '6h' }, '2026-11-19T12:00Z', '2026-11-19T05:30Z'), null);
  const morning = { digest: '08:00', timeZone: 'Europe/Berlin' };
  assert.equal(heldUntil(morning, '2026-11-19T07:30Z', '2026-11-19T07:00:10Z'), '2026-11-20T07:00');
  assert.equal(heldUntil(morning, '2026-11-19T06:30Z', '2026-11-18T07:00:10Z'), '2026-11-19T07:00');
  assert.equal(heldUntil(morning, '2026-11-19T09:00Z', '2026-11-18T07:00:10Z'), null, 'a late run tells at once');
  assert.equal(heldUntil(morning, '2026-03-28T09:00Z', '2026-03-28T08:00Z'), '2026-03-29T06:00', 'summer time begins');
  assert.equal(heldUntil(morning, '2026-10-24T09:00Z', '2026-10-24T08:00Z'), '2026-10-25T07:00', 'summer time ends');
  const both = { digest: '6h', quietHours: ['10:00-14:00'], timeZone: 'UTC' };
  assert.equal(heldUntil(both, '2026-11-19T08:00Z', '2026-11-19T05:00Z'), '2026-11-19T14:00');
  assert.equal(
    heldUntil({ digest: '1d' }, '2026-11-19T08:00Z', '2030-01-01T00:00Z'),
    '2026-11-20T08:00',
    'a clock set back',
  );
});

test('settings that make no sense are refused, and the message says what to write', () => {
  const refused = (settings: PaceSettings, message: RegExp) =>
    assert.throws(() => listenersFrom({ onChange: 'true', ...settings }), message);
  for (const span of [
    '22-7',
    '25:00-26:00',
    '08:60-09:00',
    '08:00-08:00',
    'someday 08:00-09:00',
    'mon-tue-wed 08:00-09:00',
    '',
  ])
    refused({ quietHours: [span] }, /--quiet-hours needs times such as 22:00-07:00/);
  refused({ quietHours: ['00:00-12:00', '12:00-24:00'] }, /leaves no time/);
  for (const digest of ['soon', '30s', '-1h', '24:30']) refused({ digest }, /--digest needs a time of day/);
  refused({ digest: '6h', timeZone: 'Mars/Olympus' }, /"Mars\/Olympus" is not a time zone/);
});

/** A listener with a pace. It records the changes of each batch. */
function pacedListener(settings: PaceSettings, deliver: Listener['deliver'] = async () => {}) {
  const batches: number[][] = [];
  const listener: Listener = {
    name: 'a',
    kinds: new Set(DEFAULT_KINDS),
    limits: { maxChanges: 2, maxBytes: 100_000, gatherMs: 1_000 },
    pace: new DeliveryPace({ timeZone: 'UTC', ...settings }),
    deliver: async (batch: ChangeBatch, signal) => {
      await deliver(batch, signal);
      batches.push(batch.changes.map(({ seq }) => seq));
    },
  };
  return { batches, listener };
}

async function advance(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10 * 60_000) {
    await settle();
    clock.advance(10 * 60_000);
  }
  await settle();
}

test('changes of quiet hours wait, arrive in order afterwards, and count as waiting and not as failed', async () => {
  const clock = new ManualClock(); // Its first moment is 00:16 on 1970-01-01.
  const store = new ChangeStore();
  const quiet = { quietHours: ['22:00-07:00'] };
  const first = pacedListener(quiet);
  const night = await Delivery.open(store, [first.listener], clock);
  store.addMany(1, 3);
  const report = await night.finish(30_000);
  assert.deepEqual(first.batches, []);
  assert.deepEqual(report.leftovers, ['a: 3 changes wait: quiet hours until 1970-01-01 07:00 (UTC)']);

  const second = pacedListener(quiet);
  const day = await Delivery.open(store, [second.listener], clock);
  store.add(change(4));
  await advance(clock, 6 * HOUR_MS);
  assert.deepEqual(second.batches, [], 'still night');
  await advance(clock, HOUR_MS);
  await until(() => second.batches.length === 2, 'delivered in the morning');
  assert.deepEqual(second.batches, [
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual((await day.finish(0)).leftovers, []);
  assert.equal(clock.pending, 0, 'no timer is left');
});

test('quiet hours that begin between two attempts or two batches hold the rest', async () => {
  const clock = new ManualClock();
  const store = new ChangeStore();
  let attempts = 0;
  const { batches, listener } = pacedListener({ quietHours: ['02:00-05:00'] }, async () => {
    attempts++;
    if (attempts === 1) throw new Error('not now');
    // The delivery of the first batch takes until the quiet hours have begun.
    if (attempts === 2) clock.advance(2 * HOUR_MS);
  });
  const delivery = await Delivery.open(store, [listener], clock);
  store.addMany(1, 3);
  await settle();
  clock.advance(1_000);
  await until(() => attempts === 1, 'a failed attempt');
  await settle();
  clock.advance(1_000);
  await until(() => batches.length === 1, 'the first batch arrived');
  await advance(clock, HOUR_MS);
  assert.equal(attempts, 2, 'quiet');
  await advance(clock, 3 * HOUR_MS);
  await until(() => batches.length === 2, 'the rest arrived');
  assert.deepEqual(batches, [[1, 2], [3]]);
  await delivery.finish(0);
});

test('digests keep their rhythm over runs, and a run that is killed within a digest continues it', async () => {
  const clock = new ManualClock();
  const store = new ChangeStore();
  const run = async (listener: Listener) => (await Delivery.open(store, [listener], clock)).finish(0);
  const first = pacedListener({ digest: '6h' });
  await run(first.listener);
  store.addMany(1, 3);
  assert.match(
    (await run(first.listener)).leftovers[0]!,
    /^a: 3 changes wait: the next digest is due at 1970-01-01 06:16/,
  );
  clock.advance(6 * HOUR_MS);
  // The second batch of the digest fails, as if the run were killed between the two.
  const broken = pacedListener({ digest: '6h' }, async ({ changes }) => {
    if (changes[0]!.seq > 2) throw new Error('gone');
  });
  await run(broken.listener);
  assert.deepEqual(broken.batches, [[1, 2]]);
  const next = pacedListener({ digest: '6h' });
  await run(next.listener);
  assert.deepEqual(next.batches, [[3]], 'the rest of the digest does not wait for the next one');
  store.add(change(4));
  await run(next.listener);
  assert.deepEqual(next.batches, [[3]]);
  clock.advance(6 * HOUR_MS);
  await run(next.listener);
  assert.deepEqual(next.batches, [[3], [4]]);
});
