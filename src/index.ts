/** What programs may use of Orbweaver. Everything else may change with any version. docs/library.md tells how. */

export type { DiffPiece, PieceKind } from './change/diff/piece.ts';
export { compareTexts, type Overlap } from './change/winnow.ts';
export { ERROR_CODES, type ErrorCode, OrbweaverError } from './core/errors.ts';
export type { CrawlProgress } from './core/events.ts';
export { REASONS, type Reason } from './core/reasons.ts';
export type { CrawlSummary } from './crawl/crawl.ts';
export type { LinkFacts, UrlLinks } from './crawl/read-links.ts';
export type { Order, WaitingUrl } from './frontier/order.ts';
export { type Copy, type DiffSettings, openCopy } from './library/copy.ts';
export { type Crawl, crawl } from './library/crawl.ts';
export type { CrawlEvent } from './library/crawl-event.ts';
export type { CrawlSettings } from './library/crawl-settings.ts';
export type { Explanation } from './library/explanation.ts';
export type { KnownUrl } from './library/known-url.ts';
export type { Page, PageResponse } from './library/page.ts';
export type { PageContent, PageContentLink } from './library/page-content.ts';
export type { PageChanges, PageHunk, PageVersion } from './library/page-diff.ts';
export type { PageLook, PageLooks } from './library/page-history.ts';
export type { Counts, UrlState } from './store/contract.ts';
