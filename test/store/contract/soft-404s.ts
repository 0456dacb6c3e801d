/** Tests soft 404s: pages that have the answer of their host for a path that does not exist. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotFoundAnswer, Store } from '../../../src/store/contract.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import { claimOne, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const HOST = 'http://a.test';
const ERROR_PAGE = page('Sorry, there is no such page.');
const ANSWER: NotFoundAnswer = {
  kind: 'page',
  askedAtMs: NOW_MS,
  probe: `${HOST}/qwertz`,
  digest: ERROR_PAGE.digest,
  title: '',
  reduced: 'x',
};
const MANNERS = { askedAtMs: NOW_MS, delayMs: null, blockedUntilMs: 0 };

async function fates(store: Store, paths: readonly string[]): Promise<string[]> {
  const records = await Promise.all(paths.map((path) => recordOf(store, HOST + path)));
  return records.map(({ state, reason, duplicateOf }) => [state, reason, duplicateOf].filter(Boolean).join(' '));
}

export function soft404sContract(open: OpenStore): void {
  test('pages that are marked as soft 404s are no duplicates of each other, and keep their own pages', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const paths = Array.from({ length: 12 }, (_, n) => `/lost/${n}`);
    await store.seed(
      paths.map((path) => found(HOST + path)),
      NOW_MS,
    );
    const lease = await claimOne(store);
    const results = lease.urls.map((task) => resultOf(lease, task, { page: ERROR_PAGE, reason: 'soft-404' }));
    const { states } = await commit(store, results, { nearDuplicate: 0.8 });
    assert.deepEqual(states, Array(12).fill('fetched'));
    assert.deepEqual(await fates(store, paths), Array(12).fill('fetched soft-404'));
    assert.deepEqual((await store.counts()).reasons, { 'soft-404': 12 });
  });

  test('pages that were committed before the host was asked are marked, but not its main page or a seed', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const others = ['/lost/1', '/lost/2', '/lost/3', '/real'];
    await store.seed(
      [
        found(`${HOST}/`, { depth: 1 }),
        found(`${HOST}/seed`, { depth: 0 }),
        ...others.map((path) => found(HOST + path)),
        found('http://b.test/'),
      ],
      NOW_MS,
    );
    const lease = (
      await store.claim({ owner: 'first', hosts: 9, urlsPerHost: 99, nowMs: NOW_MS, leaseMs: 60_000 })
    ).find(({ host }) => host === HOST)!;
    const answers = (url: string) => (url.endsWith('/real') ? page('a real page') : ERROR_PAGE);
    await commit(
      store,
      lease.urls.map((task) => resultOf(lease, task, { page: answers(task.url) })),
    );
    await commit(store, [], { hosts: [{ hostId: lease.hostId, manners: MANNERS, notFound: ANSWER }] });
    assert.deepEqual(await fates(store, others), [
      'fetched soft-404',
      'fetched soft-404',
      'fetched soft-404',
      'fetched',
    ]);
    assert.deepEqual(await fates(store, ['/seed']), ['fetched']);
    assert.deepEqual(await fates(store, ['/']), [`duplicate duplicate-content ${HOST}/seed`]);
    const { states, reasons } = await store.counts();
    assert.deepEqual([states.fetched, states.duplicate, reasons], [5, 1, { 'duplicate-content': 1, 'soft-404': 3 }]);
    assert.equal((await store.host(HOST))!.fetched, 6);
  });

  test('the answer of a host survives a restart, comes with its lease, and is not taken from a stranger', async (t) => {
    const dir = temporaryFolder(t);
    const first = await open(dir, NOW_MS);
    await first.seed([found(`${HOST}/x`)], NOW_MS);
    const { hostId, notFound } = await claimOne(first);
    assert.equal(notFound, undefined);
    await commit(first, [], { hosts: [{ hostId, manners: MANNERS, notFound: ANSWER }], owner: 'stranger' });
    assert.equal((await first.host(HOST))!.notFound, null);
    await commit(first, [], { hosts: [{ hostId, manners: MANNERS, notFound: ANSWER }] });
    await first.release('first', [hostId], NOW_MS);
    await first.close();
    const second = await open(dir, NOW_MS);
    t.after(() => second.close());
    assert.deepEqual((await second.host(HOST))!.notFound, ANSWER);
    assert.deepEqual((await claimOne(second)).notFound, ANSWER);
  });
}
