/** Searches in the past: the index of all stored versions, `search --at` and `search --versions`. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startIndex } from '../../../../../src/crawl/following/search/run-index.ts';
import { versionIndexDir } from '../../../../../src/crawl/following/search/search-follower.ts';
import { placeAt } from '../../../../../src/crawl/place/crawl-place.ts';
import { openCopy } from '../../../../../src/library/copy.ts';
import type { SearchSettings } from '../../../../../src/library/copy-search.ts';
import { SearchIndex } from '../../../../../src/search/search-index.ts';
import { type LivingSite, startLivingSite } from '../../../../../testbed/web/living-site.ts';
import { runCli } from '../../../../cli/setup/run-cli.ts';
import { refreshHere } from '../../../refresh/refresh-here.ts';
import { exportedAt, foundAnew, keepVersions } from './versions-over-refreshes.ts';

/** Words of links and URLs are not in an export, so these words are only in texts and titles. */
const QUERIES = [
  'silk',
  'silk dawn',
  '"radius of silk"',
  'amber',
  'amber -new',
  'spiral',
  'bridge NEAR/3 wind',
  'burro*',
];

let site: LivingSite;
let dir: string;
let times: number[];
const cleanUp: (() => Promise<void>)[] = [];

before(async () => {
  site = await startLivingSite({ after: (work) => void cleanUp.push(work) });
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-versions-'));
  times = await keepVersions(site, dir);
});

after(async () => {
  for (const work of cleanUp) await work();
  rmSync(dir, { recursive: true, force: true });
});

async function indexVersions() {
  const { followers, pages } = await startIndex({ place: placeAt(dir), sources: [], rebuild: false, kind: 'versions' })
    .summary;
  return { ...followers[0]!, versions: pages };
}

async function search(text: string, settings: SearchSettings) {
  await using copy = await openCopy(dir);
  const { total, results } = await copy.search(text, { limit: 100, ...settings });
  const paths = results.map(({ url }) => new URL(url).pathname);
  return { total, results, paths };
}

function idsOfVersions(): Map<string, number> {
  const index = SearchIndex.open(versionIndexDir({ dir }))!;
  const { found } = index.versions(null);
  index.close();
  return new Map(found.map(({ id, urlId, fromMs }) => [`${urlId} ${fromMs}`, id]));
}

test('without an index of versions, the message says how to make it', async () => {
  const run = await runCli('search', 'silk', '--at', '2026', '--dir', dir);
  assert.equal(run.exitCode, 1);
  assert.match(run.stderr, /no index of its versions; make it with: orbweaver index --versions --dir/);
  const both = await runCli('search', 'silk', '--at', '2026', '--versions', '--dir', dir);
  assert.equal(both.exitCode, 2);
});

test('a search at a time finds what a new index of the export of that time finds', async () => {
  assert.equal((await indexVersions()).isDone, true);
  for (const [round, atMs] of times.entries()) {
    const pages = await exportedAt(dir, atMs);
    const digests = new Map(pages.map(({ url, digest }) => [url, digest]));
    const expected = foundAnew(pages, QUERIES);
    for (const [i, query] of QUERIES.entries()) {
      const { total, results } = await search(query, { at: new Date(atMs), noindex: true });
      const found = results.map(({ url }) => digests.get(url));
      assert.deepEqual([...found].sort(), expected[i], `${query} after round ${round}`);
      assert.equal(total, found.length);
    }
  }
  const [before] = (await exportedAt(dir, times[0]!)).map(({ url }) => url);
  assert.ok(before !== undefined, 'the reference is not empty');
  assert.deepEqual((await search('silk', { at: new Date(0) })).paths, []);
});

test('pages that are gone, moved, equal or hidden are found only while they were there', async () => {
  const at = (round: number) => ({ at: new Date(times[round]!) });
  assert.deepEqual((await search('amber', at(0))).paths, ['/leaves']);
  assert.deepEqual((await search('amber', at(1))).paths, []);
  assert.deepEqual((await search('intitle:moves OR intitle:moved', at(0))).paths, ['/moves']);
  assert.deepEqual((await search('"bridge thread"', at(1))).paths, ['/moved']);
  assert.deepEqual((await search('spiral', at(0))).paths.length, 1);
  assert.deepEqual((await search('spiral', at(1))).paths.sort(), ['/other-twin', '/twin']);
  assert.deepEqual((await search('dusk', at(2))).paths, ['/turns']);
  assert.deepEqual((await search('orchard', at(2))).paths, ['/steady'], 'an error that comes and goes ends nothing');
  assert.deepEqual((await search('burrow', at(0))).paths, ['/soon-hidden']);
  assert.deepEqual((await search('burrow', at(1))).paths, []);
  assert.deepEqual((await search('link:http://x.test/ silk', at(0))).paths, []);
});

test('a result names the time of its version, and its passage is from this version', async () => {
  const { results } = await search('radius', { at: new Date(times[0]!) });
  const [{ url, title, snippet, fetchedAt, until }] = results as [(typeof results)[0]];
  assert.equal(title, 'Chapter turns');
  assert.match(snippet, /A radius of silk is laid at dawn/);
  await using copy = await openCopy(dir);
  const looks = (await copy.history(url))!.looks.filter(({ status }) => status === 200).reverse();
  assert.equal(fetchedAt.getTime(), looks[0]!.fetchedAt.getTime());
  assert.equal(until!.getTime(), looks[1]!.fetchedAt.getTime());
});

test('a search in all versions shows each page once, with its matching versions', async () => {
  const { results, total } = await search('intitle:turns', { versions: true });
  assert.equal(total, 1);
  assert.deepEqual(
    results[0]!.versions.map(({ until }) => until === null),
    [true, false, false],
  );
  const dusk = await search('dusk', { versions: true });
  assert.equal(dusk.results[0]!.versions.length, 1);
  const all = await search('silk', { versions: true, facets: true });
  assert.equal(new Set(all.paths).size, all.paths.length);
  assert.equal(all.total, all.paths.length);
  const pieces = [
    await search('silk', { versions: true, limit: 2 }),
    await search('silk', { versions: true, offset: 2 }),
  ];
  assert.deepEqual(
    pieces.flatMap(({ paths }) => paths),
    all.paths,
  );

  const { stdout, exitCode } = await runCli('search', 'intitle:turns', '--versions', '--dir', dir);
  assert.equal(exitCode, 0);
  assert.match(stdout, /also in 2 other versions: \d{4}-/);
  const json = JSON.parse((await runCli('search', 'dusk', '--versions', '--json', '--dir', dir)).stdout);
  assert.deepEqual(Object.keys(json.results[0].versions[0]), ['fetchedAt', 'until']);
});

test('a second run reads only new versions, and a search says what is missing', async () => {
  const before = idsOfVersions();
  assert.equal((await indexVersions()).followed, 0);
  site.set('/moved', '<html lang="en"><title>Chapter moved</title><p>The orb weaver has left the orchard.</p>');
  await refreshHere(dir);
  const late = await runCli('search', 'orchard', '--at', '2100', '--dir', dir);
  assert.match(late.stderr, /does not have the newest versions of 1 URL; to add them: orbweaver index --versions/);
  assert.equal((await indexVersions()).followed, 1);
  const now = idsOfVersions();
  assert.equal(now.size, before.size + 1);
  for (const [version, id] of before) assert.equal(now.get(version), id, 'a version that is known is not read again');
  assert.match((await search('orchard', { at: new Date(8e14) })).results[0]!.snippet, /has left/);
});

test('a version that --keep drops is not found any more, before and after the index follows', async () => {
  const then = { at: new Date(times[1]!) };
  assert.deepEqual((await search('dusk', then)).paths, ['/turns']);
  await refreshHere(dir, { keep: '1' });
  assert.deepEqual((await search('dusk', then)).paths, []);
  const before = idsOfVersions().size;
  await indexVersions();
  assert.deepEqual((await search('dusk', then)).paths, []);
  assert.deepEqual((await search('dusk', { versions: true })).paths, []);
  assert.ok(idsOfVersions().size < before);
  assert.deepEqual((await search('radius', { versions: true })).paths, ['/turns'], 'the newest version stays');
});
