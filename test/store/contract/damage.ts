/**
 * Tests the store functions that `verify` uses: facts of captures, samples,
 * tables that do not match, and damaged captures.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaptureFacts, CaptureRecord, Store } from '../../../src/store/contract.ts';
import { hostOf } from '../../../src/url/host.ts';
import { urlKeyHex } from '../../../src/url/key.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { allUrls, capture, claimOne, commit, FILE, found, NOW_MS, page, resultOf } from '../rows.ts';
import { recount } from './model/recount.ts';

const URLS = ['a', 'b', 'c', 'd'].map((name) => `http://a.test/${name}`);

/** Four pages. The third has the payload of the second, and the fourth has another response before its page. */
async function fourPages(t: Parameters<typeof freshStore>[0], open: OpenStore): Promise<Store> {
  const store = await freshStore(t, open, NOW_MS);
  await store.seed(
    URLS.map((url) => found(url)),
    NOW_MS,
  );
  const lease = await claimOne(store);
  const archive = new Map([[FILE, 100_000]]);
  const tasks = lease.urls.toSorted((one, other) => (one.url < other.url ? -1 : 1));
  const early = capture(1_000, { payloadDigest: 'sha1:EARLY' });
  await commit(store, [resultOf(lease, tasks[3]!, { state: 'waiting', capture: early })], { archive });
  const captures = [
    capture(2_000, { payloadDigest: 'sha1:A' }),
    capture(3_000, { payloadDigest: 'sha1:B' }),
    capture(4_000, { payloadDigest: 'sha1:B', revisit: true }),
    capture(5_000, { payloadDigest: 'sha1:D' }),
  ];
  const results = tasks.map((task, i) =>
    resultOf(lease, task, { state: 'fetched', capture: captures[i]!, page: page(i === 2 ? 'body 1' : `body ${i}`) }),
  );
  await commit(store, results, { archive });
  return store;
}

async function factsOf(store: Store): Promise<CaptureFacts[]> {
  const [list] = await store.capturesIn([FILE]);
  const facts = await store.captureFacts(list!.ids.map((id, i) => ({ id, timeMs: list!.timesMs[i]! })));
  return facts.map((one) => one!);
}

async function capturesOf(store: Store, url: string): Promise<readonly CaptureRecord[]> {
  return store.capturesOf(hostOf(url), urlKeyHex(url), Number.MAX_SAFE_INTEGER, 100);
}

async function statesOf(store: Store): Promise<string[]> {
  return (await allUrls(store)).toSorted((one, other) => (one.url < other.url ? -1 : 1)).map(({ state }) => state);
}

export function damageContract(open: OpenStore): void {
  test('captureFacts keeps the requested order and has the page of a capture with current content', async (t) => {
    const store = await fourPages(t, open);
    const facts = await factsOf(store);
    assert.deepEqual(
      facts.map(({ url, capture: { offset, payloadDigest, revisit }, page: now }) => [
        url.slice(-1),
        offset,
        payloadDigest,
        revisit,
        now?.bytes ?? null,
      ]),
      [
        ['d', 1_000, 'sha1:EARLY', false, null],
        ['a', 2_000, 'sha1:A', false, 6],
        ['b', 3_000, 'sha1:B', false, 6],
        ['c', 4_000, 'sha1:B', true, 6],
        ['d', 5_000, 'sha1:D', false, 6],
      ],
    );
    assert.equal(facts[1]!.page!.digest, `sha256:${page('body 0').digest}`);
    const [, a, , , d] = facts;
    const asked = [d!, { id: a!.id, timeMs: 1 }, { id: 999_999, timeMs: a!.timeMs }, a!];
    const told = await store.captureFacts(asked);
    assert.deepEqual(
      told.map((one) => one?.url ?? null),
      [URLS[3], null, null, URLS[0]],
    );
    assert.deepEqual(await store.captureFacts([]), []);
  });

  test('captures with a payload are found, including captures that only refer to it', async (t) => {
    const store = await fourPages(t, open);
    const some = await store.capturesWith(['sha1:B', 'sha1:NONE']);
    assert.deepEqual(some.map(({ url }) => url).sort(), [URLS[1], URLS[2]]);
    assert.deepEqual(await store.capturesWith([]), []);
  });

  test('samples reach every capture, including old versions', async (t) => {
    const store = await fourPages(t, open);
    const points = Array.from({ length: 400 }, (_, i) => (i + 0.5) / 400);
    const drawn = await store.sampleCaptures(points);
    assert.equal(drawn.length, points.length);
    const facts = await factsOf(store);
    const known = new Set(facts.map(({ id, timeMs }) => `${id} ${timeMs}`));
    assert.deepEqual(new Set(drawn.map(({ id, timeMs }) => `${id} ${timeMs}`)), known);
    const empty = await freshStore(t, open, NOW_MS);
    assert.deepEqual(await empty.sampleCaptures([0, 0.5]), []);
  });

  test('consistent tables have no problem', async (t) => {
    const store = await fourPages(t, open);
    assert.deepEqual(await store.tableProblems(10), []);
  });

  test('a damaged capture is marked and stays listed, its page waits, and its payload is not used', async (t) => {
    const store = await fourPages(t, open);
    const [, a, b] = await factsOf(store);
    assert.equal(await store.damagedCaptures(), 0);
    const done = await store.markDamaged([{ ...key(a!), problem: 'flipped' }], NOW_MS + 10);
    assert.deepEqual(done, { marked: 1, waiting: 1 });
    assert.deepEqual(await statesOf(store), ['waiting', 'fetched', 'duplicate', 'fetched']);
    const { hosts: _h, wireBytes: _w, fetches: _f, ...counts } = await store.counts();
    assert.deepEqual(counts, recount(await allUrls(store)));
    const [marked] = await capturesOf(store, URLS[0]!);
    assert.deepEqual(marked!.damage, { problem: 'flipped', foundAtMs: NOW_MS + 10 });
    assert.equal((await capturesOf(store, URLS[1]!))[0]!.damage, undefined);
    assert.equal(await store.payloadPlace('sha1:A'), null);
    assert.ok((await store.payloadPlace('sha1:B')) !== null);
    assert.ok((await store.payloads(100)).every(({ payloadDigest }) => payloadDigest !== 'sha1:A'));
    assert.equal(await store.damagedCaptures(), 1);
    const again = await store.markDamaged([{ ...key(a!), problem: 'flipped' }], NOW_MS + 20);
    assert.deepEqual(again, { marked: 0, waiting: 0 }, 'a mark is made once');
    await store.markDamaged([{ ...key(b!), problem: 'cut' }], NOW_MS);
    assert.equal(await store.payloadPlace('sha1:B'), null, 'the other capture only refers to it');
  });

  test('a damaged old version does not change the page, and a mark can be removed', async (t) => {
    const store = await fourPages(t, open);
    const [early] = await factsOf(store);
    assert.deepEqual(await store.markDamaged([{ ...key(early!), problem: 'cut' }], NOW_MS), { marked: 1, waiting: 0 });
    assert.deepEqual(await statesOf(store), ['fetched', 'fetched', 'duplicate', 'fetched']);
    await store.markDamaged([{ ...key(early!), problem: null }], NOW_MS);
    assert.equal(await store.damagedCaptures(), 0);
    assert.equal((await capturesOf(store, URLS[3]!)).at(-1)!.damage, undefined);
  });

  test('a mark for a missing capture does not change a page with a capture', async (t) => {
    const store = await fourPages(t, open);
    const [url] = await allUrls(store);
    // The time 0 means that the page has no response. This page has one, so nothing happens.
    assert.deepEqual(await store.markDamaged([{ id: url!.id, timeMs: 0, problem: 'none' }], NOW_MS), {
      marked: 0,
      waiting: 0,
    });
    assert.equal(await store.damagedCaptures(), 0);
  });
}

function key({ id, timeMs }: CaptureFacts): { id: number; timeMs: number } {
  return { id, timeMs };
}
