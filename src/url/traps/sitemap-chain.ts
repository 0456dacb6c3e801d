/**
 * Sitemaps and feeds that refer to each other without end. In: how many of them lead to a URL in a row. Out: a reason
 * if
 * there are too many. The count is kept in the store together with the count of redirects, as one number (`hops`), so
 * it
 * holds after a restart and for all workers of a cluster.
 */
import type { Reason } from '../../core/reasons.ts';

/**
 * An honest page is behind two: an index and a sitemap. The sitemap protocol does not even allow an index of indexes.
 */
export const MAX_SITEMAP_CHAIN = 5;
/** More than the greatest number of redirects in a row (`--max-redirects`). */
const PER_SITEMAP = 128;

export function redirectsIn(hops: number): number {
  return hops % PER_SITEMAP;
}

export function sitemapsIn(hops: number): number {
  return Math.floor(hops / PER_SITEMAP);
}

/** Of a URL that takes the place of another one: it is behind as many sitemaps, and no redirect led to it. */
export function withoutRedirects(hops: number): number {
  return hops - redirectsIn(hops);
}

/** Of the entries of a sitemap or feed, from that of the sitemap itself. */
export function behindSitemap(hops: number): number {
  return withoutRedirects(hops) + PER_SITEMAP;
}

export function judgeSitemapChain(hops: number): Reason | null {
  return sitemapsIn(hops) > MAX_SITEMAP_CHAIN ? 'trap-sitemap-chain' : null;
}
