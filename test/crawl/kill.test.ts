/**
 * E8, C2, M2: tests that a crawl that is killed many times and restarted with the same command ends with the same copy
 * as an undisturbed crawl, has fetched little twice, and has stored nothing twice. `npm run proof -- kills` has 50 kills.
 */
import { test } from 'node:test';
import { killAndCompare } from './kill-and-compare.ts';

test('E8 C2 M2 a crawl that is killed at 10 instants ends like an undisturbed crawl', async (t) => {
  const fetches = await killAndCompare(t, { pages: 400, kills: 10 });
  t.diagnostic(`${fetches} page fetches for 400 pages and 10 kills`);
});
