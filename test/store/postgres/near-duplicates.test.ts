/**
 * E5 near duplicates on PostgreSQL: tests that the index finds exactly the pages that a comparison with every earlier
 * page would find, whichever process wrote them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { similarity } from '../../../src/store/rules/near-duplicate-rule.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { sketchWith } from '../../content/compare-sketches.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { at, copyOf } from '../looking-again.ts';
import { allUrls, claim, claimOne, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';
import { postgresIn } from './setup/postgres-in.ts';

const here = { skip: noPostgres };
const PAGES = 360;

/** Sketches of which half are changed copies of earlier ones. All begin with the same boilerplate, if there is any. */
function randomSketches(random: SeededRandom, boilerplate: readonly number[]): Uint32Array[] {
  const seen: number[][] = [];
  return Array.from({ length: PAGES }, () => {
    const share = random.pick([0, 2, 5, 10, 15, 20, 30, 60]) / 100;
    const isCopy = seen.length > 0 && random.below(2) === 0;
    const prints = isCopy
      ? random.pick(seen).map((print) => (random.below(1_000) / 1_000 < share ? random.below(2 ** 32) : print))
      : Array.from(
          // The index may miss a leader that is nearly all boilerplate.
          { length: random.below(5) === 0 ? 1 + boilerplate.length + random.below(40) : 60 },
          () => 1_000 + random.below(2 ** 32 - 1_000),
        );
    seen.push(prints);
    return sketchWith([...boilerplate, ...prints]);
  });
}

const CASES = [
  { threshold: 0.7, boilerplate: [] },
  { threshold: 0.8, boilerplate: [] },
  // These are the smallest values of all, so they are among the first of every sketch.
  { threshold: 0.8, boilerplate: Array.from({ length: 12 }, (_, i) => 7 * i) },
];

for (const { threshold, boilerplate } of CASES) {
  test(
    `E5 at ${threshold}, with ${boilerplate.length} boilerplate fingerprints, the index finds the same as comparing all pages`,
    here,
    async (t) => {
      const request = await postgresIn(t.name);
      const stores = await Promise.all([1, 2].map((n) => openPostgresStore({ ...request, process: `process ${n}` })));
      for (const store of stores) t.after(() => store.close());
      const random = new SeededRandom(threshold * 100 + boilerplate.length);
      const sketches = randomSketches(random, boilerplate);
      const urls = sketches.map((_, i) => `http://a.test/${i}`);
      await stores[0]!.seed(
        urls.map((url) => found(url)),
        NOW_MS,
      );
      const lease = await claimOne(stores[0]!, { urlsPerHost: PAGES });
      const leaders: { url: string; sketch: Uint32Array }[] = [];
      const expected = new Map<string, { url: string; similarity: number } | null>();
      for (const [i, sketch] of sketches.entries()) {
        let best: { url: string; similarity: number } | null = null;
        for (const leader of leaders) {
          const share = similarity(sketch, leader.sketch, threshold);
          if (share > (best?.similarity ?? 0)) best = { url: leader.url, similarity: share };
        }
        expected.set(urls[i]!, best);
        if (best === null) leaders.push({ url: urls[i]!, sketch });
      }
      for (let from = 0; from < PAGES; ) {
        const to = from + 1 + random.below(30);
        const results = lease.urls
          .slice(from, to)
          .map((task, i) => resultOf(lease, task, { page: page(task.url, { sketch: sketches[from + i]! }) }));
        await commit(random.pick(stores), results, { nearDuplicate: threshold });
        from = to;
      }
      let near = 0;
      for (const { url, nearDuplicateOf, similarity } of await allUrls(stores[0]!)) {
        const best = expected.get(url)!;
        assert.deepEqual([nearDuplicateOf, similarity], [best?.url ?? null, best?.similarity ?? null], url);
        if (best !== null) near++;
      }
      assert.ok(near > 40 && leaders.length > 100, `${near} near duplicates, ${leaders.length} leaders`);
    },
  );
}

test('E5 a page does not count as similar to a page that leaves the copy at the same moment', here, async (t) => {
  const request = await postgresIn(t.name);
  const [one, other] = await Promise.all([1, 2].map((n) => openPostgresStore({ ...request, process: `process ${n}` })));
  for (const store of [one!, other!]) t.after(() => store.close());
  const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
  const sketch = (i: number, last: number) =>
    sketchWith([...Array.from({ length: 30 }, (_, k) => i * 1_000 + k), last]);
  const copy = await copyOf(one!, {
    seed: { body: 'seed' },
    ...Object.fromEntries(names.map((name) => [name, { body: name }])),
  });
  const near = { nearDuplicate: 0.8 };
  for (const [i, name] of names.entries()) {
    await copy.look(name, 'changed', { body: `${name} 2`, more: { sketch: sketch(i, 1e9) } }, near);
  }
  const urls = names.map((name) => `http://b.test/${name}`);
  await one!.seed(
    urls.map((url) => found(url)),
    NOW_MS,
  );
  const [lease] = await claim(other!, { owner: 'other', hosts: 1, leaseMs: 1e9 });
  for (const [i, name] of names.entries()) {
    const task = lease!.urls.find(({ url }) => url === urls[i])!;
    const result = resultOf(lease!, task, { page: page(task.url, { sketch: sketch(i, 2e9) }) });
    await Promise.all([
      copy.look(name, 'gone', { reason: 'gone' }),
      commit(other!, [result], { ...near, owner: 'other' }),
    ]);
    const { nearDuplicateOf, reason } = await recordOf(one!, urls[i]!);
    assert.deepEqual([nearDuplicateOf, reason], [null, null], at(name));
  }
});
