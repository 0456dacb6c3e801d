/**
 * Runs a crawl to its end in the test's own process. It is for tests of what is crawled, not of how a process behaves.
 */
import type { GivenOptions } from '../../src/core/options/options.ts';
import { startCrawl } from '../../src/crawl/crawl.ts';
import type { CrawlSummary } from '../../src/crawl/crawl-summary.ts';
import { fates, storedUrls } from './stored-crawl.ts';

/** One thread is enough for these small crawls, and starting another one takes longer than they do. */
const ONE_UNIT = { from: 'default of the tests', given: { units: 1 } };

export function crawlHere(dir: string, seeds: readonly string[], given: GivenOptions = {}): Promise<CrawlSummary> {
  return startCrawl({ dir, seeds, sources: [{ from: 'test', given }, ONE_UNIT] }).summary;
}

/** Adds seeds to the crawl in the folder, and runs it to its end. */
export function addHere(dir: string, seeds: readonly string[], given: GivenOptions = {}): Promise<CrawlSummary> {
  return startCrawl({ dir, seeds, sources: [{ from: 'test', given }, ONE_UNIT], adds: true }).summary;
}

/** The final state of each URL, without the origin. */
export async function fatesOf(dir: string, origin: string): Promise<Record<string, string>> {
  const all = Object.entries(fates((await storedUrls(dir)).values()));
  return Object.fromEntries(all.map(([url, fate]) => [url.replace(origin, ''), fate]));
}
