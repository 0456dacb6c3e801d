/**
 * The times at which the entries of a sitemap or feed changed, as it states them: one time for each
 * link taken from it, 0 where it states none.
 */
import { targetOf } from '../../graph/link-list.ts';
import type { ParsedPage } from '../../page/parsed-page.ts';
import type { FoundUrl } from '../../store/contract.ts';

/** Whether the document lists other pages. */
export function isSource({ kind }: ParsedPage): boolean {
  return kind === 'sitemap' || kind === 'feed';
}

export function entryTimes(
  { links }: ParsedPage,
  taken: { readonly knownLinks: readonly number[]; readonly foundLinks: readonly FoundUrl[] },
  resolve: (href: string) => string | null,
  idOf: (url: string) => number | undefined,
): { knownTimesMs: number[]; foundTimesMs: number[] } {
  const byUrl = new Map<string, number>();
  const byId = new Map<number, number>();
  for (const { href, modifiedMs } of links) {
    const url = modifiedMs === undefined ? null : resolve(href);
    if (url === null) continue;
    const latestMs = Math.max(modifiedMs!, byUrl.get(url) ?? 0);
    byUrl.set(url, latestMs);
    const id = idOf(url);
    if (id !== undefined) byId.set(id, latestMs);
  }
  return {
    knownTimesMs: taken.knownLinks.map((value) => byId.get(targetOf(value)) ?? 0),
    foundTimesMs: taken.foundLinks.map(({ url }) => byUrl.get(url) ?? 0),
  };
}
