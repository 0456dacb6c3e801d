/**
 * Stops sitemaps and feeds that refer to each other without end. In: the number of sitemaps in a row that lead to a
 * URL. Out: a reason if there are too many. The store keeps this count, the count of redirects and two marks as one
 * number (`hops`), so they survive a restart and hold for all workers of a cluster. One mark is for a URL that is only
 * tried, because sitemaps are usually there; the other is for a guess.
 */
import type { Reason } from '../../core/reasons.ts';

/**
 * Two sitemaps lead to a page of an honest site: an index and a sitemap. The sitemap
 * protocol does not even allow an index of indexes.
 */
export const MAX_SITEMAP_CHAIN = 5;
/** Greater than the maximum number of redirects in a row (`--max-redirects`). */
const PER_SITEMAP = 128;
/** Greater than any count of sitemaps and redirects together. */
const TRIAL = 8_192;
/** Greater than the hops of any other URL. The store keeps hops in 16 bits. */
const GUESS = 16_384;

/** The hops of a URL that was only guessed, from a string that looks like a URL. */
export function asGuess(hops: number): number {
  return isGuess(hops) ? hops : hops + GUESS;
}

export function isGuess(hops: number): boolean {
  return hops >= GUESS;
}

export function redirectsIn(hops: number): number {
  return hops % PER_SITEMAP;
}

export function sitemapsIn(hops: number): number {
  return Math.floor((hops % TRIAL) / PER_SITEMAP);
}

/**
 * The hops of a URL that nobody named: the usual place of a sitemap. A redirect from it to a URL that looks like a
 * sitemap has the same mark, so its target is a trial too. Other redirects from it are not followed.
 */
export function asTrial(hops: number): number {
  return isTrial(hops) ? hops : hops + TRIAL;
}

export function isTrial(hops: number): boolean {
  return hops % GUESS >= TRIAL;
}

/** Whether the URL is known only as a trial or as a guess. A link, a name in robots.txt or a seed ends both. */
export function isMarked(hops: number): boolean {
  return hops >= TRIAL;
}

/** Whether a URL may be tried as a sitemap. All trials are such URLs. */
export function looksLikeSitemap(url: string): boolean {
  return SITEMAP_LIKE.test(url);
}

const SITEMAP_LIKE = /sitemap|\.(?:xml|gz|txt)(?:$|\?)/i;

/** The hops of a URL that replaces another URL: the same number of sitemaps, and no redirects. */
export function withoutRedirects(hops: number): number {
  return hops - redirectsIn(hops);
}

/** The hops of the next page of a feed, computed from the hops of the feed. The feed names it, so it has no mark. */
export function besideSitemap(hops: number): number {
  return withoutRedirects(hops % TRIAL);
}

/** The hops of the entries of a sitemap or feed, computed from the hops of the sitemap itself. They have no mark. */
export function behindSitemap(hops: number): number {
  return besideSitemap(hops) + PER_SITEMAP;
}

export function judgeSitemapChain(hops: number): Reason | null {
  return sitemapsIn(hops) > MAX_SITEMAP_CHAIN ? 'trap-sitemap-chain' : null;
}
