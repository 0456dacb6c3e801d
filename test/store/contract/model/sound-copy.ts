/** Tests that the copy is consistent and has the current state of its pages after any visits in any order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_TOUCH, type Store, type Touch, type UrlRecord, type UrlState } from '../../../../src/store/contract.ts';
import { freshStore, type OpenStore } from '../../fresh-store.ts';
import { allUrls, NOW_MS } from '../../rows.ts';
import { type KnownPage, RandomLooks } from './random-looks.ts';
import { recount } from './recount.ts';

const STEPS = 90;
const VISIT_STATES: Readonly<Record<UrlState, string | null>> = {
  waiting: null,
  fetched: 'page',
  duplicate: 'page',
  redirect: 'redirect',
  failed: 'none',
  skipped: 'none',
  gone: 'none',
};

export function soundCopyContract(open: OpenStore, seeds: number): void {
  for (let seed = 1; seed <= seeds; seed++) {
    test(`a copy with random crawls and visits is consistent after each step (seed ${seed})`, async (t) => {
      const store = await freshStore(t, open, NOW_MS);
      const looks = new RandomLooks(store, seed);
      await looks.begin();
      const follower = new ShadowCopy(store);
      for (let step = 0; step < STEPS; step++) {
        const did = await looks.step();
        await checkSound(store, looks.pages, `after step ${step}: ${did}`);
        // A follower is sometimes behind.
        if (step % 4 === 0) await follower.catchUp();
      }
      await follower.catchUp();
      assert.deepEqual(follower.pages, statesOf(await allUrls(store)), 'a follower knows exactly the copy');
      assert.ok(looks.looks > 50, `${looks.looks} looks`);
    });
  }
}

/** A copy of the copy, made only from the marks of touched pages. */
class ShadowCopy {
  readonly pages = new Map<number, string>();
  readonly #store: Store;
  #last: Touch = FIRST_TOUCH;

  constructor(store: Store) {
    this.#store = store;
  }

  async catchUp(): Promise<void> {
    for (;;) {
      const touches = await this.#store.touches(this.#last, 3);
      if (touches.length === 0) return;
      const records = await this.#store.records(touches.map(({ id }) => id));
      for (const { id } of records) this.pages.delete(id);
      for (const [id, state] of statesOf(records)) this.pages.set(id, state);
      this.#last = touches.at(-1)!;
    }
  }
}

function statesOf(records: readonly UrlRecord[]): Map<number, string> {
  return new Map(
    records
      .filter(({ digest }) => digest !== '')
      .map(({ id, state, reason, digest }) => [id, `${state} ${reason} ${digest}`]),
  );
}

export async function checkSound(store: Store, pages: ReadonlyMap<string, KnownPage>, when: string): Promise<void> {
  const urls = await allUrls(store);
  const { hosts, wireBytes, fetches, ...counts } = await store.counts();
  assert.deepEqual(counts, recount(urls), when);
  checkContents(urls, pages, when);
  checkCopies(urls, when);
  await checkLinks(store, urls, pages, when);
  await checkVisits(store, urls, when);
  const numbers = (await store.changes(0, 1_000_000)).map(({ seq }) => seq);
  assert.ok(
    numbers.every((seq, i) => i === 0 || seq > numbers[i - 1]!),
    when,
  );
}

function checkContents(urls: readonly UrlRecord[], pages: ReadonlyMap<string, KnownPage>, when: string): void {
  assert.deepEqual(
    urls.filter(({ digest }) => digest !== '').map(({ url, digest }) => [url, digest]),
    urls.flatMap(({ url }) => (pages.has(url) ? [[url, `sha256:${pages.get(url)!.digest}`]] : [])),
    when,
  );
  for (const { url, state } of urls) {
    assert.equal(state === 'fetched' || state === 'duplicate', pages.has(url), `${when}: ${url} is ${state}`);
  }
}

/**
 * Checks that each content has one page that is no duplicate, and that every duplicate leads to such a page.
 */
function checkCopies(urls: readonly UrlRecord[], when: string): void {
  const byUrl = new Map(urls.map((record) => [record.url, record]));
  for (const { url, state, reason, digest, bytes, duplicateOf } of urls) {
    const of = duplicateOf === null ? null : byUrl.get(duplicateOf)!;
    assert.equal(of !== null, state === 'duplicate', `${when}: ${url}`);
    if (of === null) {
      const others = urls.filter((other) => other.digest === digest && other.state === 'fetched' && other.url !== url);
      if (state === 'fetched' && bytes > 0) assert.deepEqual(others, [], `${when}: ${url} is the one of its content`);
      continue;
    }
    assert.equal(of.state, 'fetched', `${when}: ${url}`);
    if (reason === 'duplicate-content') assert.equal(of.digest, digest, `${when}: ${url}`);
  }
}

async function checkLinks(
  store: Store,
  urls: readonly UrlRecord[],
  pages: ReadonlyMap<string, KnownPage>,
  when: string,
): Promise<void> {
  const backlinks = await store.backlinks(urls.map(({ id }) => id));
  // All queries run at once: over a network, one query after the other would be slow.
  const links = await Promise.all(
    urls.map(({ id }) => Promise.all([store.linksTo(id, 1_000), store.linksFrom(id)] as const)),
  );
  for (const [i, { id, url, state, orphanedAtMs }] of urls.entries()) {
    const linking = urls.filter((other) => pages.get(other.url)?.links.has(url)).map((other) => other.url);
    assert.equal(backlinks[i], linking.length, `${when}: links to ${url}`);
    const told = links[i]![0].map((link) => link.url);
    assert.deepEqual(told.sort(), linking.sort(), `${when}: links to ${url}`);
    const led = links[i]![1].map((link) => link.url);
    assert.deepEqual(new Set(led), pages.get(url)?.links ?? new Set(), `${when}: links of ${url}`);
    if (orphanedAtMs === null) continue;
    assert.equal(backlinks[i], 0, `${when}: ${url} is an orphan`);
    assert.ok(state === 'fetched' || state === 'duplicate', `${when}: ${url} is an orphan`);
    assert.deepEqual(await store.redirectsTo(id, 9), [], `${when}: ${url} is an orphan`);
  }
}

async function checkVisits(store: Store, urls: readonly UrlRecord[], when: string): Promise<void> {
  const visits = new Map((await store.visits(0, 10_000)).map((visit) => [visit.id, visit]));
  for (const { id, url, state, checkedAtMs } of urls) {
    assert.equal(visits.get(id)?.state ?? null, VISIT_STATES[state], `${when}: ${url} is ${state}`);
    assert.equal(visits.get(id)?.checkedAtMs ?? null, checkedAtMs, `${when}: ${url}`);
  }
}
