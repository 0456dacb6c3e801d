/**
 * The public interface of Orbweaver. Everything else may change in any version. docs/library.md explains how to use it.
 */

export type { DiffPiece, PieceKind } from './change/diff/piece.ts';
export type { ToldDifference } from './change/stored-difference.ts';
export type { LinkFacts, UrlLinks } from './copy/read-links.ts';
export { ERROR_CODES, type ErrorCode, OrbweaverError } from './core/errors.ts';
export type { CrawlProgress, RefreshProgress } from './core/events.ts';
export { REASONS, type Reason } from './core/reasons.ts';
export type { CrawlSummary } from './crawl/crawl-summary.ts';
export type { RefreshSummary } from './crawl/refresh.ts';
export type { HostTrouble, SeedTrouble } from './crawl/run-troubles.ts';
export type { Order, WaitingUrl } from './frontier/order.ts';
export { compareTexts, type Overlap } from './library/compare-texts.ts';
export { type ChangesWanted, type Copy, type DiffSettings, openCopy } from './library/copy.ts';
export type { ArchivedPlace, CopyChange } from './library/copy-change.ts';
export type { SearchResult, SearchResults, SearchSettings, SimilarSettings } from './library/copy-search.ts';
export { type Crawl, type CrawlEvent, crawl } from './library/crawl.ts';
export type { Explanation, UrlClaim } from './library/explanation.ts';
export type { KnownUrl, Page, PageResponse } from './library/page.ts';
export type {
  BlockRole,
  PageBlock,
  PageContent,
  PageContentLink,
  PageFacts,
  PageTable,
  StructuredData,
  StructuredItem,
  StructuredValue,
} from './library/page-content.ts';
export type { PageChanges, PageHunk, PageVersion } from './library/page-diff.ts';
export type { NotedChange, PageLook, PageLooks, PageVisits } from './library/page-history.ts';
export { type Refresh, type RefreshEvent, refresh } from './library/refresh.ts';
export type { CrawlSettings, RefreshSettings } from './library/settings.ts';
export { type VerifySettings, verify } from './library/verify.ts';
export type { CanonicalVerdict, ChangeKind, Counts, UrlState } from './store/contract.ts';
export type { Finding, FindingKind } from './verify/findings.ts';
export type { VerifyOutcome } from './verify/verify.ts';
