/**
 * A host on which parameters matter for some URLs only, crawled at random by a unit that gets lessons late. Whatever is
 * learned and unlearned on the way, the crawl ends, and no URL is skipped without a record.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParameterLessons } from '../../../../src/crawl/links/parameter-lessons.ts';
import type { FoundUrl, HostLease, ParameterLesson, Store, UrlResult } from '../../../../src/store/contract.ts';
import { urlKeyHex } from '../../../../src/url/key.ts';
import { isSpotChecked, parameterNames, parameterSpace } from '../../../../src/url/query-parameters.ts';
import { SeededRandom } from '../../../../testbed/random.ts';
import { freshStore, type OpenStore } from '../../fresh-store.ts';
import { HOST } from '../../parameter-site.ts';
import { allUrls, batchOf, claimOne, found, NOW_MS, page, resultOf } from '../../rows.ts';

const STEPS = 400;
const KINDS = ['item', 'news', 'help'];
const ITEMS = 30;
const VALUES = 8;
const NAMES = ['ref', 'lang', 'sort'];
/** More turns than any crawl of so few URLs takes, unless it loops forever. */
const MOST_TURNS = 2_000;

class LateUnit {
  readonly #store: Store;
  readonly #lease: HostLease;
  readonly #random: SeededRandom;
  readonly #lessons = new ParameterLessons([]);
  #unheard: ParameterLesson[] = [];
  #pages = 0;

  constructor(store: Store, lease: HostLease, random: SeededRandom) {
    this.#store = store;
    this.#lease = lease;
    this.#random = random;
  }

  hear(): void {
    for (const lesson of this.#unheard.splice(0)) this.#lessons.learn(lesson);
  }

  /** Commits a page with links to variants. */
  async find(): Promise<void> {
    const url = `${HOST}/from/${this.#pages++}`;
    const [id] = await this.#store.seed([found(url)], NOW_MS);
    const foundLinks = Array.from({ length: 4 }, () => this.#judge(this.#variant())).flat();
    await this.#commit(resultOf(this.#lease, { id: id!, url }, { page: page(url), foundLinks }));
  }

  /** Fetches or skips a few URLs. Returns how many URLs were claimed. */
  async fetch(limit: number): Promise<number> {
    const urls = await this.#store.claimMore(this.#lease.hostId, { limit, besides: new Set(), nowMs: NOW_MS });
    for (const task of urls) {
      const instead = typeof task.standIn === 'number' ? null : this.#lessons.withoutIgnored(task.url);
      const probe = instead ?? this.#lessons.probe(task.url);
      const standIn = probe === null ? null : found(probe);
      const isLeftOut = instead !== null && !isSpotChecked(urlKeyHex(task.url));
      const result: Partial<UrlResult> = isLeftOut
        ? { state: 'skipped', reason: 'ignored-parameter', standIn }
        : { ...answer(task.url), standIn };
      await this.#commit(resultOf(this.#lease, task, result));
    }
    return urls.length;
  }

  #judge(url: string): FoundUrl[] {
    const instead = this.#lessons.withoutIgnored(url);
    if (instead === null) return [found(url)];
    return [found(instead), found(url, { skip: isSpotChecked(urlKeyHex(url)) ? null : 'ignored-parameter' })];
  }

  #variant(): string {
    const names = NAMES.filter(() => this.#random.below(2) === 0);
    const query = names.map((name) => `${name}=${this.#random.below(VALUES)}`).join('&');
    // The items for which no parameter matters come first, so that there is a lesson to unlearn.
    const item = this.#random.below(Math.min(ITEMS, 5 + (this.#pages >> 2)));
    return `${HOST}/${this.#random.pick(KINDS)}/${item}${query === '' ? '' : `?${query}`}`;
  }

  async #commit(result: UrlResult): Promise<void> {
    this.#unheard.push(...(await this.#store.commit(batchOf([result]))).lessons);
  }
}

/**
 * `lang` and `sort` matter for items with a high number. Some items are gone, and one kind needs some parameter there.
 */
function answer(url: string): Partial<UrlResult> {
  const [, kind = '', digits] = /(\w+)\/(\d+)/.exec(url.slice(HOST.length)) ?? [];
  const item = Number(digits);
  if (item % 13 === 5 || (kind === 'help' && item > 15 && !url.includes('?')))
    return { state: 'failed', reason: 'not-found', failures: 1 };
  const lang = item > 12 ? /lang=\d/.exec(url)?.[0] : '';
  const sort = item > 20 || kind === 'news' ? /sort=\d/.exec(url)?.[0] : '';
  return { page: page(`${kind} ${item} ${lang} ${sort}`) };
}

async function assertExplained(store: Store): Promise<void> {
  const ignored = await store.lessons(['ignored']);
  const states = new Map((await allUrls(store)).map((record) => [record.url, record]));
  for (const { url, reason, standIn } of states.values()) {
    if (reason !== 'ignored-parameter') continue;
    assert.ok(standIn !== null && states.has(standIn), `something stands for ${url}`);
    const isInForce = ignored.some(
      ({ space, name }) => space === parameterSpace(url) && parameterNames(url).includes(name),
    );
    assert.ok(isInForce, `${url} was left out for a lesson that holds no more`);
  }
  const skipped = [...states.values()].filter(({ state }) => state === 'skipped').length;
  const waiting = [...states.values()].filter(({ state }) => state === 'waiting').length;
  const counts = await store.counts();
  assert.deepEqual([counts.states.skipped, counts.states.waiting], [skipped, waiting]);
}

export function randomLessonsContract(open: OpenStore, seeds: number): void {
  for (let seed = 1; seed <= seeds; seed++) {
    test(`random late lessons: no URL is omitted without a record, and the crawl ends (seed ${seed})`, async (t) => {
      const store = await freshStore(t, open, NOW_MS);
      const random = new SeededRandom(seed);
      await store.seed([found(`${HOST}/from/start`)], NOW_MS);
      const unit = new LateUnit(store, await claimOne(store), random);
      for (let step = 0; step < STEPS; step++) {
        if (random.below(4) === 0) unit.hear();
        if (random.below(3) === 0) await unit.find();
        else await unit.fetch(1 + random.below(4));
        if (step % 25 === 0) await assertExplained(store);
      }
      for (let turn = 0; (await unit.fetch(20)) > 0; turn++) {
        unit.hear();
        assert.ok(turn < MOST_TURNS, 'URLs go round in circles');
      }
      await assertExplained(store);
      const undone = (await store.lessons(['matters'])).filter(({ contradictedBy }) => contradictedBy !== null);
      assert.ok(undone.length > 0, 'a crawl in which nothing is unlearned shows nothing');
      const records = new Map((await allUrls(store)).map((record) => [record.url, record]));
      for (const { url, reason, standIn } of records.values()) {
        if (reason !== 'ignored-parameter') continue;
        assert.notEqual(records.get(standIn!)?.state, 'waiting', `what stands for ${url} was fetched`);
      }
    });
  }
}
