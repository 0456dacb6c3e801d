/**
 * Kills a crawl many times and compares its copy with the copy of an undisturbed crawl. In: the size of the web and the
 * number of kills. Out: the number of page fetches. Throws an assertion error if the copies differ, if a page is in the
 * archive twice, or if more was fetched again than the units had under way.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { SeededRandom } from '../../testbed/random.ts';
import { isPage } from '../../testbed/web/ledger.ts';
import { type LocalWeb, startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';
import { archivedUrls } from './archived-urls.ts';
import { crawl, type EndedCrawl, startCrawlProcess } from './crawl-process.ts';
import { assertSound, dataFolder, storedUrls } from './stored-crawl.ts';

export interface KilledSize {
  readonly pages: number;
  readonly kills: number;
}

const CONCURRENCY = 32;
const SEED = 20_251_115;
/** Start-up takes about this long: some kills happen while the folder is opened, mended and seeded. */
const START_UP_MS = 700;
/** So many requests are answered after the instant. Further ones wait for the kill, so no machine is too fast for it. */
const ANSWERED_AFTER = 16;

type Instant = { readonly afterMs: number } | { readonly afterRequests: number; readonly thenMs: number };

function instants({ pages, kills }: KilledSize): Instant[] {
  const random = new SeededRandom(SEED);
  // All kills must come before the crawl is done.
  const mostRequests = Math.floor((1.1 * pages) / kills);
  return Array.from({ length: kills }, (_, i) =>
    i % 5 === 4
      ? { afterMs: random.below(START_UP_MS) }
      : { afterRequests: 1 + random.below(mostRequests), thenMs: random.below(8) },
  );
}

/** Runs the crawl until the instant, then kills it. Resolves when the process is gone. */
async function killAt(instant: Instant, web: LocalWeb, dir: string, words: readonly string[]): Promise<EndedCrawl> {
  const wanted = web.ledger.entries.length + ('afterMs' in instant ? 0 : instant.afterRequests);
  heldFrom = wanted + ANSWERED_AFTER;
  const running = startCrawlProcess(dir, ...words);
  if ('afterMs' in instant) {
    setTimeout(running.kill, instant.afterMs);
  } else {
    const reached = Promise.race([requests(web, wanted), running.ended]);
    reached.then(() => setTimeout(running.kill, instant.thenMs));
  }
  return running.ended.finally(() => {
    heldFrom = Number.POSITIVE_INFINITY;
  });
}

/** Requests behind this number are not answered. */
let heldFrom = Number.POSITIVE_INFINITY;
let onRequest: () => void = () => {};

function requests(web: LocalWeb, wanted: number): Promise<void> {
  return new Promise((resolve) => {
    onRequest = () => {
      if (web.ledger.entries.length >= wanted) resolve();
    };
  });
}

export async function killAndCompare(t: Pick<TestContext, 'after'>, size: KilledSize): Promise<number> {
  const { pages: pageCount, kills } = size;
  const pages = site({ pages: pageCount });
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/*', (visit) => {
    onRequest();
    if (web.ledger.entries.length <= heldFrom) pages.serve(visit);
  });
  const words = [web.url('/'), '--concurrency', String(CONCURRENCY), '--units', '2'];

  const calmDir = dataFolder(t);
  const calm = await crawl(calmDir, ...words);
  assert.equal(calm.summary?.pages, pageCount);
  const fetchedCalmly = web.ledger.entries.filter(({ path }) => isPage(path)).length;
  assert.equal(fetchedCalmly, pageCount);
  const expected = await contents(calmDir);

  const dir = dataFolder(t);
  const seenBefore = web.ledger.entries.length;
  for (const instant of instants(size)) {
    const { signal, stdout, stderr } = await killAt(instant, web, dir, words);
    assert.equal(signal, 'SIGKILL', `the crawl ended before it was killed: ${stdout}${stderr}`);
  }
  const last = await crawl(dir, ...words);
  assert.equal(last.exitCode, 0, last.stderr);

  assert.deepEqual(await contents(dir), expected);
  const fetches = web.ledger.entries.slice(seenBefore).filter(({ path }) => isPage(path)).length;
  assert.ok(fetches <= pageCount + kills * CONCURRENCY, `${fetches} page fetches`);
  // If the kills cost no fetch, none of them happened in the middle of work.
  assert.ok(fetches > pageCount);

  const archived = await archivedUrls(dir);
  assert.equal(new Set(archived).size, archived.length, 'a page is in the archive twice');
  const pageUrls = [...expected.keys()].filter((url) => !url.endsWith('/sitemap.xml'));
  assert.deepEqual(archived.sort(), pageUrls.sort());
  await assertSound(dir);
  return fetches;
}

/** State and digest of every URL. */
async function contents(dir: string): Promise<Map<string, string>> {
  const records = [...(await storedUrls(dir)).values()].sort((a, b) => (a.url < b.url ? -1 : 1));
  return new Map(records.map(({ url, state, digest }) => [url, `${state} ${digest}`]));
}
