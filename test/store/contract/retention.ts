/**
 * Tests the removal of old versions: which captures a rule drops, which captures are kept anyway,
 * and what happens when files are rewritten.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaptureRecord, DroppedCaptures, KeptContents, Store, UrlRecord } from '../../../src/store/contract.ts';
import { hostOf } from '../../../src/url/host.ts';
import { urlKeyHex } from '../../../src/url/key.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { capture, claimOne, commit, FILE, found, NOW_MS, resultOf } from '../rows.ts';

const URL_A = 'http://a.test/a';
const URL_B = 'http://a.test/b';
const newest = (contents: number): KeptContents => ({ kind: 'newest', contents });
const since = (ms: number): KeptContents => ({ kind: 'since', sinceMs: NOW_MS + ms });

type Look = Partial<CaptureRecord> & { readonly atMs: number; readonly says: string };

/**
 * Commits captures of pages. The time of a capture is also its place in the archive, and `says` stands for the payload.
 */
async function storeWith(
  t: Parameters<typeof freshStore>[0],
  open: OpenStore,
  looks: Readonly<Record<string, readonly Look[]>>,
): Promise<Store> {
  const store = await freshStore(t, open, NOW_MS);
  await store.seed(
    Object.keys(looks).map((url) => found(url)),
    NOW_MS,
  );
  const lease = await claimOne(store);
  for (const task of lease.urls) {
    for (const { atMs, says, ...more } of looks[task.url]!) {
      const facts = capture(atMs, { payloadDigest: `sha1:${says}`, ...more });
      const file = facts.file;
      // The URL still waits, so that the next result counts as well.
      const result = resultOf(lease, task, { state: 'waiting', capture: facts });
      await commit(store, [result], { archive: new Map([[file, 100_000]]) });
    }
  }
  return store;
}

async function timesOf(store: Store, url: string): Promise<number[]> {
  const captures = await store.capturesOf(hostOf(url), urlKeyHex(url), Number.MAX_SAFE_INTEGER, 1_000);
  return captures.map(({ fetchedAtMs }) => fetchedAtMs - NOW_MS).reverse();
}

/** Drops captures as `retain` does, one page per transaction. */
async function dropAll(store: Store, keep: KeptContents): Promise<Omit<DroppedCaptures, 'after'>> {
  const sum = { dropped: 0, revisits: 0, needed: 0 };
  for (let round = 0; round < 2; round++) {
    sum.needed = 0;
    for (let after: number | null = 0; after !== null; ) {
      const one: DroppedCaptures = await store.dropCaptures(keep, after, 1);
      sum.dropped += one.dropped;
      sum.revisits += one.revisits;
      sum.needed += one.needed;
      after = one.after;
    }
  }
  return sum;
}

const versions = (...says: string[]): Look[] => says.map((payload, i) => ({ atMs: (i + 1) * 1_000, says: payload }));

export function retentionContract(open: OpenStore): void {
  test('the newest contents are kept, and consecutive equal captures are one content', async (t) => {
    const store = await storeWith(t, open, { [URL_A]: versions('A', 'B', 'C', 'C', 'D') });
    assert.deepEqual(await dropAll(store, newest(2)), { dropped: 2, revisits: 0, needed: 0 });
    assert.deepEqual(await timesOf(store, URL_A), [3_000, 4_000, 5_000]);
    await dropAll(store, newest(1));
    assert.deepEqual(await timesOf(store, URL_A), [5_000], 'a stricter rule is applied to what was judged before');
    await dropAll(store, newest(1));
    assert.deepEqual(await timesOf(store, URL_A), [5_000]);
  });

  test('all contents that were current in a time span are kept, including the content at its beginning', async (t) => {
    const looks = { [URL_A]: versions('A', 'B', 'C', 'D'), [URL_B]: versions('X', 'Y') };
    const store = await storeWith(t, open, looks);
    await dropAll(store, since(1_999));
    assert.deepEqual(await timesOf(store, URL_A), [1_000, 2_000, 3_000, 4_000]);
    await dropAll(store, since(2_999));
    assert.deepEqual(await timesOf(store, URL_A), [2_000, 3_000, 4_000]);
    assert.deepEqual(await timesOf(store, URL_B), [2_000]);
    await dropAll(store, since(3_000));
    assert.deepEqual(await timesOf(store, URL_A), [3_000, 4_000], 'what became current at the beginning is the first');
    await dropAll(store, since(1e9));
    assert.deepEqual([await timesOf(store, URL_A), await timesOf(store, URL_B)], [[4_000], [2_000]]);
  });

  test('errors and redirects do not count as contents, and the newest one is kept', async (t) => {
    const looks: Look[] = [
      { atMs: 1, says: 'A' },
      { atMs: 2, says: 'away', status: 404 },
      { atMs: 3, says: 'B' },
      { atMs: 4, says: '', status: 301 },
      { atMs: 5, says: 'away', status: 503 },
      { atMs: 6, says: 'away', status: 503 },
    ];
    const store = await storeWith(t, open, { [URL_A]: looks });
    await dropAll(store, newest(2));
    assert.deepEqual(await timesOf(store, URL_A), [1, 3, 5, 6]);
    await dropAll(store, newest(1));
    assert.deepEqual(await timesOf(store, URL_A), [3, 6]);
  });

  test('a visit that found a content unchanged is kept and dropped with this content', async (t) => {
    const unchanged = { status: 304, revisit: true };
    const looks: Look[] = [
      { atMs: 1, says: 'A' },
      { atMs: 2, says: 'A', ...unchanged },
      { atMs: 3, says: 'B' },
      { atMs: 4, says: 'B', ...unchanged },
      { atMs: 5, says: 'away', status: 503 },
      { atMs: 6, says: 'B', ...unchanged },
    ];
    const store = await storeWith(t, open, { [URL_A]: looks });
    await dropAll(store, newest(1));
    assert.deepEqual(await timesOf(store, URL_A), [3, 4, 5, 6]);
  });

  test('superfluous captures are reported page by page, and dropping them matches the report', async (t) => {
    const urls = Array.from({ length: 7 }, (_, i) => `http://a.test/${i}`);
    const looks = Object.fromEntries(urls.map((url, i) => [url, versions(`${i}A`, `${i}B`, `${i}C`)]));
    const store = await storeWith(t, open, looks);
    const told: string[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const some: Awaited<ReturnType<Store['superfluousCaptures']>> = await store.superfluousCaptures(
        newest(2),
        after,
        3,
      );
      assert.ok(some.captures.length <= 3);
      told.push(...some.captures.map((one) => one.capture.payloadDigest));
      after = some.after;
    }
    assert.deepEqual(
      told,
      urls.map((_, i) => `sha1:${i}A`),
    );
    assert.equal((await dropAll(store, newest(2))).dropped, 7);
    assert.deepEqual((await store.superfluousCaptures(newest(2), 0, 100)).captures, []);
  });

  test('a payload is kept while a kept revisit refers to it', async (t) => {
    const store = await storeWith(t, open, {
      [URL_A]: [...versions('A', 'B', 'C')],
      [URL_B]: [
        { atMs: 5, says: 'A', revisit: true },
        { atMs: 6, says: 'Z' },
      ],
    });
    assert.deepEqual(await dropAll(store, newest(2)), { dropped: 0, revisits: 0, needed: 1 });
    assert.deepEqual(await timesOf(store, URL_A), [1_000, 2_000, 3_000]);
    // The page with the revisit is judged after the page that it refers to, so a second round is needed.
    assert.deepEqual(await dropAll(store, newest(1)), { dropped: 3, revisits: 1, needed: 0 });
    assert.deepEqual([await timesOf(store, URL_A), await timesOf(store, URL_B)], [[3_000], [6]]);
  });

  test('a page that went back to an earlier content keeps the capture that has its bytes', async (t) => {
    const looks: Look[] = [...versions('A', 'B'), { atMs: 3_000, says: 'A', revisit: true }];
    const store = await storeWith(t, open, { [URL_A]: looks });
    await dropAll(store, newest(1));
    assert.deepEqual(await timesOf(store, URL_A), [1_000, 3_000]);
    await dropAll(store, newest(1));
    assert.deepEqual(await timesOf(store, URL_A), [1_000, 3_000]);
  });

  test('an aborted round with another rule leaves no page unjudged', async (t) => {
    const looks = { [URL_A]: versions('A', 'B', 'C', 'D'), [URL_B]: versions('W', 'X', 'Y', 'Z') };
    const store = await storeWith(t, open, looks);
    await dropAll(store, newest(3));
    assert.equal((await store.dropCaptures(newest(4), 0, 1)).after, 1, 'only the first page was judged');
    assert.equal((await dropAll(store, newest(3))).dropped, 0);
    assert.equal((await store.dropCaptures(newest(9), 0, 1)).after, 1);
    assert.equal((await dropAll(store, newest(2))).dropped, 2);
    assert.deepEqual(
      [await timesOf(store, URL_A), await timesOf(store, URL_B)],
      [
        [3_000, 4_000],
        [3_000, 4_000],
      ],
    );
    // A rule by time drops nothing, because nothing is old enough. A round by number is then broken off.
    await dropAll(store, since(1_000));
    await store.dropCaptures(newest(5), 0, 1);
    await dropAll(store, since(4_000));
    assert.deepEqual([await timesOf(store, URL_A), await timesOf(store, URL_B)], [[4_000], [4_000]]);
  });

  test('a page that gets another capture is judged again', async (t) => {
    const store = await storeWith(t, open, { [URL_A]: versions('A', 'B', 'C') });
    await dropAll(store, newest(2));
    const [{ id }] = (await store.urls(0, 1)) as [UrlRecord];
    const { id: hostId } = (await store.host('http://a.test'))!;
    const more = { state: 'waiting', capture: capture(9_000, { payloadDigest: 'sha1:D' }) } as const;
    await commit(store, [resultOf({ hostId }, { id, url: URL_A }, more)], { archive: new Map([[FILE, 100_000]]) });
    assert.equal((await dropAll(store, newest(2))).dropped, 1);
    assert.deepEqual(await timesOf(store, URL_A), [3_000, 9_000]);
  });

  test('a file is wasteful if captures need too small a share of its bytes', async (t) => {
    const file = 'old.warc.gz';
    const looks = ['A', 'B', 'C', 'D'].map((says, i) => ({ atMs: i + 1, says, file, length: 20_000 }));
    const only: Look = { atMs: 1, says: 'only', file: 'whole.warc.gz', length: 1_000 };
    const last: Look = { atMs: 9, says: 'E', file: 'whole.warc.gz', length: 1_000 };
    const store = await storeWith(t, open, { [URL_A]: [...looks, last], [URL_B]: [only] });
    assert.deepEqual(await store.wastefulFiles(1), [], 'nothing was dropped');
    await dropAll(store, newest(3));
    assert.deepEqual(await store.wastefulFiles(0.5), [], 'half of it is needed');
    // Four records of 20,000 bytes are in 100,000 bytes: the rest is divided equally between them.
    assert.deepEqual(await store.wastefulFiles(0.6), [{ file, bytes: 100_000, neededBytes: 50_000 }]);
    await dropAll(store, newest(2));
    assert.deepEqual(await store.wastefulFiles(0.5), [{ file, bytes: 100_000, neededBytes: 25_000 }]);
    await dropAll(store, newest(1));
    assert.deepEqual(await store.wastefulFiles(0.5), [{ file, bytes: 100_000, neededBytes: 0 }]);
    const [captures] = await store.capturesIn([file]);
    await store.moveCaptures({ to: null, from: [{ captures: captures!, newOffsets: [] }] });
    assert.deepEqual(await store.wastefulFiles(1), []);
    assert.deepEqual([...(await store.archiveFiles())], [['whole.warc.gz', 100_000]]);
  });

  test('captures move to their new file and offsets and the old file disappears, in one step', async (t) => {
    const store = await storeWith(t, open, {
      [URL_A]: versions('A', 'B', 'C'),
      [URL_B]: [{ atMs: 5, says: 'C', revisit: true, file: 'other.warc.gz' }],
    });
    await dropAll(store, newest(1));
    const [captures] = await store.capturesIn([FILE]);
    assert.deepEqual(captures, {
      file: FILE,
      bytes: 100_000,
      ids: [1],
      timesMs: [NOW_MS + 3_000],
      offsets: [3_000],
      lengths: [100],
    });
    const to = { file: 'new.warc.gz', bytes: 900 };
    const wrong = { to, from: [{ captures: { ...captures!, offsets: [3_001] }, newOffsets: [300] }] };
    await assert.rejects(store.moveCaptures(wrong), { code: 'ERR_INTERNAL' });
    await assert.rejects(store.moveCaptures({ to: null, from: [{ captures: captures!, newOffsets: [] }] }));
    assert.equal((await store.archiveFiles()).has('new.warc.gz'), false, 'a move that fails leaves nothing');
    assert.deepEqual(await store.payloadPlace('sha1:C'), { file: FILE, offset: 3_000, length: 100 });

    await store.moveCaptures({ to, from: [{ captures: captures!, newOffsets: [300] }] });
    assert.deepEqual([...(await store.archiveFiles())].sort(), [
      ['new.warc.gz', 900],
      ['other.warc.gz', 100_000],
    ]);
    const [moved] = await store.capturesOf('http://a.test', urlKeyHex(URL_A), Number.MAX_SAFE_INTEGER, 1);
    assert.deepEqual([moved?.file, moved?.offset, moved?.length], ['new.warc.gz', 300, 100]);
    assert.deepEqual(await store.payloadPlace('sha1:C'), { file: 'new.warc.gz', offset: 300, length: 100 });
    assert.deepEqual(await store.capturesIn([FILE]), []);
  });

  test('revisits without a stored payload are reported, and a payload is found in any capture', async (t) => {
    const store = await storeWith(t, open, {
      [URL_A]: [...versions('A'), { atMs: 2_000, says: 'refused', revisit: true }],
      [URL_B]: [{ atMs: 5, says: 'A', revisit: true }],
    });
    assert.deepEqual(await store.revisitsAlone(9), [{ file: FILE, offset: 2_000, length: 100 }]);
    assert.deepEqual(await store.revisitsAlone(0), []);
    assert.deepEqual(await store.payloadPlace('sha1:A'), { file: FILE, offset: 1_000, length: 100 });
    assert.equal(await store.payloadPlace('sha1:refused'), null);
  });

  test('a file is not given up while it has a capture that was not moved', async (t) => {
    const store = await storeWith(t, open, { [URL_A]: versions('A'), [URL_B]: versions('B') });
    const [captures] = await store.capturesIn([FILE]);
    const { ids, timesMs, offsets, lengths } = captures!;
    const first = { ...captures!, ids: ids.slice(0, 1), timesMs: timesMs.slice(0, 1), offsets: offsets.slice(0, 1) };
    const move = {
      to: { file: 'new.warc.gz', bytes: 9 },
      from: [{ captures: { ...first, lengths }, newOffsets: [0] }],
    };
    await assert.rejects(store.moveCaptures(move), /still has captures/);
    assert.equal((await store.archiveFiles()).get(FILE), 100_000);
    assert.deepEqual(await store.capturesIn([FILE]), [captures]);
  });
}
