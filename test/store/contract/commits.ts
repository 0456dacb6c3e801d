/** Tests that a commit is one transaction and idempotent (E8, C2), and that it survives the end of the process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaptureRecord, Store } from '../../../src/store/contract.ts';
import { sketchWith } from '../../content/compare-sketches.ts';
import type { StoreTraits } from '../contract.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import {
  batchOf,
  capture,
  claimOne,
  commit,
  everything,
  FILE,
  found,
  linksTo,
  NOW_MS,
  page,
  recordOf,
  resultOf,
} from '../rows.ts';

const at = (path: string) => `http://a.test/${path}`;

/** A leased host with URLs named a to f. */
async function seeded(store: Store) {
  await store.seed(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => found(at(path))),
    NOW_MS,
  );
  const lease = await claimOne(store);
  return { lease, task: (path: string) => lease.urls.find(({ url }) => url === at(path))! };
}

/** A batch with one result of each kind. */
async function fullBatch(store: Store) {
  const { lease, task } = await seeded(store);
  const foundLinks = [found(at('new')), found('http://b.test/new', { pattern: 'p' }), found(at('a'))];
  const sketch = sketchWith(Array(8).keys());
  const results = [
    resultOf(lease, task('a'), {
      page: page('one', { sketch }),
      capture: capture(0),
      knownLinks: linksTo([task('b').id]),
      foundLinks,
    }),
    resultOf(lease, task('b'), { page: page('one'), capture: capture(100), reason: 'noindex' }),
    resultOf(lease, task('c'), { page: page('three', { sketch, canonical: found(at('a')) }), capture: capture(200) }),
    resultOf(lease, task('d'), { state: 'redirect', redirectTo: found(at('e'), { hops: 1 }), capture: capture(300) }),
    resultOf(lease, task('e'), { state: 'failed', reason: 'not-found', failures: 1, capture: capture(400) }),
    resultOf(lease, task('f'), { state: 'waiting', reason: 'connect-failed', failures: 1, dueAtMs: NOW_MS + 99 }),
  ];
  const manners = { askedAtMs: NOW_MS + 5, delayMs: 1_000, blockedUntilMs: 0 };
  const robots = { status: 200, body: 'User-agent: *', fetchedAtMs: NOW_MS };
  return batchOf(results, { hosts: [{ hostId: lease.hostId, manners, robots }], archive: new Map([[FILE, 500]]) });
}

export function commitContract(open: OpenStore, { sharedBecause, knownFirstBecause }: StoreTraits = {}): void {
  test('a commit stores everything that it contains', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const receipt = await store.commit(await fullBatch(store));
    assert.deepEqual(receipt.states, ['fetched', 'duplicate', 'duplicate', 'redirect', 'failed', 'waiting']);
    assert.equal(receipt.discovered, 2);
    const { states, reasons, hosts, bytes, wireBytes } = await store.counts();
    assert.deepEqual(states, { waiting: 3, fetched: 1, duplicate: 2, redirect: 1, failed: 1, skipped: 0, gone: 0 });
    assert.deepEqual(reasons, { 'duplicate-content': 1, 'duplicate-canonical': 1, 'not-found': 1 });
    assert.deepEqual([hosts, bytes, wireBytes], [2, 11, 7]);
    assert.deepEqual([...(await store.archiveFiles())], [[FILE, 500]]);
    const record = await recordOf(store, at('a'));
    assert.deepEqual(record.capture, capture(0));
    assert.deepEqual([record.title, record.language, record.bytes, record.outlinks], ['Title of one', 'en', 3, 3]);
    assert.equal(record.digest, `sha256:${page('one').digest}`);
    assert.equal((await recordOf(store, at('d'))).redirectTo, at('e'));
    assert.equal((await store.hosts(0, 1))[0]?.robots?.body, 'User-agent: *');
  });

  test('E8 C2 committing the same batch again changes nothing, at once or after a restart', async (t) => {
    const dir = temporaryFolder(t);
    const first = await open(dir, NOW_MS);
    const batch = await fullBatch(first);
    const receipt = await first.commit(batch);
    const before = await everything(first);
    const again = await first.commit(batch);
    assert.deepEqual(await everything(first), before);
    assert.deepEqual(again.linkIds, receipt.linkIds);
    assert.deepEqual([again.discovered, again.states], [0, [null, null, null, null, null, 'waiting']]);
    await first.close();

    const second = await open(dir, NOW_MS);
    t.after(() => second.close());
    const reopened = await everything(second);
    // If a store can be opened by one process only, that process holds no lease after opening.
    const waits = sharedBecause === undefined ? null : 'waiting';
    assert.deepEqual((await second.commit(batch)).states, [null, null, null, null, null, waits]);
    assert.deepEqual(await everything(second), reopened);
    assert.deepEqual(reopened.counts, before.counts);
    assert.deepEqual(reopened.urls, before.urls);
    assert.deepEqual(reopened.captures, before.captures);
  });

  test('if a batch has two results for one URL, the first one counts', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, task } = await seeded(store);
    const failed = resultOf(lease, task('a'), { state: 'failed', reason: 'gone', failures: 1 });
    const { states } = await commit(store, [resultOf(lease, task('a'), { page: page('x') }), failed]);
    assert.deepEqual(states, ['fetched', null]);
  });

  test('a batch that fails half-way has no effect, and the next batch works', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, task } = await seeded(store);
    const before = await everything(store);
    const good = resultOf(lease, task('a'), {
      page: page('x'),
      foundLinks: [found('http://new.test/1'), found(at('deep'), { skip: 'too-deep' })],
      capture: capture(0),
    });
    const bad = resultOf(lease, task('b'), { page: page('y'), capture: capture(100, { file: 'never-named.warc.gz' }) });
    const archive = new Map([[FILE, 200]]);
    await assert.rejects(commit(store, [good, bad], { archive }), { code: 'ERR_STORE' });
    const after = await everything(store);
    if (knownFirstBecause === undefined) assert.deepEqual(after, before);
    else {
      const links = good.foundLinks.map(({ url }) => url);
      const isOld = ({ url }: { url: string }) => !links.includes(url);
      assert.deepEqual(after.urls.filter(isOld), before.urls);
      for (const kept of ['captures', 'visits', 'changes', 'files'] as const) {
        assert.deepEqual(after[kept], before[kept], kept);
      }
    }

    const mended = resultOf(lease, task('b'), { page: page('y'), capture: capture(100) });
    const receipt = await commit(store, [good, mended], { archive });
    assert.deepEqual(receipt.states, ['fetched', 'fetched']);
    assert.equal((await recordOf(store, 'http://new.test/1')).id, receipt.linkIds[0]![0]);
    assert.deepEqual((await recordOf(store, at('b'))).capture, capture(100));
    assert.equal((await store.counts()).hosts, 2);
  });

  test('the valid length of an archive file never decreases', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await commit(store, [], { archive: new Map([[FILE, 500]]) });
    const archive = new Map([
      [FILE, 300],
      ['b.warc.gz', 7],
    ]);
    await commit(store, [], { archive });
    assert.deepEqual(Object.fromEntries(await store.archiveFiles()), { [FILE]: 500, 'b.warc.gz': 7 });
  });

  test('exactly the URLs that the archive lost wait again', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const batch = await fullBatch(store);
    const { results } = batch;
    await store.commit({ ...batch, results: [...results.slice(0, 5), { ...results[5]!, capture: capture(500) }] });
    assert.equal(await store.forgetCaptures(FILE, 150, NOW_MS), 4);
    const states = Object.fromEntries((await store.urls(0, 99)).map(({ url, state }) => [url.slice(14), state]));
    assert.equal(states.a, 'fetched');
    for (const path of ['b', 'c', 'd', 'e', 'f']) assert.equal(states[path], 'waiting', path);
    const { counts, captures, files } = await everything(store);
    assert.equal(captures.length, 1);
    assert.equal(files.get(FILE), 150);
    assert.deepEqual([counts.states.waiting, counts.retrying, counts.bytes, counts.reasons], [7, 1, 3, {}]);
    const retried = await recordOf(store, at('f'));
    assert.deepEqual([retried.failures, retried.dueAtMs], [1, NOW_MS + 99], 'a retry keeps its time');
    const failed = await recordOf(store, at('e'));
    assert.deepEqual([failed.failures, failed.reason, failed.capture], [0, null, null]);
    assert.equal((await recordOf(store, at('d'))).redirectTo, null);
    assert.equal((await recordOf(store, at('b'))).duplicateOf, null);
    assert.equal(await store.forgetCaptures('no such file', 0, NOW_MS), 0);
  });

  test('a URL whose capture refers to a lost payload waits again, in whichever file the capture is', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, task } = await seeded(store);
    const other = 'b-00001.warc.gz';
    const payload = (path: string, digest: string, more: Partial<CaptureRecord>) =>
      resultOf(lease, task(path), { page: page(path), capture: capture(0, { payloadDigest: digest, ...more }) });
    const results = [
      payload('a', 'sha1:LOST', { offset: 100 }),
      payload('b', 'sha1:LOST', { file: other, offset: 0, revisit: true }),
      payload('c', 'sha1:KEPT', { offset: 0 }),
      payload('d', 'sha1:KEPT', { file: other, offset: 100, revisit: true }),
    ];
    const archive = new Map([
      [FILE, 200],
      [other, 200],
    ]);
    await commit(store, results, { archive });
    assert.deepEqual(
      (await store.payloads(10)).map(({ url }) => url),
      [at('c'), at('a')],
    );
    assert.equal(await store.forgetCaptures(FILE, 150, NOW_MS), 2);
    const states = await Promise.all(['a', 'b', 'c', 'd'].map(async (path) => (await recordOf(store, at(path))).state));
    assert.deepEqual(states, ['waiting', 'waiting', 'fetched', 'fetched']);
    assert.deepEqual(
      (await store.payloads(10)).map(({ url }) => url),
      [at('c')],
    );
  });

  test('after an original is lost, the next page with its content is the original', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, task } = await seeded(store);
    const archive = new Map([[FILE, 100]]);
    await commit(store, [resultOf(lease, task('a'), { page: page('x'), capture: capture(0) })], { archive });
    await store.release('first', [lease.hostId], NOW_MS);
    assert.equal(await store.forgetCaptures(FILE, 0, NOW_MS), 1);
    const again = await claimOne(store);
    const results = [again.urls.find(({ url }) => url === at('b'))!, task('a')].map((url) =>
      resultOf(again, url, { page: page('x') }),
    );
    assert.deepEqual((await commit(store, results)).states, ['fetched', 'duplicate']);
  });

  test('sync succeeds, and a closed store has all data when it is opened again', async (t) => {
    const dir = temporaryFolder(t);
    const store = await open(dir, NOW_MS);
    await store.commit(await fullBatch(store));
    await store.setNote('seeds', '["x"]');
    await store.sync();
    const { urls, counts } = await everything(store);
    await store.close();
    const again = await open(dir, NOW_MS);
    t.after(() => again.close());
    assert.deepEqual((await everything(again)).urls, urls);
    assert.deepEqual(await again.counts(), counts);
    assert.equal(await again.note('seeds'), '["x"]');
  });
}
