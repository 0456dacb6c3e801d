import type { CrawlEvents } from '../core/events.ts';
import type { CommitBatch, CommitReceipt, FoundUrl } from '../store/contract.ts';

export function commitEvent(
  batch: Pick<CommitBatch, 'results'>,
  receipt: CommitReceipt,
  tookMs: number,
): CrawlEvents['crawl/commit'] {
  const results = batch.results.map(({ id, reason, page }, i) => ({
    id,
    state: receipt.states[i] ?? null,
    reason,
    bytes: page?.bytes ?? 0,
  }));
  return { results, discovered: receipt.discovered, tookMs };
}

/** The hosts where a committed batch may have added waiting URLs. */
export function hostsFound({ results, found }: CommitBatch): ReadonlySet<string> {
  const hosts = new Set<string>();
  let lastHost = '';
  const add = (link: FoundUrl | null | undefined): void => {
    // The links of one page lead to few hosts, and links in a row mostly lead to the same host.
    if (!link || link.skip !== null || link.host === lastHost) return;
    lastHost = link.host;
    hosts.add(lastHost);
  };
  for (const { foundLinks, redirectTo, standIn, page } of results) {
    for (const link of foundLinks) add(link);
    add(redirectTo);
    add(standIn);
    add(page?.canonical);
  }
  for (const link of found) add(link);
  return hosts;
}
