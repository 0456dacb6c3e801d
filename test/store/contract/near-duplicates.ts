/** Tests pages whose text is nearly that of an earlier page (E5), and hosts that mirror each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostLease, PageRecord, Store, UrlResult } from '../../../src/store/contract.ts';
import { printsOf, SAMPLE_NUMBERS, similarity } from '../../../src/store/rules/near-duplicate-rule.ts';
import { sketchWith } from '../../content/compare-sketches.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import { capture, claim, commit, FILE, found, NOW_MS, OWNER, page, recordOf, resultOf } from '../rows.ts';

const A = 'http://a.test';
const B = 'http://b.test';
const NEAR = { nearDuplicate: 0.8 };

/** Fingerprints from `first` on: two sketches share as many as their ranges share. */
function sketch(first: number, count = 30): Uint32Array {
  return sketchWith(Array.from({ length: count }, (_, i) => (first + i) * 7_919));
}

/** Makes the URLs known and claims them. The returned function makes results for them. */
async function opened(store: Store, urls: readonly string[]) {
  await store.seed(
    urls.map((url) => found(url)),
    NOW_MS,
  );
  const leases = await claim(store);
  return (url: string, body: string, more: Partial<PageRecord> = {}, rest: Partial<UrlResult> = {}): UrlResult => {
    const lease = leases.find(({ urls: claimed }) => claimed.some((task) => task.url === url)) as HostLease;
    return resultOf(lease, lease.urls.find((task) => task.url === url)!, { page: page(body, more), ...rest });
  };
}

export function nearDuplicatesContract(open: OpenStore): void {
  test('E5 a near duplicate stays a page, with a reason and the page that it resembles', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const fetched = await opened(store, [`${A}/1`, `${A}/2`, `${A}/3`]);
    const results = [
      fetched(`${A}/1`, 'one', { sketch: sketch(0) }),
      fetched(`${A}/2`, 'two', { sketch: sketch(3) }),
      fetched(`${A}/3`, 'three', { sketch: sketch(25) }),
    ];
    const { states } = await commit(store, results, NEAR);
    assert.deepEqual(states, ['fetched', 'fetched', 'fetched']);
    const told = await Promise.all([1, 2, 3].map((n) => recordOf(store, `${A}/${n}`)));
    assert.deepEqual(
      told.map((record) => [record.reason, record.nearDuplicateOf, record.similarity, record.duplicateOf]),
      [
        [null, null, null, null],
        ['near-duplicate', `${A}/1`, similarity(sketch(0), sketch(3), 0.8), null],
        [null, null, null, null],
      ],
    );
    assert.deepEqual((await store.counts()).reasons, { 'near-duplicate': 1 });
  });

  test('E5 a fault of the page itself takes precedence over being a near duplicate', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const fetched = await opened(store, [`${A}/1`, `${A}/2`]);
    const hidden = fetched(`${A}/2`, 'two', { sketch: sketch(0), noindex: true }, { reason: 'noindex' });
    await commit(store, [fetched(`${A}/1`, 'one', { sketch: sketch(0) }), hidden], NEAR);
    const { reason, nearDuplicateOf, similarity } = await recordOf(store, `${A}/2`);
    assert.deepEqual([reason, nearDuplicateOf, similarity], ['noindex', `${A}/1`, 1]);
  });

  test('E5 a page with the prints of another is no near duplicate if the samples do not confirm it', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const fetched = await opened(store, [`${A}/1`, `${A}/2`, `${A}/3`]);
    const sampleOfAnother = Uint32Array.of(...sketch(1_000).subarray(0, SAMPLE_NUMBERS), ...printsOf(sketch(0)));
    const results = [
      fetched(`${A}/1`, 'one', { sketch: sketch(0) }),
      fetched(`${A}/2`, 'two', { sketch: sampleOfAnother }),
      fetched(`${A}/3`, 'three', { sketch: sketch(0) }),
    ];
    await commit(store, results, NEAR);
    const told = await Promise.all([2, 3].map((n) => recordOf(store, `${A}/${n}`)));
    assert.deepEqual(
      told.map(({ nearDuplicateOf }) => nearDuplicateOf),
      [null, `${A}/1`],
    );
  });

  test('E5 a page with little text is a near duplicate of a page with exactly the same text', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const urls = [1, 2, 3, 4].map((n) => `${A}/${n}`);
    const fetched = await opened(store, urls);
    const sketches = [sketch(0, 3), sketch(0, 4), sketch(0, 3), sketch(0, 2)];
    await commit(
      store,
      urls.map((url, i) => fetched(url, url, { sketch: sketches[i]! })),
      NEAR,
    );
    const told = await Promise.all(urls.map((url) => recordOf(store, url)));
    assert.deepEqual(
      told.map(({ nearDuplicateOf }) => nearDuplicateOf),
      [null, null, urls[0], null],
    );
  });

  test('E5 other duplicates are not compared, and nothing is compared without a threshold', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const fetched = await opened(store, [`${A}/1`, `${A}/2`, `${A}/3`, `${A}/4`]);
    await commit(store, [
      fetched(`${A}/1`, 'one', { sketch: sketch(0) }),
      fetched(`${A}/2`, 'two', { sketch: sketch(0) }),
    ]);
    await commit(store, [fetched(`${A}/3`, 'three', { sketch: sketch(0) })], NEAR);
    await commit(store, [fetched(`${A}/4`, 'three', { sketch: sketch(0) })], NEAR);
    const told = await Promise.all([2, 3, 4].map((n) => recordOf(store, `${A}/${n}`)));
    assert.deepEqual(
      told.map(({ reason }) => reason),
      [null, null, 'duplicate-content'],
    );
  });

  test('E5 pages of earlier runs are compared, and lost pages are not', async (t) => {
    const dir = temporaryFolder(t);
    const urls = [1, 2, 3, 4].map((n) => `${A}/${n}`);
    const first = await open(dir, NOW_MS);
    const before = await opened(first, urls);
    const kept = (n: number, from: number) =>
      before(urls[n]!, `body ${n}`, { sketch: sketch(from) }, { capture: capture(n * 100) });
    await commit(first, [kept(0, 0), kept(1, 1_000)], { ...NEAR, archive: new Map([[FILE, 200]]) });
    await first.release(OWNER, [(await first.host(A))!.id], NOW_MS);
    await first.close();

    const store = await open(dir, NOW_MS);
    t.after(() => store.close());
    assert.equal(await store.forgetCaptures(FILE, 100, NOW_MS), 1);
    const after = await opened(store, urls);
    await commit(
      store,
      [after(urls[2]!, 'three', { sketch: sketch(2) }), after(urls[3]!, 'four', { sketch: sketch(1_002) })],
      NEAR,
    );
    assert.equal((await recordOf(store, urls[2]!)).nearDuplicateOf, urls[0]);
    assert.equal((await recordOf(store, urls[3]!)).nearDuplicateOf, null);
    await commit(store, [after(urls[1]!, 'body 1', { sketch: sketch(1_000) })], NEAR);
    assert.equal((await recordOf(store, urls[1]!)).nearDuplicateOf, urls[3], 'now the other one was first');
  });

  test('a host on which the same paths have the same pages as on another is its mirror', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const paths = Array.from({ length: 12 }, (_, n) => `/page?n=${n}`);
    const fetched = await opened(
      store,
      paths.flatMap((path) => [A + path, B + path]),
    );
    for (const [n, path] of paths.entries()) {
      if (n === 10) assert.deepEqual(await store.mirrors(), [{ host: B, of: A, same: 10, different: 0 }]);
      else if (n < 10) assert.deepEqual(await store.mirrors(), [], `${n} are too few`);
      const isNear = n % 2 === 1;
      const pages = [
        fetched(A + path, `body ${n}`, { sketch: sketch(n * 1_000) }),
        fetched(B + path, isNear ? `other body ${n}` : `body ${n}`, { sketch: sketch(n * 1_000 + 2) }),
      ];
      // Either of the two may come first.
      await commit(store, n % 3 === 0 ? pages.reverse() : pages, NEAR);
    }
    assert.deepEqual(await store.mirrors(), [{ host: B, of: A, same: 12, different: 0 }]);
  });

  test('different pages under one path count against a mirror, and pages under other paths do not count', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const paths = Array.from({ length: 20 }, (_, n) => `/${n}`);
    const fetched = await opened(store, paths.flatMap((path) => [A + path, B + path]).concat(`${B}/elsewhere`));
    for (const [n, path] of paths.entries()) {
      const differs = n % 5 === 4;
      await commit(store, [fetched(A + path, `body ${n}`), fetched(B + path, differs ? `other ${n}` : `body ${n}`)]);
    }
    await commit(store, [fetched(`${B}/elsewhere`, 'body 1')]);
    assert.deepEqual(await store.mirrors(), [], '16 of 20 are not nine in ten');
  });
}
