/** Tests that followers finish what a killed refresh has left. `npm run proof -- followers` does it with 50 kills. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followKilledRefreshes } from './follow-killed-refreshes.ts';

test('C12 after kill -9, each change is delivered in order, and an index and the descriptions match the copy', async (t) => {
  const { pages, killsWithWorkLeft, searchable } = await followKilledRefreshes(t, { pages: 30, kills: 3 });
  assert.ok(pages > 25, `${pages} pages in the index`);
  assert.ok(searchable > 25, `${searchable} pages in the search index`);
  assert.ok(killsWithWorkLeft > 0, 'no kill happened while there was work');
});
