/** Tests the change times that sitemaps and feeds give, and how often they were right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceRecord } from '../../../src/store/contract.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { at, copyOf, HOUR_MS, type LookedAt } from '../looking-again.ts';
import { claim, commit, found, linksTo, NOW_MS, page, resultOf } from '../rows.ts';

const SITE = {
  map: { body: 'map', more: { isSource: true } },
  a: { body: 'a' },
  b: { body: 'b' },
  waits: { state: 'waiting', reason: 'server-error', failures: 1, dueAtMs: NOW_MS + 1e9 },
} as const;

const DAY_MS = 24 * HOUR_MS;
let editions = 0;

/** Reads the sitemap again, with these change times of pages. */
async function tell(copy: LookedAt, timesMs: Readonly<Record<string, number>>): Promise<void> {
  const paths = Object.keys(timesMs);
  await copy.look('map', 'changed', {
    body: `map ${++editions}`,
    more: { isSource: true },
    knownLinks: linksTo(paths.map((path) => copy.id(path))),
    knownTimesMs: Object.values(timesMs),
  });
}

async function claims(copy: LookedAt, path: string): Promise<[number, number]> {
  const { claimedMs, claimSeenMs } = await copy.visit(path);
  return [claimedMs, claimSeenMs];
}

async function record(copy: LookedAt): Promise<Omit<SourceRecord, 'hostId' | 'host'> | undefined> {
  const [first] = await copy.store.sources();
  if (first === undefined) return undefined;
  const { hostId, host, ...outcomes } = first;
  assert.deepEqual([hostId, host], [copy.hostId, 'http://a.test']);
  return outcomes;
}

export function sourcesContract(open: OpenStore): void {
  test('the change time from a source only increases and is never in the future', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    await tell(copy, { a: NOW_MS + 5, b: 0, waits: NOW_MS });
    assert.deepEqual(
      [await claims(copy, 'a'), await claims(copy, 'b')],
      [
        [NOW_MS + 5, 0],
        [0, 0],
      ],
    );
    await tell(copy, { a: NOW_MS, b: NOW_MS + 30 * DAY_MS });
    assert.deepEqual(
      [await claims(copy, 'a'), await claims(copy, 'b')],
      [
        [NOW_MS + 5, 0],
        [0, 0],
      ],
    );
    await tell(copy, { a: NOW_MS + 9.5, b: Number.NaN });
    assert.deepEqual(
      [await claims(copy, 'a'), await claims(copy, 'b')],
      [
        [NOW_MS + 9, 0],
        [0, 0],
      ],
    );
    await tell(copy, { b: Number.NEGATIVE_INFINITY });
    assert.deepEqual(await claims(copy, 'b'), [0, 0]);
  });

  test('a time slightly in the future counts as now, and later changes are still reported', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    await tell(copy, { a: NOW_MS + 20 * HOUR_MS });
    assert.deepEqual(await claims(copy, 'a'), [copy.nowMs, 0]);
    await copy.look('a', 'same');
    await tell(copy, { a: copy.nowMs });
    await copy.look('a', 'changed', { body: 'a 2' });
    assert.deepEqual(await record(copy), { confirmed: 1, falseAlarms: 1, missed: 0, quiet: 0 });
  });

  test('a source counts for its own host only', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    const { store } = copy;
    const [other] = await store.seed([found('http://b.test/map', { depth: 0 })], NOW_MS);
    const lease = (await claim(store, { leaseMs: 1e9 })).find(({ host }) => host === 'http://b.test')!;
    const told = resultOf(lease, lease.urls[0]!, {
      page: page('a map of others', { isSource: true }),
      knownLinks: linksTo([copy.id('a'), copy.id('waits')]),
      knownTimesMs: [NOW_MS, NOW_MS],
      foundLinks: [found(at('b')), found(at('new')), found('http://b.test/own')],
      foundTimesMs: [NOW_MS, NOW_MS, NOW_MS],
    });
    const { linkIds, states } = await commit(store, [told]);
    assert.deepEqual([lease.urls[0]!.id, states], [other, ['fetched']]);
    assert.deepEqual(
      [await claims(copy, 'a'), await claims(copy, 'b')],
      [
        [0, 0],
        [0, 0],
      ],
    );
    const [, fresh, own] = linkIds[0]!;
    await commit(store, [
      resultOf(copy, { id: copy.id('waits'), url: at('waits') }, { page: page('waited') }),
      resultOf(copy, { id: fresh!, url: at('new') }, { page: page('new') }),
      resultOf(lease, { id: own!, url: 'http://b.test/own' }, { page: page('own') }),
    ]);
    const claimed = new Map((await store.visits(0, 99)).map(({ id, claimedMs }) => [id, claimedMs]));
    assert.deepEqual(
      [copy.id('waits'), fresh!, own!].map((id) => claimed.get(id)),
      [0, 0, NOW_MS],
    );
  });

  test('a source that no longer lists a page withdraws its claim, for its own host only', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    const { store } = copy;
    await tell(copy, { a: NOW_MS, b: NOW_MS });
    await store.seed([found('http://b.test/map', { depth: 0 })], NOW_MS);
    const lease = (await claim(store, { leaseMs: 1e9 })).find(({ host }) => host === 'http://b.test')!;
    const other = resultOf(lease, lease.urls[0]!, {
      page: page('a map of others', { isSource: true }),
      knownLinks: linksTo([copy.id('a'), copy.id('b')]),
    });
    await commit(store, [other]);
    const revisit = { sinceMs: NOW_MS, checkedAtMs: NOW_MS + 1, finding: 'changed', change: null } as const;
    const emptied = { ...other, page: page('a map of nothing', { isSource: true }), knownLinks: [], revisit };
    assert.deepEqual((await commit(store, [emptied])).states, ['fetched']);
    assert.deepEqual([(await claims(copy, 'a'))[0], (await claims(copy, 'b'))[0]], [NOW_MS, NOW_MS]);
    await tell(copy, { b: NOW_MS });
    assert.deepEqual([(await claims(copy, 'a'))[0], (await claims(copy, 'b'))[0]], [0, NOW_MS]);
  });

  for (const isToldFirst of [true, false]) {
    test(`a visit and its source in one commit are taken in order (source ${isToldFirst ? 'first' : 'last'})`, async (t) => {
      const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
      const [map, a] = await copy.store.revisits(['map', 'a'].map((path) => copy.id(path)));
      const revisit = { sinceMs: NOW_MS, checkedAtMs: NOW_MS + 9, change: null };
      const told = resultOf(copy, map!, {
        page: page('map 2', { isSource: true }),
        knownLinks: linksTo([copy.id('a'), copy.id('waits')]),
        knownTimesMs: [NOW_MS + 5, NOW_MS + 5],
        revisit: { ...revisit, finding: 'changed' },
      });
      const looked = resultOf(copy, a!, { revisit: { ...revisit, finding: 'same' } });
      const fetched = resultOf(copy, { id: copy.id('waits'), url: at('waits') }, { page: page('waited') });
      const results = isToldFirst ? [told, looked, fetched] : [looked, fetched, told];
      const { states } = await commit(copy.store, results, { nowMs: NOW_MS + 10 });
      assert.deepEqual(states, ['fetched', 'fetched', 'fetched']);
      assert.equal((await copy.visit('a')).checks, 1);
      assert.deepEqual(await claims(copy, 'a'), [NOW_MS + 5, isToldFirst ? NOW_MS + 5 : 0]);
      assert.deepEqual(await claims(copy, 'waits'), [NOW_MS + 5, 0]);
      const falseAlarm = { confirmed: 0, falseAlarms: 1, missed: 0, quiet: 0 };
      assert.deepEqual(await record(copy), isToldFirst ? falseAlarm : undefined);
    });
  }

  test('old outcomes of a source fade: a source that was always right and is now wrong is soon distrusted', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    await tell(copy, { a: NOW_MS });
    for (let i = 0; i < 400; i++) await copy.look('a', 'same');
    const { missed, quiet, falseAlarms } = (await record(copy))!;
    assert.deepEqual([missed, falseAlarms], [0, 0]);
    assert.ok(quiet >= 100 && quiet <= 200, `${quiet} looks`);
    for (let i = 0; i < 5; i++) await copy.look('a', 'changed', { body: `a ${i}` });
    const now = (await record(copy))!;
    assert.ok(now.missed / (now.missed + now.quiet) > 0.02, JSON.stringify(now));
  });

  test('new links may also have a time, and one time more or less does no harm', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    await copy.look('map', 'changed', {
      body: 'other map',
      foundLinks: [found(at('a')), found(at('new')), found(at('b'))],
      foundTimesMs: [NOW_MS + 1, NOW_MS + 2, NOW_MS + 3, NOW_MS + 4],
      knownTimesMs: [NOW_MS],
    });
    assert.deepEqual([(await claims(copy, 'a'))[0], (await claims(copy, 'b'))[0]], [NOW_MS + 1, NOW_MS + 3]);
  });

  test('visits to reported pages decide how far a source is trusted', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    await copy.look('a', 'same');
    assert.equal(await record(copy), undefined, 'nobody told of it');
    await tell(copy, { a: copy.nowMs + 1, b: NOW_MS - DAY_MS });
    await copy.look('a', 'changed', { body: 'a 2' });
    assert.deepEqual(await record(copy), { confirmed: 1, falseAlarms: 0, missed: 0, quiet: 0 });
    assert.deepEqual(await claims(copy, 'a'), [copy.nowMs - HOUR_MS + 1 - HOUR_MS, copy.nowMs - HOUR_MS + 1 - HOUR_MS]);
    await copy.look('b', 'same');
    await copy.look('a', 'same');
    assert.deepEqual(await record(copy), { confirmed: 1, falseAlarms: 0, missed: 0, quiet: 2 });
    await copy.look('b', 'changed', { body: 'b 2' });
    assert.deepEqual(await record(copy), { confirmed: 1, falseAlarms: 0, missed: 1, quiet: 2 });
    await tell(copy, { a: copy.nowMs, b: copy.nowMs });
    await copy.look('a', 'failing', { reason: 'connect-failed' });
    await copy.look('b', 'missing', { reason: 'not-found' });
    assert.deepEqual(await record(copy), { confirmed: 1, falseAlarms: 0, missed: 1, quiet: 2 }, 'that says nothing');
    await copy.look('a', 'noise', { body: 'a 3' });
    await copy.look('b', 'same');
    assert.deepEqual(await record(copy), { confirmed: 1, falseAlarms: 2, missed: 1, quiet: 2 });
  });

  test('a claim of a time before the last visit counts if the visit before it had an earlier claim', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    await tell(copy, { a: NOW_MS - 10 * DAY_MS });
    await copy.look('a', 'same');
    await tell(copy, { a: NOW_MS - DAY_MS });
    await copy.look('a', 'changed', { body: 'a 2' });
    assert.deepEqual(await record(copy), { confirmed: 1, falseAlarms: 0, missed: 0, quiet: 1 });
  });

  test('a page is a source only as long as it is a feed or a sitemap', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    const isSource = async () => (await copy.visit('map')).isSource;
    await copy.look('map', 'same');
    assert.equal(await isSource(), true);
    await copy.look('map', 'changed', { body: 'a page now' });
    assert.equal(await isSource(), false);
  });
}
