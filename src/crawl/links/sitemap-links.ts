/**
 * Where the sitemaps of a host are, and limits on sitemaps and feeds that refer to each other. In: the links of a page,
 * and the sitemaps that robots.txt names. Out: the URLs of sitemaps, how many sitemaps in a row lead to a link, and
 * whether a link counts as a sitemap of its host. The traps judge the chains (url/traps/sitemap-chain.ts), the store
 * counts the sitemaps.
 */
import type { Reason } from '../../core/reasons.ts';
import type { PageLink, ParsedPage } from '../../page/parsed-page.ts';
import type { ClaimedUrl, FoundUrl } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import { behindSitemap, besideSitemap, redirectsIn } from '../../url/traps/sitemap-chain.ts';
import { isSource } from './entry-times.ts';

/** The fields that make a found URL count as a sitemap. */
export type SitemapCount = Pick<FoundUrl, 'pattern' | 'maxSitemaps'>;

/** Most sites have their sitemap here. It is tried once on a host whose robots.txt names none. */
const USUAL_PATH = '/sitemap.xml';

export function usualSitemap(host: string): string {
  return host + USUAL_PATH;
}

/** The parts of a robots.txt that say where sitemaps are. */
export interface SitemapRules {
  readonly sitemaps: readonly string[];
  refuses(url: string): Reason | null;
}

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

  /** The URL of a sitemap in robots.txt. It should be complete; many are a path, or a host and a path. */
  resolve(text: string, host: string): string | null {
    const authority = host.slice(host.indexOf('//'));
    const written = `//${text}`.startsWith(`${authority}/`) ? `//${text}` : text;
    return this.#normalizer.resolver(`${host}/`)(written);
  }

  /**
   * A sitemap that the robots.txt of its host names is behind no other sitemap. Otherwise a hostile host could report
   * it first, at the end of a chain of its own, and its entries would be left out. Nor is it only tried.
   */
  asNamed(task: ClaimedUrl, sitemaps: readonly string[]): ClaimedUrl {
    if (sitemaps.length === 0 || redirectsIn(task.hops) === task.hops) return task;
    let named = this.#named.get(sitemaps);
    if (named === undefined) {
      const host = hostOf(task.url);
      named = new Set(sitemaps.map((text) => this.resolve(text, host)));
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
  return kind === 'pagination' ? besideSitemap(pageHops) : behindSitemap(pageHops);
}
