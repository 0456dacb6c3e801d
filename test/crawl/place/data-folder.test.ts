import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { keptOptions } from '../../../src/crawl/place/data-folder.ts';

test('the options a crawl noted come back as they were, times too', async () => {
  const options = resolveOptions([
    { from: 'test', given: { patience: '24h', delay: '1500ms', timeout: 5, maxBody: '1mb', exclude: ['*/x'] } },
  ]);
  assert.deepEqual(await keptOptions({ note: async () => JSON.stringify(options) }), options);
});

test('a folder without a note has the defaults', async () => {
  assert.deepEqual(await keptOptions({ note: async () => null }), resolveOptions([]));
});

test('a proxy, a header or a log-in that somebody put among the rules is not used', async () => {
  const planted = { proxy: 'http://evil.test:1', header: ['X: y'], auth: ['a.test|u:p'], depth: 3 };
  const kept = await keptOptions({ note: async () => JSON.stringify(planted) });
  assert.deepEqual(kept, resolveOptions([{ from: 'test', given: { depth: 3 } }]));
});
