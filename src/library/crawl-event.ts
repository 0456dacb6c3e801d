import type { CrawlSummary } from '../crawl/crawl-summary.ts';
import type { UrlRecord } from '../store/contract.ts';
import type { CrawlMessage } from './journal.ts';
import { type KnownUrl, toKnownUrl } from './known-url.ts';
import { type CopyPlace, type Page, pageOf } from './page.ts';

/**
 * The events of a crawl. `redirect`, `failed` and `skipped` are URLs that were claimed but have no page. A URL
 * that was excluded when it was found, because it is too deep or a trap, was never claimed. The copy knows
 * such a URL, but it has no event.
 */
export type CrawlEvent =
  | { readonly type: 'page'; readonly page: Page }
  | ({ readonly type: 'redirect' | 'failed' | 'skipped' } & KnownUrl)
  | CrawlMessage
  | { readonly type: 'done'; readonly summary: CrawlSummary };

/** Returns null for a URL that waits again, because it has no result yet. */
export function eventOf(record: UrlRecord, place: CopyPlace): CrawlEvent | null {
  const page = pageOf(record, place);
  if (page !== null) return { type: 'page', page };
  const { state } = record;
  if (state !== 'redirect' && state !== 'failed' && state !== 'skipped') return null;
  return { type: state, ...toKnownUrl(record) };
}
