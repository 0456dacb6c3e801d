/**
 * The URLs and pages of a copy as a program sees them. The facts of a page are available at once; its bytes are read
 * from the archive on demand. Bytes are not cached, so a million pages cost only the memory of their facts. A page
 * needs no open store: it can be read as long as its folder exists.
 */
import type { Reason } from '../core/reasons.ts';
import { type PageCopy, readRecord } from '../crawl/place/read-archived.ts';
import { headerValue } from '../fetch/outcome.ts';
import { sourceText } from '../page/readable-version.ts';
import type { CanonicalVerdict, CaptureRecord, UrlRecord, UrlState } from '../store/contract.ts';
import type { CopyPlace } from './copy-place.ts';
import { contentOf, type PageContent } from './page-content.ts';

/** A URL that the crawl knows, in any state. */
export interface KnownUrl {
  readonly url: string;
  readonly state: UrlState;
  /** Why the URL has no page, or the defect of its page. */
  readonly reason: Reason | null;
  /** The status of the last response, or null. */
  readonly status: number | null;
  readonly fetchedAt: Date | null;
  /** Number of links away from the seeds. */
  readonly depth: number;
  /** The page on which the URL was first found. */
  readonly via: string | null;
  readonly redirectTo: string | null;
  /** Number of consecutive failures. */
  readonly failures: number;
}

/** The response of a server, as stored in the archive. */
export interface PageResponse {
  readonly url: string;
  readonly fetchedAt: Date;
  readonly status: number;
  readonly statusText: string;
  /** The headers as sent, in order, including repeated headers. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body without its content coding (gzip, br …). */
  readonly body: Buffer;
  /** Why the crawl stopped reading the body before its end, or null. */
  readonly truncated: string | null;
  /** The reason why the body could not be decoded completely. */
  readonly fault: PageCopy['fault'];
  /** The content that a reader sees, as of `page.content()`. */
  content(): Promise<PageContent>;
}

export class Page {
  readonly url: string;
  readonly status: number;
  /** The media type without parameters. */
  readonly contentType: string;
  readonly title: string;
  /** The language that the page declares, such as `en` or `de-AT`. Empty if it declares none. */
  readonly language: string;
  /** Number of links away from the seeds. */
  readonly depth: number;
  readonly fetchedAt: Date;
  /** Bytes of the decoded body. */
  readonly bytes: number;
  /** `sha256:` and the hexadecimal hash of the decoded body. */
  readonly digest: string;
  /** Number of different URLs of the crawl that the page links to. */
  readonly outlinks: number;
  /** The page on which the URL was first found. */
  readonly via: string | null;
  readonly canonical: string | null;
  /** Whether its canonical link is believed, or why not; null if it names no other URL. */
  readonly canonicalVerdict: CanonicalVerdict | null;
  /** The page that this page duplicates, by its canonical link or by equal content. */
  readonly duplicateOf: string | null;
  /** A page with nearly the same text, and the similarity of the two pages, at most 1. */
  readonly nearDuplicateOf: string | null;
  readonly similarity: number | null;
  /** The relevance to the topic of the crawl, from 0 to 1. Null without a topic. */
  readonly relevance: number | null;
  /** A remark about the page, such as `noindex` or `body-too-large`. */
  readonly reason: Reason | null;
  readonly #capture: CaptureRecord;
  readonly #place: CopyPlace;

  constructor(record: UrlRecord, capture: CaptureRecord, place: CopyPlace) {
    this.url = record.url;
    this.status = capture.status;
    this.contentType = capture.contentType;
    this.title = record.title;
    this.language = record.language;
    this.depth = record.depth;
    this.fetchedAt = new Date(capture.fetchedAtMs);
    this.bytes = record.bytes;
    this.digest = record.digest;
    this.outlinks = record.outlinks;
    this.via = record.via;
    this.canonical = record.canonical;
    this.canonicalVerdict = record.canonicalVerdict;
    this.duplicateOf = record.duplicateOf;
    this.nearDuplicateOf = record.nearDuplicateOf;
    this.similarity = record.similarity;
    this.relevance = record.relevance;
    this.reason = record.reason;
    this.#capture = capture;
    this.#place = place;
  }

  /** The archived status, headers and body. */
  async response(): Promise<PageResponse> {
    return toResponse(await this.#read(), this.#place);
  }

  /** The body without its content coding. */
  async body(): Promise<Buffer> {
    return (await this.#read()).body;
  }

  /** The body as text, in the declared or detected charset. For HTML this is the source. */
  async text(): Promise<string> {
    const { body, capture } = await this.#read();
    return sourceText(body, headerValue(capture.rawHeaders, 'content-type'), this.url);
  }

  /** The content that a reader sees: visible text, headings, links, main content, Markdown and structured data. */
  async content(): Promise<PageContent> {
    return contentOf(this.url, await this.#read(), this.#place);
  }

  #read(): Promise<PageCopy> {
    const { dir, options } = this.#place;
    this.#place.checkFolder(this.url);
    return readRecord(dir, this.url, this.#capture, options);
  }
}

export function toKnownUrl(record: UrlRecord): KnownUrl {
  const { url, state, reason, depth, via, redirectTo, failures, capture } = record;
  const status = capture?.status ?? null;
  const fetchedAt = capture === null ? null : new Date(capture.fetchedAtMs);
  return { url, state, reason, status, fetchedAt, depth, via, redirectTo, failures };
}

/** Returns the page of a record, or null if it has none. */
export function pageOf(record: UrlRecord, place: CopyPlace): Page | null {
  const { state, capture } = record;
  return capture !== null && (state === 'fetched' || state === 'duplicate') ? new Page(record, capture, place) : null;
}

export function toResponse(copy: PageCopy, place: CopyPlace): PageResponse {
  const { capture, body, fault } = copy;
  const { url, fetchedAtMs, status, statusText, rawHeaders, truncated } = capture;
  const headers = headerPairs(rawHeaders);
  const content = () => contentOf(url, copy, place);
  return { url, fetchedAt: new Date(fetchedAtMs), status, statusText, headers, body, truncated, fault, content };
}

/** Pairs the names and values of headers, which are stored one after the other. */
export function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  return pairs;
}
