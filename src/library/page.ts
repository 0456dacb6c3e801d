/**
 * A page of the copy as a program sees it: its facts at once, its bytes from the archive when they are asked for. Nothing read
 * is kept, so a million pages cost what their facts cost. It needs no open store: it can be read for as long as its
 * folder is there.
 */
import { existsSync } from 'node:fs';
import { OrbweaverError } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { Reason } from '../core/reasons.ts';
import { type PageCopy, readRecord } from '../crawl/read-copy.ts';
import { headerValue } from '../fetch/outcome.ts';
import { decodeBody } from '../page/charset.ts';
import { decideReadAs } from '../page/content-kind.ts';
import type { CaptureRecord, UrlRecord } from '../store/contract.ts';
import { type PageContent, readContent } from './page-content.ts';

/** Where pages are read from, and by which rules. */
export interface CopyPlace {
  readonly dir: string;
  readonly isTemporary: boolean;
  readonly options: CrawlOptions;
}

/** An answer of a server, as it is in the archive. */
export interface PageResponse {
  readonly url: string;
  readonly fetchedAt: Date;
  readonly status: number;
  readonly statusText: string;
  /** As sent, in order, repeats included. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Without its content coding (gzip, br …). */
  readonly body: Buffer;
  /** Why we stopped reading it before its end; null where we did not. */
  readonly truncated: string | null;
  /** What kept the body from being decoded whole. */
  readonly fault: PageCopy['fault'];
}

export class Page {
  readonly url: string;
  readonly status: number;
  /** The media type, without parameters. */
  readonly contentType: string;
  readonly title: string;
  /** As the page says, such as `en` or `de-AT`; empty where it does not. */
  readonly language: string;
  /** Links away from the seeds. */
  readonly depth: number;
  readonly fetchedAt: Date;
  /** Of the decoded body. */
  readonly bytes: number;
  /** `sha256:` and the hexadecimal digits of the decoded body's hash. */
  readonly digest: string;
  /** How many different URLs of the crawl it links to. */
  readonly outlinks: number;
  /** The page it was first found on. */
  readonly via: string | null;
  readonly canonical: string | null;
  /** The page this one is a duplicate of, by its canonical link or by equal content. */
  readonly duplicateOf: string | null;
  /** A page that says nearly the same, and how similar it is, up to 1. */
  readonly nearDuplicateOf: string | null;
  readonly similarity: number | null;
  /** To the topic of the crawl, from 0 to 1; null without one. */
  readonly relevance: number | null;
  /** What is to be said of it, such as `noindex` or `body-too-large`. */
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
    this.duplicateOf = record.duplicateOf;
    this.nearDuplicateOf = record.nearDuplicateOf;
    this.similarity = record.similarity;
    this.relevance = record.relevance;
    this.reason = record.reason;
    this.#capture = capture;
    this.#place = place;
  }

  /** Status, headers and body as they came. */
  async response(): Promise<PageResponse> {
    return toResponse(await this.#read());
  }

  /** The bytes, without their content coding. */
  async body(): Promise<Buffer> {
    return (await this.#read()).body;
  }

  /** The body as text, by the charset that the page declares or that it is found to be in. Of HTML this is the source. */
  async text(): Promise<string> {
    const { body, capture } = await this.#read();
    const contentType = headerValue(capture.rawHeaders, 'content-type');
    const readAs = decideReadAs(body, contentType, this.url);
    return decodeBody(body, contentType, readAs === 'html' || readAs === 'xml' ? readAs : 'text').text;
  }

  /** What a reader sees: visible text, headings, links. */
  async content(): Promise<PageContent> {
    const { body, capture } = await this.#read();
    return readContent(body, headerValue(capture.rawHeaders, 'content-type'), this.url, this.#place.options);
  }

  #read(): Promise<PageCopy> {
    const { dir, isTemporary, options } = this.#place;
    if (isTemporary && !existsSync(dir)) {
      throw new OrbweaverError(
        'ERR_NOT_IN_COPY',
        `${this.url}: the copy of a crawl without a dir goes when its loop ends; name a dir to keep it`,
      );
    }
    return readRecord(dir, this.url, this.#capture, options.maxBody);
  }
}

/** The page of a record, or null where it has none. */
export function pageOf(record: UrlRecord, place: CopyPlace): Page | null {
  const { state, capture } = record;
  return capture !== null && (state === 'fetched' || state === 'duplicate') ? new Page(record, capture, place) : null;
}

export function toResponse({ capture, body, fault }: PageCopy): PageResponse {
  const { url, fetchedAtMs, status, statusText, rawHeaders, truncated } = capture;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  return { url, fetchedAt: new Date(fetchedAtMs), status, statusText, headers, body, truncated, fault };
}
