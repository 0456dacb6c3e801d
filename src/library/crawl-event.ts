import type { CrawlSummary } from '../crawl/crawl-summary.ts';
import type { UrlRecord } from '../store/contract.ts';
import type { CrawlMessage } from './journal.ts';
import { type KnownUrl, toKnownUrl } from './known-url.ts';
import { type CopyPlace, type Page, pageOf } from './page.ts';

/**
 * What a crawl tells. `redirect`, `failed` and `skipped` are URLs that were handed out and became no page; a URL that was
 * left out when it was found, being too deep or a trap, was never handed out: the copy knows it, nothing tells of it.
 */
export type CrawlEvent =
  | { readonly type: 'page'; readonly page: Page }
  | ({ readonly type: 'redirect' | 'failed' | 'skipped' } & KnownUrl)
  | CrawlMessage
  | { readonly type: 'done'; readonly summary: CrawlSummary };

/** Null for a URL that waits, again: it has nothing to tell yet. */
export function eventOf(record: UrlRecord, place: CopyPlace): CrawlEvent | null {
  const page = pageOf(record, place);
  if (page !== null) return { type: 'page', page };
  const { state } = record;
  if (state !== 'redirect' && state !== 'failed' && state !== 'skipped') return null;
  return { type: state, ...toKnownUrl(record) };
}
