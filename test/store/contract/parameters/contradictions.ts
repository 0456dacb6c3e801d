/**
 * Tests that no two fetched pages contradict a lesson about a parameter, in whatever order the pages of a shop are
 * fetched. The test leaves URLs out as a unit does.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParameterLessons } from '../../../../src/crawl/links/parameter-lessons.ts';
import type { HostLease, Store } from '../../../../src/store/contract.ts';
import { urlKeyHex } from '../../../../src/url/key.ts';
import { isSpotChecked } from '../../../../src/url/query-parameters.ts';
import { SeededRandom } from '../../../../testbed/random.ts';
import { SHOPS, type Shop } from '../../../../testbed/web/shops.ts';
import { freshStore, type OpenStore } from '../../fresh-store.ts';
import { allUrls, batchOf, claimOne, found, NOW_MS, page, resultOf } from '../../rows.ts';

const HOST = 'http://a.test';
/** A batch of some results: the pages of one batch are compared with each other, too. */
const MOST_AT_ONCE = 3;

/** Crawls a shop in a random order. Returns the content of each requested URL. */
async function crawlShop(store: Store, { paths, contentOf }: Shop, random: SeededRandom): Promise<Map<string, string>> {
  await store.seed(shuffled(paths, random).map(toFound), NOW_MS);
  const lease = await claimOne(store);
  const fetched = new Map<string, string>();
  for (;;) {
    const waiting = await store.claimMore(lease.hostId, { limit: 1_000, besides: new Set(), nowMs: NOW_MS });
    if (waiting.length === 0) return fetched;
    const lessons = new ParameterLessons(await store.lessons(['probed', 'ignored'], HOST));
    const some = shuffled(waiting, random).slice(0, 1 + random.below(MOST_AT_ONCE));
    const results = some.map((task) => {
      const path = task.url.slice(HOST.length);
      const instead = typeof task.standIn === 'number' ? null : lessons.withoutIgnored(task.url);
      const standIn = instead === null ? null : toFound(instead.slice(HOST.length));
      if (standIn !== null && !isSpotChecked(urlKeyHex(task.url))) {
        return resultOf(lease, task, { state: 'skipped', reason: 'ignored-parameter', standIn });
      }
      const probe = standIn === null ? lessons.probe(task.url) : null;
      return answerTo(
        lease,
        task,
        contentOf(path),
        standIn ?? (probe === null ? null : toFound(probe.slice(HOST.length))),
      );
    });
    const { states } = await store.commit(batchOf(results));
    for (const [i, { url }] of some.entries()) {
      if (states[i] === 'fetched' || states[i] === 'duplicate' || states[i] === 'failed') {
        fetched.set(url, contentOf(url.slice(HOST.length)) ?? 'no page');
      }
    }
  }
}

function answerTo(
  lease: HostLease,
  task: { readonly id: number; readonly url: string },
  content: string | null,
  standIn: ReturnType<typeof found> | null,
) {
  if (content === null) return resultOf(lease, task, { state: 'failed', reason: 'not-found', failures: 1, standIn });
  return resultOf(lease, task, { page: page(content), standIn });
}

function toFound(path: string) {
  return found(HOST + path);
}

function shuffled<T>(list: readonly T[], random: SeededRandom): T[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const other = random.below(i + 1);
    [out[i], out[other]] = [out[other]!, out[i]!];
  }
  return out;
}

/** Pairs of requested URLs with different contents that the lessons take for the same page. */
export async function contradictions(store: Store, fetched: ReadonlyMap<string, string>): Promise<string[]> {
  const lessons = new ParameterLessons(await store.lessons(['ignored']));
  const contents = new Map<string, string>();
  const pairs: string[] = [];
  for (const [url, content] of fetched) {
    const reduced = lessons.withoutIgnored(url) ?? url;
    const other = contents.get(reduced);
    if (other !== undefined && other !== content)
      pairs.push(`${url} is ${content}, and ${reduced} stands for ${other}`);
    contents.set(reduced, other ?? content);
  }
  return pairs;
}

export function contradictionsContract(open: OpenStore, seeds: number): void {
  for (const [name, shop] of Object.entries(SHOPS)) {
    test(`C8 no fetched pair contradicts a lesson, in any order of fetching: ${name}`, async (t) => {
      for (let seed = FIRST_ORDER; seed < FIRST_ORDER + seeds * ORDERS_PER_SEED; seed++) {
        const store = await freshStore(t, open, NOW_MS);
        const fetched = await crawlShop(store, shop, new SeededRandom(seed));
        assert.deepEqual(await contradictions(store, fetched), [], `order ${seed}`);
        // Whatever is still left out has a stand-in with a page, or its stand-in and a test of it have none.
        const urls = await allUrls(store);
        const leftOut = urls.filter(({ reason }) => reason === 'ignored-parameter');
        for (const { url, standIn } of leftOut) assert.ok(standIn !== null, url);
        const { states } = await store.counts();
        assert.deepEqual([states.waiting, states.skipped], [0, leftOut.length]);
      }
    });
  }
}

const ORDERS_PER_SEED = 2;
/** Four of the shops have an order soon after this one in which a pair of pages contradicted a lesson that was kept. */
const FIRST_ORDER = 44;
