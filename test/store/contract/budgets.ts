/** Tests the budgets of path patterns (C8): a pattern has no limit while it brings something new, and then it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FoundUrl, PageRecord, Store, UrlResult } from '../../../src/store/contract.ts';
import { pathPattern } from '../../../src/url/traps/path-pattern.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import { claim, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const HOST = 'http://a.test';
const TOPICS = pathPattern(`${HOST}/topic?t=1`)!;

function link(path: string): FoundUrl {
  return found(HOST + path, { pattern: pathPattern(HOST + path) });
}

function topics(count: number, from = 0): FoundUrl[] {
  return Array.from({ length: count }, (_, n) => link(`/topic?t=${from + n}`));
}

type Answer = Partial<UrlResult> & { readonly newWords?: number };

/** Fetches everything that waits, `atOnce` URLs per commit, and returns the paths in order. */
async function crawl(
  store: Store,
  patternBudget: number,
  answer: (path: string) => Answer,
  atOnce = 4,
): Promise<string[]> {
  const asked: string[] = [];
  for (;;) {
    const [lease] = await claim(store, { hosts: 1, urlsPerHost: atOnce });
    if (lease === undefined) return asked;
    const results = lease.urls.map((task) => {
      const path = task.url.slice(HOST.length);
      asked.push(path);
      const { newWords, ...more } = answer(path);
      const body: PageRecord = page(`page of ${path}`, newWords === undefined ? {} : { newWords });
      return resultOf(lease, task, { page: body, ...more });
    });
    await commit(store, results, { patternBudget });
    await store.release('first', [lease.hostId], NOW_MS);
  }
}

const NEW = () => ({ newWords: 100 });
const NOTHING = () => ({ newWords: 0 });

export function budgetsContract(open: OpenStore): void {
  test('C8 a pattern whose pages bring something new has no limit, even if its URLs are known far ahead', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await commit(store, [], { found: topics(60), patternBudget: 5 });
    assert.equal((await store.counts()).reasons['trap-pattern-budget'], 55);
    const asked = await crawl(store, 5, NEW);
    assert.equal(new Set(asked).size, 60);
    assert.equal(asked.length, 60);
    const { states, reasons } = await store.counts();
    assert.deepEqual([states.fetched, states.waiting, states.skipped, reasons], [60, 0, 0, {}]);
    assert.deepEqual(await store.patternUse(HOST, TOPICS), {
      known: 60,
      leftOut: 0,
      answered: 60,
      productive: 60,
      barren: 0,
    });
  });

  test('C8 the same if each page shows the next URLs', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await commit(store, [], { found: topics(1), patternBudget: 5 });
    const asked = await crawl(store, 5, (path) => ({
      newWords: 100,
      foundLinks: topics(6, Number(path.split('=')[1]) + 1).filter(({ url }) => Number(url.split('=')[1]) < 60),
    }));
    assert.equal(new Set(asked).size, 60);
  });

  test('C8 a pattern that brings nothing new ends when its budget is used up', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await commit(store, [], { found: topics(1), patternBudget: 5 });
    const asked = await crawl(store, 5, (path) => ({
      newWords: 0,
      foundLinks: topics(2, Number(path.split('=')[1]) + 1),
    }));
    assert.equal(asked.length, 5);
    const { reasons, states } = await store.counts();
    assert.deepEqual([states.waiting, reasons], [0, { 'trap-pattern-budget': states.skipped }]);
    const use = (await store.patternUse(HOST, TOPICS))!;
    assert.deepEqual([use.answered, use.barren, use.productive, use.leftOut], [5, 5, 0, states.skipped]);
  });

  test('C8 a pattern that has brought much still ends soon after it stops', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await commit(store, [], { found: topics(200), patternBudget: 5 });
    const asked = await crawl(store, 5, (path) => ({ newWords: Number(path.split('=')[1]) < 100 ? 100 : 0 }));
    assert.equal(asked.length, 105);
  });

  test('C8 one page in ten is enough, and one in thirty is not', async (t) => {
    for (const [share, expected] of [
      [10, 200],
      [30, 40],
    ] as const) {
      const store = await freshStore(t, open, NOW_MS);
      await commit(store, [], { found: topics(200), patternBudget: 20 });
      const asked = await crawl(store, 20, (path) => ({
        newWords: Number(path.split('=')[1]) % share === 0 ? 100 : 0,
      }));
      if (share === 10) assert.equal(asked.length, expected);
      else assert.ok(asked.length <= expected, `${asked.length}`);
    }
  });

  test('C8 a list lives by the pages that are found on it', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const lists = Array.from({ length: 40 }, (_, n) => link(`/list?page=${n}`));
    await commit(store, [], { found: lists, patternBudget: 4 });
    const asked = await crawl(store, 4, (path) => {
      if (!path.startsWith('/list')) return { newWords: 100 };
      return { newWords: 0, foundLinks: [link(`/photo/${path.split('=')[1]}`)] };
    });
    assert.equal(new Set(asked).size, 80);
  });

  test('C8 errors use up the budget, and URLs that are skipped at their turn do not', async (t) => {
    const failing = await freshStore(t, open, NOW_MS);
    await commit(failing, [], { found: topics(20), patternBudget: 5 });
    const failed = await crawl(failing, 5, () => ({ page: null, state: 'failed', reason: 'not-found' }));
    assert.equal(failed.length, 5);
    const skipping = await freshStore(t, open, NOW_MS);
    await commit(skipping, [], { found: topics(20), patternBudget: 5 });
    const skipped = await crawl(skipping, 5, () => ({ page: null, state: 'skipped', reason: 'robots-disallowed' }));
    assert.equal(skipped.length, 20);
  });

  test('C8 a page whose text was not looked at is new unless it is a duplicate', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await commit(store, [], { found: topics(30), patternBudget: 5 });
    assert.equal((await crawl(store, 5, () => ({}))).length, 30);
    const copies = await freshStore(t, open, NOW_MS);
    await commit(copies, [], { found: topics(30), patternBudget: 5 });
    const asked = await crawl(copies, 5, () => ({ page: page('the same') }));
    assert.ok(asked.length <= 10, `${asked.length}`);
  });

  test('C8 a raised budget lets left-out URLs in, also after a restart, and says how many', async (t) => {
    const dir = temporaryFolder(t);
    const first = await open(dir, NOW_MS);
    await commit(first, [], { found: topics(20), patternBudget: 5 });
    assert.equal((await crawl(first, 5, NOTHING)).length, 5);
    await first.close();
    const second = await open(dir, NOW_MS);
    t.after(() => second.close());
    assert.equal(await second.fillBudgets(5, NOW_MS), 0);
    assert.equal(await second.fillBudgets(12, NOW_MS), 7);
    assert.equal(await second.fillBudgets(12, NOW_MS), 0);
    assert.equal((await second.counts()).states.waiting, 7);
    assert.equal((await recordOf(second, `${HOST}/topic?t=5`)).reason, null);
    assert.equal((await crawl(second, 12, NOTHING)).length, 7);
  });

  test('C8 the receipt names the hosts whose URLs wait again', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await commit(store, [], { found: topics(4), patternBudget: 2 });
    const [lease] = await claim(store);
    const results = lease!.urls.map((task) => resultOf(lease!, task, { page: page(task.url, NEW()) }));
    const { released } = await commit(store, results, { patternBudget: 2 });
    assert.deepEqual([...released], [[HOST, 2]]);
  });
}
