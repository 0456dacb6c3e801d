/**
 * The pipeline: all stages for one URL, in order. In: a URL from the frontier, of a host that may be asked now. Out: a
 * compact result for the store. The body is in the archive by then.
 *
 *   (new rules?) → robots → parameters → fetch → (failed? redirected?)
 *     → (document) → page → content → topic → links → archive → result
 *
 * Everything the web does ends in a result with a reason. Nothing here throws because of it.
 */
import { hash } from 'node:crypto';
import type { ArchiveWriter, ConfirmedCapture, RecordLocation } from '../../archive/warc-writer.ts';
import type { NoiseEvidence } from '../../change/evidence/noise-evidence.ts';
import { sketchOwnText } from '../../content/own-text.ts';
import type { Template } from '../../content/template/template.ts';
import { detached } from '../../core/copy-text.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import type { RefreshOptions } from '../../core/options/refresh-options.ts';
import type { Reason } from '../../core/reasons.ts';
import { inStage } from '../../core/stage-events.ts';
import type { DocumentAnswer } from '../../documents/thread/document-job.ts';
import type { FetchOutcome } from '../../fetch/outcome.ts';
import { nextTry } from '../../fetch/retry.ts';
import { BlockCollector, type ParsedPage, type ParseOptions, parsePage, type WordCollector } from '../../page/page.ts';
import type { PageDirectives } from '../../robots/page-directives.ts';
import type { CaptureRecord, ClaimedUrl, FoundUrl, PageRecord, UrlResult } from '../../store/contract.ts';
import { isTrial, looksLikeSitemap } from '../../url/traps/sitemap-chain.ts';
import { isSource } from '../links/entry-times.ts';
import type { JudgedLinks, LinkJudge, Variant } from '../links/link-judge.ts';
import { linksParsed } from '../links/links-wanted.ts';
import type { PageFocus, TopicJudge } from '../links/topic-judge.ts';
import type { ChangeJudge } from './change/change-judge.ts';
import type { RegionJudge } from './change/region-judge.ts';
import type { ConfirmPage } from './confirm-page.ts';
import { addDocument, documentReason, isDocument, type ReadDocument } from './documents.ts';
import type { Response } from './not-found/not-found-answer.ts';
import { readDirectives } from './read-directives.ts';
import type { RobotsRuling } from './robots-keeper.ts';
import { unfinished } from './unfinished.ts';

export interface Stages {
  readonly options: CrawlOptions;
  readonly productToken: string;
  readonly links: LinkJudge;
  /** Waiting URLs are judged again, because the rules have changed since some of them were found. */
  readonly rejudges?: boolean;
  /** How pages are parsed. One object serves for all pages. */
  readonly parsing: ParseOptions;
  /** Null if the crawl has no topic. */
  readonly topic: TopicJudge | null;
  readonly archive: Pick<ArchiveWriter, 'append'>;
  /** Finds the response that a visit found unchanged. Null if such visits are not archived (`--revisits`). */
  readonly confirm: ConfirmPage | null;
  /** Decides what changed in a refresh, without the earlier version of a page; null for a crawl. */
  readonly regions: RegionJudge | null;
  /** Describes the changes of pages in a refresh. It is loaded when the first page has changed. */
  readonly changes: () => Promise<ChangeJudge>;
  /** In a refresh, pages last visited before this time have their links read again, changed or not. */
  readonly rereadBeforeMs: number;
  /** The times between visits in a refresh; null for a crawl. */
  readonly refresh: Pick<RefreshOptions, 'minInterval' | 'maxInterval' | 'watch'> | null;
  /** Reads a document while the unit works on other URLs. */
  readonly readDocument: ReadDocument;
  /** Receives the words of each page. */
  readonly words: WordCollector;
  /** Whether a response is the answer of its host for a path that does not exist. The host may be asked first. */
  readonly isNotFound: (hostId: number, task: ClaimedUrl, response: Response) => boolean | Promise<boolean>;
  /** Fetches a page again at once; null if that is not possible now. Null for a run that looks at no page twice. */
  readonly secondLook: ((hostId: number, url: string) => Promise<FetchOutcome | null>) | null;
  /** Called when a seed redirects. The target becomes a seed. */
  readonly seedMoved: (url: string) => void;
  /** Marks the URL whose content is being processed. 0 removes the mark. */
  readonly marking: (id: number) => void;
  /** The rules of the crawl that forbid a request, apart from robots.txt. */
  readonly refuses: (url: string) => Reason | null;
  readonly nowMs: () => number;
}

/** Sends a request to the host. The gate of the host is open. */
export type Fetch = (url: string, headers?: Readonly<Record<string, string>>) => Promise<FetchOutcome>;

/** What is known about the host of a URL. */
export interface AskedHost {
  readonly hostId: number;
  readonly robots: RobotsRuling | null;
  readonly template: Template;
  /** The evidence for noise of the host; null if it is not used. */
  readonly noise: NoiseEvidence | null;
}

export async function crawlUrl(claimed: ClaimedUrl, host: AskedHost, fetch: Fetch, stages: Stages): Promise<UrlResult> {
  const { hostId, robots } = host;
  const task = stages.links.asNamed(claimed, robots?.sitemaps ?? NO_SITEMAPS);
  const result = unfinished(task.id, task.url, hostId);

  const outside = stages.rejudges ? stages.links.leavesOut(task) : null;
  if (outside !== null) return { ...result, state: 'skipped', reason: outside };

  const refusal = inStage('robots', task.url, () => refusalOf(task.url, robots, stages));
  if (refusal !== null) return { ...result, state: 'skipped', reason: refusal };

  const variant = inStage('parameters', task.url, () => variantOf(task, robots, stages));
  const standIn = variant?.standIn ?? null;
  if (variant?.isLeftOut) return { ...result, state: 'skipped', reason: 'ignored-parameter', standIn };

  const outcome = await inStage('fetch', task.url, () => fetch(task.url));
  stages.marking(task.id);
  try {
    if (isTrial(task.hops) && !isSitemap(outcome, task)) return { ...result, ...withoutSitemap(outcome, task, stages) };
    if (outcome.redirectTo !== null) {
      return await withSoft404({ ...result, ...redirected(outcome, task, stages) }, outcome, task, stages);
    }
    if (!hasPage(outcome)) return { ...result, ...failed(outcome, task, stages) };

    const document = isDocument(outcome.decoded, mediaType(outcome)) ? await documentIn(outcome, task, stages) : null;
    const response = { outcome, digest: digestOf(outcome), document };
    const page = { ...result, ...kept(response, task, host.template, stages), standIn };
    return await withSoft404(page, outcome, task, stages);
  } finally {
    outcome.release();
    stages.marking(0);
  }
}

/**
 * Whether the usual place of a sitemap has one, or leads to one. Many servers answer there with an error, others with
 * any page or with a redirect to any page.
 */
function isSitemap(outcome: FetchOutcome, { url }: ClaimedUrl): boolean {
  if (outcome.redirectTo !== null) return looksLikeSitemap(outcome.redirectTo);
  const wanted = { wantText: false, maxLinks: 0 };
  return hasPage(outcome) && isSource(parsePage(outcome.decoded, outcome.header('content-type'), url, wanted));
}

/**
 * Nobody named this URL, so the answer is no failure of the crawl. The URL stays known and is not tried again, unless
 * the trouble may be an accident of a moment.
 */
function withoutSitemap(outcome: FetchOutcome, task: ClaimedUrl, stages: Stages): Partial<UrlResult> {
  const { reason, retryAfterMs } = outcome;
  const next = reason === null ? null : nextTry(reason, task.failures + 1, retryAfterMs, stages.nowMs());
  if (next?.kind === 'retry') return failed(outcome, task, stages);
  const capture = outcome.status === 0 ? null : toCapture(outcome, archive(outcome, stages));
  return { state: 'skipped', reason: 'no-sitemap', capture };
}

export async function documentIn(outcome: FetchOutcome, task: ClaimedUrl, stages: Stages): Promise<DocumentAnswer> {
  const request = { bytes: outcome.decoded, contentType: outcome.header('content-type'), url: task.url };
  // Other pages are processed while the document is read.
  stages.marking(0);
  const document = await inStage('document', task.url, () => stages.readDocument(request));
  stages.marking(task.id);
  return document;
}

interface ReadResponse {
  readonly outcome: FetchOutcome;
  /** The digest of the decoded body. */
  readonly digest: string;
  /** Null if the response is no document. */
  readonly document: DocumentAnswer | null;
}

/** Parses, judges and archives a page of the copy. */
export function kept(
  { outcome, digest, document }: ReadResponse,
  task: ClaimedUrl,
  template: Template,
  stages: Stages,
): Pick<UrlResult, 'state' | 'reason' | 'capture' | 'page'> & JudgedLinks {
  const page = inStage('page', task.url, () => readPage(outcome, task.url, stages));
  addDocument(page, document, stages.options.maxLinks);
  const content = inStage('content', task.url, () => readContent(page, task.url, template, stages));
  const focus = stages.topic && inStage('topic', task.url, () => stages.topic!.judge(page, content.ownText, task));
  const directives = readDirectives(outcome.rawHeaders, page.metaRobots, stages.productToken, stages.nowMs());
  const cut = page.linksTruncated ? 'too-many-links' : documentReason(document);
  const followed = inStage('links', task.url, () => followedLinks(page, directives, task, stages, focus));
  const location = inStage('archive', task.url, () => archive(outcome, stages));
  return {
    ...followed,
    state: 'fetched',
    reason: outcome.reason ?? cut ?? (directives.noindex ? 'noindex' : null),
    capture: toCapture(outcome, location),
    page: {
      bytes: outcome.decoded.length,
      wireBytes: outcome.bodyBytes,
      digest,
      title: detached(page.title),
      language: page.language,
      canonical: stages.links.canonicalOf(page, task),
      noindex: directives.noindex,
      relevance: focus?.relevance ?? null,
      ...content.facts,
      ...validatorsOf(outcome),
      isSource: isSource(page),
    },
  };
}

/** Marks a result whose response is the answer of its host for a path that does not exist. */
export async function withSoft404(
  result: UrlResult,
  outcome: FetchOutcome,
  task: ClaimedUrl,
  stages: Pick<Stages, 'isNotFound' | 'marking'>,
): Promise<UrlResult> {
  const { hostId, page, reason } = result;
  const isPage = page !== null && mediaType(outcome).includes('html');
  if ((!isPage && result.redirectTo === null) || (reason !== null && reason !== 'noindex')) return result;
  const verdict = stages.isNotFound(hostId, task, {
    url: task.url,
    title: page?.title ?? '',
    digest: page?.digest ?? '',
    newWords: page?.newWords ?? 0,
    body: outcome.decoded,
    redirectTo: outcome.redirectTo,
  });
  // Nothing is processed while the host is asked.
  if (typeof verdict !== 'boolean') stages.marking(0);
  if (!(await verdict)) return result;
  return { ...result, reason: 'soft-404', page: page && { ...page, canonical: null } };
}

/** The digest of the decoded body. */
export function digestOf({ decoded }: FetchOutcome): string {
  return hash('sha256', decoded, 'hex');
}

/** The validators for the next request. */
export function validatorsOf(outcome: FetchOutcome): Pick<PageRecord, 'etag' | 'lastModified'> {
  const etag = outcome.header('etag');
  const lastModified = outcome.header('last-modified');
  return { ...(etag === '' ? {} : { etag: detached(etag) }), ...(lastModified === '' ? {} : { lastModified }) };
}

/** A URL is fetched in spite of its lesson if its stand-in failed or may not be fetched. */
function variantOf(task: ClaimedUrl, robots: RobotsRuling | null, { links }: Stages): Variant | null {
  const variant = typeof task.standIn === 'number' ? null : links.variantOf(task);
  return variant === null || robots?.refuses(variant.standIn.url) ? null : variant;
}

/** The rule of robots.txt or of the crawl that forbids a request; null if it is allowed. */
export function refusalOf(url: string, robots: RobotsRuling | null, { refuses }: Stages): Reason | null {
  return robots?.refuses(url) ?? refuses(url);
}

/** The links of a page, or none if the page asks not to follow them. */
export function followedLinks(
  page: ParsedPage,
  { nofollow }: PageDirectives,
  task: ClaimedUrl,
  { links, options }: Stages,
  focus: PageFocus | null,
): JudgedLinks {
  return nofollow && !options.ignoreNofollow ? NO_LINKS : links.linksOf(page, task.url, task.depth, focus, task.hops);
}

/** For a host without robots.txt. */
export const NO_SITEMAPS: readonly string[] = [];

const NO_LINKS = { knownLinks: [], foundLinks: [], foundAttributes: [], knownPromises: [] };

/** A 2xx response that is complete, or whose flaw leaves something worth keeping. */
export function hasPage({ status, reason }: FetchOutcome): boolean {
  return status >= 200 && status < 300 && (reason === null || KEPT_BLEMISHES.has(reason));
}

const KEPT_BLEMISHES: ReadonlySet<Reason> = new Set<Reason>(['body-too-large', 'bad-encoding', 'partial-content']);

function redirected(outcome: FetchOutcome, task: ClaimedUrl, stages: Stages): Partial<UrlResult> {
  const redirectTo = stages.links.redirectOf(outcome.redirectTo!, task);
  if (redirectTo === null) {
    return { state: 'failed', reason: 'bad-redirect', capture: toCapture(outcome, archive(outcome, stages)) };
  }
  return movedTo(redirectTo, outcome, task, stages);
}

/** Archives and follows a redirect to a new target. */
export function movedTo(
  redirectTo: FoundUrl,
  outcome: FetchOutcome,
  task: ClaimedUrl,
  stages: Stages,
): Partial<UrlResult> {
  const capture = toCapture(outcome, archive(outcome, stages));
  const moved = stages.links.followSeed(task.url, outcome.redirectTo!);
  if (moved !== null) {
    stages.seedMoved(moved);
    // A URL that was outside the scope may be inside now.
    redirectTo = stages.links.redirectOf(outcome.redirectTo!, task) ?? redirectTo;
  }
  return { state: 'redirect', reason: redirectTo.skip, capture, redirectTo };
}

/** The retry table decides: try again later, set aside for a day (C4), or remember the failure for good (P7). */
export function failed(
  outcome: FetchOutcome,
  task: ClaimedUrl,
  stages: Pick<Stages, 'nowMs' | 'archive'>,
): Partial<UrlResult> {
  const reason = outcome.reason ?? 'bad-response';
  const failures = task.failures + 1;
  const capture = outcome.status === 0 ? null : toCapture(outcome, archive(outcome, stages));
  const next = nextTry(reason, failures, outcome.retryAfterMs, stages.nowMs());
  if (next.kind === 'give-up') return { state: 'failed', reason, failures, capture };
  return { reason, failures, capture, dueAtMs: next.kind === 'retry' ? next.atMs : next.untilMs };
}

function readPage(outcome: FetchOutcome, url: string, stages: Stages): ParsedPage {
  return parsePage(outcome.decoded, outcome.header('content-type'), url, stages.parsing, outcome.rawHeaders);
}

/** How the pages of a crawl are parsed. */
export function parsingOf(
  options: CrawlOptions,
  { links, topic, words }: Pick<Stages, 'links' | 'topic' | 'words'>,
): ParseOptions {
  const forTopic = topic !== null;
  return {
    ...linksParsed(options),
    wantText: false,
    wantAnchors: forTopic || links.readsLabels,
    wantAround: forTopic,
    words,
  };
}

interface PageContent {
  readonly facts: Pick<PageRecord, 'sketch' | 'wordCounts' | 'newWords' | 'regions'>;
  /** '' unless the crawl has a topic. */
  readonly ownText: string;
}

/** Learns the template of the host from the page that was parsed last, and describes its own content (E5). */
function readContent(
  { kind, charset }: ParsedPage,
  url: string,
  template: Template,
  { options, words }: Stages,
): PageContent {
  const isConverted = charset !== 'utf-8';
  if (words.count === 0) {
    if (kind !== 'html') return { facts: {}, ownText: '' };
    return { facts: { newWords: 0, ...regionsOf(words, NO_MARKS, isConverted) }, ownText: '' };
  }
  const { marks, newWords } = template.learn(url, words);
  const ownText = words instanceof BlockCollector ? words.unmarked(marks) : '';
  const sketch = options.nearDuplicate === 0 ? {} : sketchOwnText(words, marks);
  const regions = regionsOf(words, marks, isConverted);
  return { facts: { newWords, wordCounts: words.counts.slice(), ...sketch, ...regions }, ownText };
}

function regionsOf(words: WordCollector, marks: Uint8Array, isConverted: boolean): Pick<PageRecord, 'regions'> {
  const regions = words.regionsOf(marks, isConverted);
  return regions === null ? {} : { regions };
}

const NO_MARKS = new Uint8Array(0);

/** Archives the visit to an unchanged page, if the crawl asks for it, as a proof that it was unchanged at this time. */
export async function archiveUnchanged(outcome: FetchOutcome, stages: Stages): Promise<Pick<UrlResult, 'capture'>> {
  if (stages.confirm === null) return NO_CAPTURE;
  const confirmed = await stages.confirm(outcome.url);
  const location = inStage('archive', outcome.url, () => archive(outcome, stages, confirmed));
  return { capture: toCapture(outcome, location) };
}

const NO_CAPTURE = { capture: null };

function archive(
  outcome: FetchOutcome,
  stages: Pick<Stages, 'archive'>,
  confirmed: ConfirmedCapture | null = null,
): RecordLocation {
  const exchange = {
    url: outcome.url,
    fetchedAtMs: outcome.startedAtMs,
    ip: outcome.ip,
    protocol: outcome.protocol,
    requestHead: outcome.requestHead,
    status: outcome.status,
    statusText: outcome.statusText,
    rawHeaders: outcome.rawHeaders,
    body: outcome.body,
    truncated: outcome.truncated,
    contentType: mediaType(outcome),
    flaws: outcome.flaws,
  };
  return stages.archive.append(exchange, confirmed);
}

function toCapture(outcome: FetchOutcome, location: RecordLocation): CaptureRecord {
  return {
    fetchedAtMs: outcome.startedAtMs,
    status: outcome.status,
    // The record of an unchanged page has no content of its own.
    contentType: outcome.status === 304 && location.revisit ? '' : mediaType(outcome),
    payloadDigest: location.payloadDigest,
    file: location.file,
    offset: location.offset,
    length: location.length,
    revisit: location.revisit,
  };
}

const MAX_MEDIA_TYPE_CHARS = 100;

export function mediaType(outcome: FetchOutcome): string {
  const [type = ''] = outcome.header('content-type').split(';', 1);
  return type.trim().toLowerCase().slice(0, MAX_MEDIA_TYPE_CHARS);
}
