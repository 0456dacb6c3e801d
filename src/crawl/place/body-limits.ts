/**
 * How large bodies may be after decoding. In: the options of a crawl. Out: the limits for a body from the network or
 * from the archive. Both must be read with the same limits, so that both give the same bytes.
 */
import type { CrawlOptions } from '../../core/options/options.ts';
import { type BodyLimits, type DecodedBody, decodeWithin } from '../../fetch/body/decode-body.ts';
import { beginsAsSitemap } from '../../page/content-kind.ts';

/** The options that limit bodies. */
export type BodySizes = Pick<CrawlOptions, 'maxBody' | 'maxSitemapBody'>;

/** Sitemaps may be larger than other bodies. These limits have a function, so they cannot be sent to a thread. */
export function bodyLimits({ maxBody, maxSitemapBody }: BodySizes): BodyLimits {
  return { maxBodyBytes: maxBody, maxLongBodyBytes: maxSitemapBody, isLongKind: beginsAsSitemap };
}

/** Decodes an archived body. A body that was stored under a larger --max-body than that of the last run is not cut. */
export function decodeArchived(
  body: Buffer,
  contentEncoding: string,
  sizes: BodySizes,
  complete: boolean,
): DecodedBody | Promise<DecodedBody> {
  const limits = bodyLimits({ ...sizes, maxBody: Math.max(sizes.maxBody, body.length) });
  return decodeWithin([body], contentEncoding, limits, complete);
}
