/** The normal forms of this crawl: of a URL, and of what a link on a page leads to. */
import type { CrawlOptions } from '../core/options.ts';
import type { ParsedPage } from '../page/parsed-page.ts';
import { UrlNormalizer } from '../url/normalize.ts';
import { TRACKING_PARAMETERS } from '../url/tracking-parameters.ts';

export function normalizerFor(options: CrawlOptions): UrlNormalizer {
  return new UrlNormalizer({
    sortQuery: options.sortQuery,
    dropParameters: options.dropTracking ? TRACKING_PARAMETERS : [],
    keepFragment: options.keepFragment,
  });
}

/** From a link as a page writes it to the normal form of what it leads to; null where that is no web URL. */
export function resolverFor(
  page: ParsedPage,
  pageUrl: string,
  normalizer: UrlNormalizer,
  maxUrlLength: number,
): (href: string) => string | null {
  if (page.base === null) return normalizer.resolver(pageUrl);
  const base = URL.parse(page.base, pageUrl);
  // Each link would become as long as the base: a small page could fill the memory of a unit with URLs nobody fetches.
  const isUsable = base !== null && base.href.length <= maxUrlLength;
  return normalizer.resolver(isUsable ? base.href : pageUrl);
}
