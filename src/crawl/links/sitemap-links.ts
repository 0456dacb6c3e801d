/**
 * Limits on sitemaps and feeds that refer to each other. In: the links of a page, and the sitemaps that robots.txt
 * names. Out: how many sitemaps in a row lead to a link, and whether a link counts as a sitemap of its host. The traps
 * judge the first (url/traps/sitemap-chain.ts), the store counts the second.
 */
import type { PageLink, ParsedPage } from '../../page/parsed-page.ts';
import type { ClaimedUrl, FoundUrl } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import { behindSitemap, redirectsIn, sitemapsIn, withoutRedirects } from '../../url/traps/sitemap-chain.ts';
import { isSource } from './entry-times.ts';

/** The fields that make a found URL count as a sitemap. */
export type SitemapCount = Pick<FoundUrl, 'pattern' | 'maxSitemaps'>;

export class SitemapLinks {
  readonly #normalizer: UrlNormalizer;
  readonly #maxSitemaps: number;
  /** Normalised sitemap URLs, by the list in robots.txt. */
  readonly #named = new WeakMap<readonly string[], ReadonlySet<string | null>>();

  constructor(normalizer: UrlNormalizer, maxSitemaps: number) {
    this.#normalizer = normalizer;
    this.#maxSitemaps = maxSitemaps;
  }

  /**
   * The sitemaps of a host have their own budget. Links from other hosts that declare its sitemaps do not use it up.
   */
  countOf(url: string, isNamedByOwnHost: boolean): SitemapCount {
    const pattern = `${isNamedByOwnHost ? 'sitemaps' : 'sitemaps by others'} ${hostOf(url)}`;
    return { pattern, maxSitemaps: this.#maxSitemaps };
  }

  /**
   * A sitemap that the robots.txt of its host names is behind no other sitemap. Otherwise a hostile host could report
   * it first, at the end of a chain of its own, and its entries would be left out.
   */
  asNamed(task: ClaimedUrl, sitemaps: readonly string[]): ClaimedUrl {
    if (sitemaps.length === 0 || sitemapsIn(task.hops) === 0) return task;
    let named = this.#named.get(sitemaps);
    if (named === undefined) {
      named = new Set(sitemaps.map((text) => this.#normalizer.normalize(text)));
      this.#named.set(sitemaps, named);
    }
    return named.has(task.url) ? { ...task, hops: redirectsIn(task.hops) } : task;
  }
}

/** Whether a link declares its target to be another sitemap, or the next page of a feed. */
export function namesSitemap(page: ParsedPage, { kind, rel }: PageLink): boolean {
  return kind === 'sitemap' ? rel !== '' : kind === 'pagination' && page.kind === 'feed';
}

/**
 * The hops of a link. The next page of a feed is the same feed (RFC 5005): honest blogs have hundreds of them in a row.
 */
export function hopsTo(page: ParsedPage, { kind }: PageLink, pageHops: number): number {
  if (!isSource(page)) return 0;
  return kind === 'pagination' ? withoutRedirects(pageHops) : behindSitemap(pageHops);
}
