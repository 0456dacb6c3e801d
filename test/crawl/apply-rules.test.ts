import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRules, settleRules } from '../../src/core/options/stored-rules.ts';
import { applyRules } from '../../src/crawl/apply-rules.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { freshStore } from '../store/fresh-store.ts';
import { claimOne, commit, found, NOW_MS, recordOf, resultOf } from '../store/rows.ts';

test('URLs that a worker leaves out by the former rules, until it learns of the new ones, wait again', async (t) => {
  const store = await freshStore(t, openSqliteStore, NOW_MS);
  const former = parseRules(JSON.stringify({ scope: 'host', exclude: ['*/closed/*'], depth: 1, guess: false }));
  const settled = settleRules([{ from: 'test', given: { scope: 'any', exclude: [], depth: 2, guess: true } }], former);
  const reasons = ['out-of-scope', 'excluded', 'too-deep', 'guess-unwanted'] as const;
  await store.seed(
    reasons.map((reason) => found(`http://a.test/${reason}`)),
    NOW_MS,
  );
  const lease = await claimOne(store);
  // The worker finishes its work just before it reads the new rules.
  const announce = async () => {
    const results = lease.urls.map((url) => {
      const reason = reasons.find((name) => url.url.endsWith(name))!;
      return resultOf(lease, url, { state: 'skipped', reason });
    });
    await commit(store, results);
  };
  await applyRules(store, settled, { nowMs: NOW_MS, announce });
  for (const reason of reasons)
    assert.equal((await recordOf(store, `http://a.test/${reason}`)).state, 'waiting', reason);
});
