/** Tests visits after the first: what is known before a visit, and what each finding stores. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patternOf } from '../../../src/url/path-shape.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { at, copyOf, HOUR_MS } from '../looking-again.ts';
import {
  capture,
  claim,
  claimOne,
  commit,
  everything,
  FILE,
  found,
  NOW_MS,
  OTHER_OWNER,
  OWNER,
  page,
  recordOf,
  resultOf,
} from '../rows.ts';

const SMALL_COPY = {
  seed: { body: 'seed', more: { etag: '"1"', lastModified: 'Wed, 01 Jan 2025 00:00:00 GMT' } },
  same: { body: 'seed' },
  moved: { state: 'redirect', redirectTo: found(at('seed')) },
  broken: { state: 'failed', reason: 'not-found' },
  left: { state: 'skipped', reason: 'robots-disallowed' },
  again: { state: 'waiting', reason: 'server-error', failures: 1, dueAtMs: NOW_MS + 5 },
  map: { body: 'map', more: { isSource: true } },
} as const;

const ARCHIVE = { archive: new Map([[FILE, 1_000]]) };

export function visitsContract(open: OpenStore): void {
  test('answered URLs can be visited again, and waiting or skipped URLs cannot', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, SMALL_COPY);
    const visits = await store.visits(0, 100);
    assert.deepEqual(
      visits.map(({ id, state, isSource }) => [[...copy.ids].find(([, known]) => known === id)![0], state, isSource]),
      [
        ['seed', 'page', false],
        ['same', 'page', false],
        ['moved', 'redirect', false],
        ['broken', 'none', false],
        ['map', 'page', true],
      ],
    );
    assert.deepEqual(visits[0], {
      id: copy.id('seed'),
      hostId: copy.hostId,
      pattern: patternOf(at('seed')),
      depth: 0,
      state: 'page',
      isSource: false,
      checkedAtMs: NOW_MS,
      checks: 0,
      changes: 0,
      changedLogMs: 0,
      quietMs: 0,
      intervalMs: 0,
      rhythm: 0,
      failures: 0,
      notBeforeMs: 0,
      claimedMs: 0,
      claimSeenMs: 0,
      copyOf: null,
      orphanedMs: 0,
    });
    assert.deepEqual(await store.visits(copy.id('same'), 1), [visits[2]], 'they are read page by page');
  });

  test('a visit gets its data: validators, the current content and earlier findings', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, SMALL_COPY);
    await copy.look('seed', 'changed', { body: 'new', more: { etag: '"2"' }, capture: capture(100) }, ARCHIVE);
    await copy.look('seed', 'missing', { capture: capture(300, { status: 404 }), reason: 'not-found' }, ARCHIVE);
    const ids = ['moved', 'left', 'seed', 'again', 'broken'].map((path) => copy.id(path));
    const tasks = await store.revisits([...ids, 4_711]);
    assert.deepEqual(
      tasks.map(({ url }) => url),
      [at('moved'), at('seed'), at('broken')],
    );
    const [moved, seed, broken] = tasks;
    assert.deepEqual(moved?.earlier, {
      checkedAtMs: NOW_MS,
      failures: 0,
      etag: '',
      lastModified: '',
      digest: '',
      redirectTo: at('seed'),
      trouble: null,
      streak: 0,
      regions: null,
      wordCounts: null,
    });
    assert.deepEqual(seed, {
      id: copy.id('seed'),
      url: at('seed'),
      depth: 0,
      hops: 0,
      failures: 1,
      relevance: null,
      inherited: null,
      stepsOff: null,
      earlier: {
        checkedAtMs: copy.nowMs - HOUR_MS,
        failures: 1,
        etag: '"2"',
        lastModified: '',
        digest: page('new').digest,
        redirectTo: null,
        trouble: 'not-found',
        streak: 1,
        regions: null,
        wordCounts: null,
      },
    });
    assert.equal(broken?.earlier?.digest, '');
  });

  test('a visit that found no change updates only its time and the schedule', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, SMALL_COPY);
    const before = await everything(store);
    const update = {
      checkedAtMs: 0,
      changes: 1.5,
      changedLogMs: 12.25,
      quietMs: 100,
      intervalMs: 77,
      rhythm: 2 ** 53 - 1,
    };
    const visits = [{ id: copy.id('seed'), ...update }];
    assert.equal(await copy.look('seed', 'same', {}, { visits }), 'fetched');
    assert.deepEqual(await copy.visit('seed'), {
      ...(await copy.visit('seed')),
      ...update,
      checks: 1,
      checkedAtMs: NOW_MS + HOUR_MS,
    });
    const after = await everything(store);
    const seed = after.urls[0]!;
    assert.deepEqual([seed.checkedAtMs, seed.checks, seed.changes], [NOW_MS + HOUR_MS, 1, 0]);
    const besides = ({ urls, visits, ...rest }: typeof after) => ({
      ...rest,
      urls: urls.slice(1),
      visits: visits.slice(1),
    });
    assert.deepEqual(besides(after), besides(before));
  });

  test('a visit that found no change may be archived, and the content stays that of the first response', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, SMALL_COPY);
    await copy.look('seed', 'changed', { body: 'new', capture: capture(100) }, ARCHIVE);
    const unchanged = { status: 304, contentType: '', revisit: true };
    assert.equal(await copy.look('seed', 'same', { capture: capture(200, unchanged) }, ARCHIVE), 'fetched');
    assert.equal(await copy.look('seed', 'same', { capture: capture(300, { revisit: true }) }, ARCHIVE), 'fetched');
    const { host, key } = found(at('seed'));
    const statuses = (await store.capturesOf(host, key, Number.MAX_SAFE_INTEGER, 10)).map(({ status }) => status);
    assert.deepEqual(statuses, [200, 304, 200]);
    assert.equal((await recordOf(store, at('seed')))?.capture?.status, 200);
    assert.equal((await copy.visit('seed')).checks, 3);
  });

  test('lastLookMs is the time of the newest visit, or null without a visit', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, SMALL_COPY);
    assert.equal(await store.lastLookMs(), null, 'a first answer is no second look');
    await copy.look('seed', 'same');
    await copy.look('moved', 'same');
    assert.equal(await store.lastLookMs(), NOW_MS + 2 * HOUR_MS);
    await copy.look('seed', 'same');
    assert.equal(await store.lastLookMs(), NOW_MS + 3 * HOUR_MS);
  });

  test('validators of a 304 response are kept, except one that is too long', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, SMALL_COPY);
    const validatorsAfter = async (etag: string) => {
      await copy.look('seed', 'same', { validators: { etag } });
      const [task] = await store.revisits([copy.id('seed')]);
      return [task?.earlier?.etag, task?.earlier?.lastModified];
    };
    assert.deepEqual(await validatorsAfter('"3"'), ['"3"', '']);
    assert.deepEqual(await validatorsAfter('x'.repeat(512)), ['x'.repeat(512), '']);
    assert.deepEqual(await validatorsAfter('x'.repeat(513)), ['', '']);
  });

  test('a failed visit is counted and keeps the page, and the next successful visit clears it', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, SMALL_COPY);
    const dueAtMs = NOW_MS + 50 * HOUR_MS;
    assert.equal(await copy.look('seed', 'failing', { reason: 'connect-failed', dueAtMs }), 'fetched');
    assert.equal(await copy.look('seed', 'missing', { reason: 'not-found', dueAtMs: dueAtMs + 1 }), 'fetched');
    const visit = await copy.visit('seed');
    assert.deepEqual([visit.failures, visit.notBeforeMs, visit.state], [2, dueAtMs + 1, 'page']);
    const { state, reason, trouble, failures } = await recordOf(store, at('seed'));
    assert.deepEqual([state, reason, trouble, failures], ['fetched', null, 'not-found', 0]);
    assert.deepEqual(await copy.changes(), []);
    await copy.look('seed', 'same');
    const { trouble: none } = await recordOf(store, at('seed'));
    const mended = await copy.visit('seed');
    assert.deepEqual([none, mended.failures, mended.notBeforeMs], [null, 0, 0]);
  });

  test('committing a visit again changes nothing, and neither does a late visit of a former owner', async (t) => {
    const findings = ['same', 'noise', 'changed', 'moved', 'missing', 'gone', 'failing', 'refused'] as const;
    for (const finding of findings) {
      const store = await freshStore(t, open, NOW_MS);
      const copy = await copyOf(store, SMALL_COPY);
      const sight = {
        ...(finding === 'noise' || finding === 'changed' ? { body: 'new', foundLinks: [found(at('found'))] } : {}),
        ...(finding === 'moved' ? { redirectTo: found(at('map')) } : {}),
        ...(finding === 'refused' ? { reason: 'robots-disallowed' as const } : {}),
        capture: capture(100),
      };
      assert.equal(await copy.look('seed', finding, sight, { ...ARCHIVE, owner: OTHER_OWNER }), null, finding);
      assert.notEqual(await copy.look('seed', finding, sight, ARCHIVE), null, finding);
      const after = await everything(store);
      assert.deepEqual((await store.commit(copy.last!)).states, [null], finding);
      assert.deepEqual(await everything(store), after, finding);
    }
  });

  test('a second visit at the same millisecond is distinguished from the same visit again', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, SMALL_COPY);
    copy.nowMs -= HOUR_MS;
    assert.equal(await copy.look('seed', 'failing', { reason: 'connect-failed' }), 'fetched');
    assert.deepEqual((await store.commit(copy.last!)).states, [null]);
    assert.equal((await copy.visit('seed')).failures, 1);
  });

  test('hosts are leased by name and without URLs, except hosts of another owner', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/'), found('http://b.test/')], NOW_MS);
    const [a, b] = await claim(store);
    await commit(store, [resultOf(a!, a!.urls[0]!, { page: page('a') })], {
      hosts: [{ hostId: a!.hostId, manners: { askedAtMs: NOW_MS, delayMs: 50, blockedUntilMs: 7 } }],
    });
    await store.release(OWNER, [a!.hostId], NOW_MS);
    const request = { owner: OTHER_OWNER, hostIds: [a!.hostId, b!.hostId, 99], nowMs: NOW_MS, leaseMs: 1_000 };
    assert.deepEqual(await store.lease(request), [
      { ...a!, manners: { askedAtMs: NOW_MS, delayMs: 50, blockedUntilMs: 7 }, urls: [] },
    ]);
    assert.equal((await store.host('http://a.test'))?.leasedBy, OTHER_OWNER);
    assert.equal((await store.host('http://a.test'))?.readyAtMs, NOW_MS + 1_000);
    assert.deepEqual(await store.lease({ ...request, owner: OWNER, hostIds: [a!.hostId] }), [], 'it is held');
    const later = { ...request, owner: OWNER, hostIds: [a!.hostId], nowMs: NOW_MS + 1_000 };
    assert.equal((await store.lease(later)).length, 1, 'until the lease runs out');
    assert.equal((await store.lease(later)).length, 1, 'and its owner may ask again');
  });

  test('a host that was leased for visits is ready again only when a URL waits there', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, { seed: { body: 'seed' } });
    const hostIds = [copy.hostId];
    await store.release(OWNER, hostIds, NOW_MS);
    assert.equal(await store.nextReadyAtMs(), null);
    const request = { owner: OWNER, hostIds, nowMs: NOW_MS, leaseMs: 1e9 };
    await store.lease(request);
    await copy.look('seed', 'same');
    await store.release(OWNER, hostIds, copy.nowMs);
    assert.equal(await store.nextReadyAtMs(), null, 'nothing waits');
    await store.lease(request);
    await copy.look('seed', 'changed', { body: 'new', foundLinks: [found(at('found'))] });
    assert.deepEqual(await claim(store, { nowMs: copy.nowMs }), [], 'its owner does not get it twice');
    await store.release(OWNER, hostIds, copy.nowMs);
    assert.equal(await store.nextReadyAtMs(), copy.nowMs);
    const { urls } = await claimOne(store, { nowMs: copy.nowMs });
    assert.deepEqual(
      urls.map(({ url }) => url),
      [at('found')],
    );
  });

  test('a page that waits again because the archive lost it is not visited until it is fetched', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, { seed: { body: 'seed' }, b: { body: 'b' } });
    const looked = (offset: number) => ({ body: `version ${offset}`, capture: capture(offset) });
    await copy.look('seed', 'changed', looked(0), ARCHIVE);
    await copy.look('seed', 'changed', looked(200), ARCHIVE);
    await copy.look('b', 'changed', looked(100), ARCHIVE);
    await copy.look('b', 'same', { capture: capture(300, { status: 304, revisit: true }) }, ARCHIVE);
    assert.equal(await store.forgetCaptures(FILE, 300, copy.nowMs), 0, 'what said that nothing is new is no content');
    assert.equal(await store.forgetCaptures(FILE, 200, copy.nowMs), 1);
    assert.deepEqual(await copy.states(['seed', 'b']), ['waiting', 'fetched']);
    assert.deepEqual(
      (await store.visits(0, 9)).map(({ id }) => id),
      [copy.id('b')],
    );
    assert.deepEqual(await store.revisits([copy.id('seed')]), []);
  });

  test('an old version that the archive lost is dropped, and the page stays', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, { seed: { body: 'seed' } });
    const other = 'b-00001.warc.gz';
    const archive = new Map([
      [FILE, 1_000],
      [other, 1_000],
    ]);
    await copy.look('seed', 'changed', { body: 'old', capture: capture(500) }, { archive });
    await copy.look('seed', 'changed', { body: 'new', capture: capture(600, { file: other }) }, { archive });
    assert.equal(await store.forgetCaptures(FILE, 0, copy.nowMs), 0);
    assert.deepEqual(await copy.states(['seed']), ['fetched']);
    assert.equal((await everything(store)).captures.length, 1);
    assert.equal(await store.forgetCaptures(other, 0, copy.nowMs), 1);
    assert.deepEqual(await copy.states(['seed']), ['waiting']);
  });
}
