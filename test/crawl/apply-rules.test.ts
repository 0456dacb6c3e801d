import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../src/core/events.ts';
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

test('--sitemap-only for a crawl with waiting URLs says that these are still fetched', async (t) => {
  const store = await freshStore(t, openSqliteStore, NOW_MS);
  const settled = settleRules([{ from: 'test', given: { sitemapOnly: true } }], parseRules('{}'));
  const said: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => void said.push(message)));
  await applyRules(store, settled, { nowMs: NOW_MS });
  assert.equal(said.length, 1, 'only the change itself');
  await store.seed([found('http://a.test/1'), found('http://a.test/2')], NOW_MS);
  await applyRules(store, settled, { nowMs: NOW_MS });
  assert.match(
    said.at(-1)!,
    /^--sitemap-only follows no more links, but 2 URLs were found before, still wait and are fetched; /,
  );
});
