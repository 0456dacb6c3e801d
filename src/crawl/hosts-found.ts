import type { CommitBatch, FoundUrl } from '../store/contract.ts';

/** The hosts at which a committed batch may have made something wait. */
export function hostsFound({ results, found }: CommitBatch): ReadonlySet<string> {
  const hosts = new Set<string>();
  let lastHost = '';
  const add = (link: FoundUrl | null | undefined): void => {
    // Links of one page lead to few hosts, mostly several in a row to the same.
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
