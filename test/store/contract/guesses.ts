/** Tests that guesses are counted, and left out on hosts where most of them are wrong (rules/guess-rule.ts). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store, UrlResult } from '../../../src/store/contract.ts';
import { MIN_GUESSES } from '../../../src/store/rules/guess-rule.ts';
import { asGuess, asTrial } from '../../../src/url/traps/sitemap-chain.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { claimOne, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const SEED = 'http://a.test/';
const guess = (name: string | number) => found(`http://a.test/${name}`, { hops: asGuess(0) });
const WRONG: Partial<UrlResult> = { state: 'failed', reason: 'not-found' };

/** A crawl whose seed has this many guesses, all waiting, and the lease of its host. */
async function guessing(store: Store, count: number) {
  await store.seed([found(SEED)], NOW_MS);
  const lease = await claimOne(store);
  const guesses = Array.from({ length: count }, (_, i) => guess(i));
  await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks: guesses })]);
  const urls = await store.claimMore(lease.hostId, { limit: count, besides: new Set(), nowMs: NOW_MS });
  return { lease, urls };
}

export function guessesContract(open: OpenStore): void {
  test('a host whose guesses are mostly wrong is asked for no more guesses, but for links', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, urls } = await guessing(store, MIN_GUESSES + 5);
    const [right, ...rest] = urls;
    // A guess that is found as a link stops being a guess, although it was known.
    const link = found(rest.at(-1)!.url);
    await commit(store, [resultOf(lease, right!, { page: page('y'), foundLinks: [link] })]);
    const wrong = rest.slice(0, MIN_GUESSES - 1).map((url) => resultOf(lease, url, WRONG));
    const receipt = await commit(store, wrong);
    assert.deepEqual(receipt.abandoned, new Map([[lease.hostId, 4]]));
    const counts = await store.counts();
    assert.deepEqual([counts.guesses, counts.wrongGuesses], [MIN_GUESSES, MIN_GUESSES - 1]);
    assert.deepEqual([counts.states.waiting, counts.reasons['guess-abandoned']], [1, 4]);
    assert.equal((await recordOf(store, link.url)).state, 'waiting');

    // Later guesses are left out when they are found. A link lets them wait, another guess does not.
    const [last] = await store.claimMore(lease.hostId, { limit: 9, besides: new Set(), nowMs: NOW_MS });
    const later = resultOf(lease, last!, { page: page('z'), foundLinks: [guess('later'), guess(MIN_GUESSES)] });
    await commit(store, [later]);
    const { state, reason } = await recordOf(store, 'http://a.test/later');
    assert.deepEqual([state, reason], ['skipped', 'guess-abandoned']);
    await commit(store, [], { found: [guess('later'), found(`http://a.test/${MIN_GUESSES}`)] });
    assert.equal((await recordOf(store, 'http://a.test/later')).state, 'skipped');
    assert.equal((await recordOf(store, `http://a.test/${MIN_GUESSES}`)).state, 'waiting');
  });

  test('a URL that was only tried as a sitemap waits again when it is found as a link', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const tried = (name: string) => found(`http://a.test/${name}`, { hops: asTrial(0) });
    const none: Partial<UrlResult> = { state: 'skipped', reason: 'no-sitemap' };
    await store.seed([found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    const places = ['sitemap.xml', 'sitemap', 'a.xml', 'b.xml'];
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x') })], { found: places.map(tried) });
    const urls = await store.claimMore(lease.hostId, { limit: 9, besides: new Set(), nowMs: NOW_MS });
    const late = urls.find(({ url }) => url.endsWith('/a.xml'))!;
    const statesOf = () =>
      Promise.all(places.map(async (name) => (await recordOf(store, `http://a.test/${name}`)).state));

    // The link is found before the answer to the trial, which then says nothing about the link.
    await commit(store, [], { found: [found(late.url)] });
    await commit(
      store,
      urls.map((url) => resultOf(lease, url, none)),
    );
    assert.deepEqual(await statesOf(), ['skipped', 'skipped', 'waiting', 'skipped']);
    await commit(store, [], {
      found: [...places.slice(0, 2).map((name) => found(`http://a.test/${name}`)), tried('b.xml')],
    });
    assert.deepEqual(await statesOf(), ['waiting', 'waiting', 'waiting', 'skipped']);
    const { states, reasons } = await store.counts();
    assert.deepEqual([states.waiting, states.skipped, reasons['no-sitemap']], [3, 1, 1]);
    const again = await store.claimMore(lease.hostId, { limit: 9, besides: new Set(), nowMs: NOW_MS });
    assert.deepEqual(new Set(again.map(({ hops }) => hops)), new Set([0]));
  });

  test('guesses that are often right go on, and links are not counted as guesses', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, urls } = await guessing(store, MIN_GUESSES + 5);
    const results = urls
      .slice(0, MIN_GUESSES)
      .map((url, i) => resultOf(lease, url, i % 2 ? WRONG : { page: page(`${i}`) }));
    await commit(store, results);
    const { guesses, wrongGuesses, states } = await store.counts();
    assert.deepEqual([guesses, wrongGuesses, states.waiting], [MIN_GUESSES, MIN_GUESSES / 2, 5]);
  });

  test('a guess that was left out because guesses are off waits again when it is found as a link', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, urls } = await guessing(store, 2);
    const unwanted = { state: 'skipped', reason: 'guess-unwanted' } as const;
    await commit(
      store,
      urls.map((url) => resultOf(lease, url, unwanted)),
    );
    await commit(store, [], { found: [found(urls[0]!.url)] });
    assert.equal((await recordOf(store, urls[0]!.url)).state, 'waiting');
    assert.equal((await recordOf(store, urls[1]!.url)).state, 'skipped');
    assert.equal(await store.letWait('guess-unwanted', NOW_MS), 1);
  });

  test('a guess that was fetched keeps its page, although the same batch ends the guesses of its host', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, urls } = await guessing(store, MIN_GUESSES + 2);
    const wrong = urls.slice(0, MIN_GUESSES).map((url) => resultOf(lease, url, WRONG));
    const right = urls[MIN_GUESSES]!;
    const receipt = await commit(store, [...wrong, resultOf(lease, right, { page: page('right') })]);
    assert.deepEqual([receipt.abandoned.get(lease.hostId), receipt.states.at(-1)], [1, 'fetched']);
    assert.equal((await recordOf(store, right.url)).state, 'fetched');
  });

  test('the answer to a guess that is left out meanwhile is stored, and a retry of it is not', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, urls } = await guessing(store, MIN_GUESSES + 3);
    const wrong = urls.slice(0, MIN_GUESSES).map((url) => resultOf(lease, url, WRONG));
    assert.deepEqual((await commit(store, wrong)).abandoned, new Map([[lease.hostId, 3]]));
    const [right, missing, retried] = urls.slice(MIN_GUESSES);
    const receipt = await commit(store, [
      resultOf(lease, right!, { page: page('right'), foundLinks: [found('http://a.test/linked')] }),
      resultOf(lease, missing!, WRONG),
      resultOf(lease, retried!, { state: 'waiting', reason: 'total-timeout', failures: 1, dueAtMs: NOW_MS + 1 }),
    ]);
    assert.deepEqual(receipt.states, ['fetched', 'failed', null]);
    assert.deepEqual(receipt.abandoned, new Map([[lease.hostId, -2]]));
    const { states, reasons, retrying, guesses } = await store.counts();
    assert.deepEqual([states.fetched, states.failed, states.waiting], [2, MIN_GUESSES + 1, 1]);
    assert.deepEqual([reasons['guess-abandoned'], retrying, guesses], [1, 0, MIN_GUESSES + 2]);
  });

  test('guesses that are left out no longer count as retried', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, urls } = await guessing(store, MIN_GUESSES + 2);
    const retried = { state: 'waiting', reason: 'total-timeout', failures: 1, dueAtMs: NOW_MS + 1 } as const;
    await commit(store, [resultOf(lease, urls[MIN_GUESSES]!, retried)]);
    assert.deepEqual((await store.counts()).retryReasons, { 'total-timeout': 1 });
    const wrong = urls.slice(0, MIN_GUESSES).map((url) => resultOf(lease, url, WRONG));
    const receipt = await commit(store, [...wrong, resultOf(lease, urls[MIN_GUESSES + 1]!, retried)]);
    assert.deepEqual([receipt.abandoned.get(lease.hostId), receipt.retrying], [2, -1]);
    const { retrying, retryReasons, states } = await store.counts();
    assert.deepEqual([retrying, retryReasons, states.waiting], [0, {}, 0]);
    // Found as a link, it begins without failures.
    await commit(store, [], { found: [found(urls[MIN_GUESSES]!.url)] });
    const [again] = await store.claimMore(lease.hostId, { limit: 9, besides: new Set(), nowMs: NOW_MS + 2 });
    assert.deepEqual([again!.url, again!.failures], [urls[MIN_GUESSES]!.url, 0]);
  });
}
