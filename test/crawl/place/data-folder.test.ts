import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { keptOptions } from '../../../src/crawl/place/data-folder.ts';

test('the stored options of a crawl are read back unchanged, including times', async () => {
  const options = resolveOptions([
    { from: 'test', given: { patience: '24h', delay: '1500ms', timeout: 5, maxBody: '1mb', exclude: ['*/x'] } },
  ]);
  assert.deepEqual(await keptOptions({ note: async () => JSON.stringify(options) }), options);
});

test('a folder without stored options has the defaults', async () => {
  assert.deepEqual(await keptOptions({ note: async () => null }), resolveOptions([]));
});

test('a proxy, header or login that was put into the stored rules is ignored', async () => {
  const planted = { proxy: 'http://evil.test:1', header: ['X: y'], auth: ['a.test|u:p'], depth: 3 };
  const kept = await keptOptions({ note: async () => JSON.stringify(planted) });
  assert.deepEqual(kept, resolveOptions([{ from: 'test', given: { depth: 3 } }]));
});
