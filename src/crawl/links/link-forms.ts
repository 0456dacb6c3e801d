/** The normal forms of this crawl: the normal form of a URL, and the normal form of the target of a link. */
import type { CrawlOptions } from '../../core/options/options.ts';
import { encodeQuery, encodesQueries } from '../../page/encoding/legacy-codec.ts';
import type { ParsedPage } from '../../page/parsed-page.ts';
import { UrlNormalizer } from '../../url/normalize.ts';
import { TRACKING_PARAMETERS } from '../../url/tracking-parameters.ts';

export function normalizerFor(
  options: Pick<CrawlOptions, 'sortQuery' | 'dropTracking' | 'keepFragment'>,
): UrlNormalizer {
  return new UrlNormalizer({
    sortQuery: options.sortQuery,
    dropParameters: options.dropTracking ? TRACKING_PARAMETERS : [],
    keepFragment: options.keepFragment,
  });
}

/** Maps a link as written in the page to the normal form of its target, or to null if the target is not a web URL. */
export function resolverFor(
  page: ParsedPage,
  pageUrl: string,
  normalizer: UrlNormalizer,
  maxUrlLength: number,
): (href: string) => string | null {
  if (page.kind === 'html' && encodesQueries(page.charset)) {
    const { charset } = page;
    const base = page.base === null ? null : encodeQuery(page.base, charset);
    const resolve = resolverFor({ ...page, base, charset: 'utf-8' }, pageUrl, normalizer, maxUrlLength);
    return (href) => resolve(encodeQuery(href, charset));
  }
  if (page.base === null) return normalizer.resolver(pageUrl);
  const base = URL.parse(page.base, pageUrl);
  // Every link becomes as long as the base. With a long base, a small page could fill the memory of
  // a unit with URLs that are never fetched.
  // A base that is data or a script is ignored (HTML standard 4.2.3).
  const isUsable = base !== null && base.href.length <= maxUrlLength && !/^(?:data|javascript):/.test(base.protocol);
  return normalizer.resolver(isUsable ? base.href : pageUrl);
}
