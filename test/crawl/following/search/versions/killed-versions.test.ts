/** Kills processes while they write the index of versions, and checks what the next one makes of it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { startIndex } from '../../../../../src/crawl/following/search/run-index.ts';
import { versionIndexDir } from '../../../../../src/crawl/following/search/search-follower.ts';
import { placeAt } from '../../../../../src/crawl/place/crawl-place.ts';
import { parseQuery } from '../../../../../src/search/query/parse-query.ts';
import { SearchIndex } from '../../../../../src/search/search-index.ts';
import { startLivingSite } from '../../../../../testbed/web/living-site.ts';
import { MAIN } from '../../../../setup/built-program.ts';
import { crawlHere } from '../../../crawl-here.ts';
import { refreshHere } from '../../../refresh/refresh-here.ts';
import { dataFolder } from '../../../stored-crawl.ts';

const PAGES = 150;
const KILLS = 3;
const WORDS = ['orb', 'first', 'second', 'weaver'];

/** By word: each version that has it, with its times. The ids may differ. */
function contentsOf(dir: string): string[] {
  const index = SearchIndex.open(versionIndexDir({ dir }))!;
  const { found } = index.versions(null);
  const byId = new Map(found.map((version) => [version.id, version]));
  const lines = WORDS.flatMap((word) => {
    const { hits } = index.search({ query: parseQuery(word).query, limit: 10 * PAGES, versions: found });
    return hits.map(({ url, urlId }) => `${word} ${url} ${byId.get(urlId)!.fromMs} ${byId.get(urlId)!.untilMs}`);
  });
  index.close();
  return lines.sort();
}

test('after kill -9 while the index of versions is made, the next run continues, and nothing is missing', async (t) => {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: PAGES }, (_, i) => `/page-${i}`);
  const write = (round: string): void => {
    for (const [i, path] of paths.entries()) site.set(path, `<title>${i}</title><p>${round} page ${i} of the orb.</p>`);
  };
  site.set(
    '/',
    `<title>Front</title><p>A weaver.</p>${paths.map((path) => `<a href="${path}">${path}</a> `).join('')}`,
  );
  write('first');
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', search: false });
  write('second');
  await refreshHere(dir);
  const request = { place: placeAt(dir), sources: [], kind: 'versions' } as const;
  const startMs = performance.now();
  assert.equal((await startIndex({ ...request, rebuild: true }).summary).pages, 2 * PAGES + 1);
  const tookMs = performance.now() - startMs;
  const expected = contentsOf(dir);
  assert.equal(expected.length, 4 * PAGES + 1);
  for (let kill = 1; kill <= KILLS; kill++) {
    const words = [MAIN, 'index', '--versions', '--rebuild', '--dir', dir];
    const child = spawn(process.execPath, words, { stdio: 'ignore', env: {} });
    const ended = new Promise((resolve) => child.on('close', resolve));
    setTimeout(() => child.kill('SIGKILL'), 200 + (kill / (KILLS + 1)) * tookMs);
    await ended;
  }
  const { followers } = await startIndex({ ...request, rebuild: false }).summary;
  assert.equal(followers[0]!.isDone, true);
  assert.deepEqual(contentsOf(dir), expected);
});
