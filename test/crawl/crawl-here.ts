/** A crawl in the test's own process, run to its end: for tests of what is crawled, not of how a process behaves. */
import { type GivenOptions, resolveOptions } from '../../src/core/options.ts';
import { startCrawl } from '../../src/crawl/crawl.ts';
import type { CrawlSummary } from '../../src/crawl/crawl-summary.ts';
import { fates, storedUrls } from './stored-crawl.ts';

export function crawlHere(dir: string, seeds: readonly string[], given: GivenOptions = {}): Promise<CrawlSummary> {
  return startCrawl({ dir, seeds, options: resolveOptions([{ from: 'test', given }]) }).summary;
}

/** What became of each URL, with the origin left out. */
export async function fatesOf(dir: string, origin: string): Promise<Record<string, string>> {
  const all = Object.entries(fates((await storedUrls(dir)).values()));
  return Object.fromEntries(all.map(([url, fate]) => [url.replace(origin, ''), fate]));
}
