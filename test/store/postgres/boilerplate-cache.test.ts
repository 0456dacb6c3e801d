/** Tests that the boilerplate cache of a process saves a query and never hides a page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoilerplateCache } from '../../../src/store/postgres/commit/boilerplate-cache.ts';
import { NearDuplicates } from '../../../src/store/postgres/commit/near-duplicates.ts';
import type { Session } from '../../../src/store/postgres/connection/database.ts';
import { WorkingSet } from '../../../src/store/postgres/rows/working-set.ts';
import { MOST_LEADERS, SKETCH_SIZE } from '../../../src/store/rules/near-duplicate-rule.ts';
import { sketchWith } from '../../content/compare-sketches.ts';

/** Larger than a signed 32-bit integer of the server. */
const BOILERPLATE = 3_000_000_000;

test('recently added boilerplate is known, and the cache never has more than twice its limit', () => {
  const common = new BoilerplateCache();
  const most = 2 ** 15;
  for (let print = 0; print < 3 * most; print++) common.add(print);
  assert.ok(common.has(3 * most - 1) && common.has(2 * most - 1));
  const known = Array.from({ length: 3 * most }, (_, print) => common.has(print)).filter(Boolean).length;
  assert.ok(known <= 2 * most, `${known} are kept`);
});

test('E5 a process that knows the boilerplate of a site needs one query for a page', async () => {
  const common = new BoilerplateCache();
  const questions: number[] = [];
  for (const page of [1, 2]) {
    const asked: number[] = [];
    let rounds = 0;
    const session: Session = {
      all: async (_text, values = []) => {
        const prints = String(values[0]).slice(1, -1).split(',').map(Number);
        asked.push(...prints.map((print) => print >>> 0));
        rounds++;
        const rows = prints.filter((print) => print >>> 0 === BOILERPLATE);
        return rows.flatMap((print) =>
          Array.from({ length: MOST_LEADERS }, (_, leader) => ({ print, url_id: 1_000 + leader })),
        ) as never;
      },
      run: async () => 0,
    };
    const set = new WorkingSet(session, 'crawl');
    const near = new NearDuplicates(set, 0.8, common);
    const own = Array.from({ length: SKETCH_SIZE - 1 }, (_, i) => BOILERPLATE + page * 1_000 + i);
    const sketch = sketchWith([BOILERPLATE, ...own]);
    await near.prepare([{ id: page, sketch }]);
    assert.equal(await near.judge({ id: page, sketch }), null);
    assert.equal(new Set(asked).size, asked.length, 'each fingerprint is requested once');
    questions.push(rounds);
  }
  assert.deepEqual(questions, [2, 1]);
  assert.ok(common.has(BOILERPLATE));
});
