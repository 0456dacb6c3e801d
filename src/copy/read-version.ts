/**
 * Reads one stored content of a page. In: the record of a capture with content. Out: its facts and, for a document with
 * text, the text: for HTML either the visible text, one line for each block, or the source; for other texts the source.
 */
import { hash } from 'node:crypto';
import { readForLooks } from '../change/image/compare-pictures.ts';
import type { Picture } from '../change/image/picture.ts';
import type { Where } from '../crawl/place/crawl-place.ts';
import { type PageCopy, type PlaceStore, readRecord } from '../crawl/place/read-archived.ts';
import { headerValue } from '../fetch/outcome.ts';
import { decideReadAs, essenceOf, isText } from '../page/content-kind.ts';
import { decodeBody } from '../page/encoding/charset.ts';
import { parsePage } from '../page/page.ts';
import type { CaptureRecord } from '../store/contract.ts';

export interface VersionFacts {
  readonly fetchedAtMs: number;
  readonly status: number;
  /** The media type without parameters; '' if the server sent none. */
  readonly contentType: string;
  /** Bytes of the decoded body. */
  readonly bytes: number;
  /** `sha256:` and the hexadecimal digits of the decoded body's hash. */
  readonly digest: string;
  readonly title: string;
}

export const VERSION_TEXTS = ['text', 'source'] as const;
/** The readable text of a page, or its markup. */
export type VersionText = (typeof VERSION_TEXTS)[number];

/** A page of a copy, and how to read its captures. */
export interface PageToRead {
  readonly store: PlaceStore;
  readonly where: Where;
  readonly url: string;
  readonly maxBody: number;
}

export interface Version extends VersionFacts {
  /** The requested text; null for content without text, such as an image. */
  readonly text: string | null;
  /** Only for an image of a known format: what it looks like. */
  readonly picture: Picture | null;
}

export function isImage({ contentType }: Pick<VersionFacts, 'contentType'>): boolean {
  return contentType.startsWith('image/');
}

export async function readVersion(
  { store, where, url, maxBody }: PageToRead,
  record: CaptureRecord,
  wanted: VersionText,
): Promise<Version> {
  return toVersion(await readRecord(where, url, record, maxBody, store), wanted);
}

async function toVersion({ record, capture, body }: PageCopy, wanted: VersionText): Promise<Version> {
  const contentType = headerValue(capture.rawHeaders, 'content-type');
  const page = parsePage(body, contentType, capture.url, {
    wantText: wanted === 'text',
    wantAnchors: false,
    maxLinks: 0,
  });
  const isPage = page.kind === 'html';
  let text: string | null = null;
  // Every block ends its line, including the last one. Otherwise a block added after the last one would change it.
  if (isPage && wanted === 'text') text = page.text === '' ? '' : `${page.text}\n`;
  else if (isPage || isText(essenceOf(contentType), body)) text = sourceText(body, contentType, capture.url);
  return {
    fetchedAtMs: record.fetchedAtMs,
    status: record.status,
    contentType: record.contentType,
    bytes: body.length,
    digest: `sha256:${hash('sha256', body, 'hex')}`,
    title: page.title,
    text,
    picture: isImage(record) ? await readForLooks(body) : null,
  };
}

/** The body as text, in the declared or detected charset. */
export function sourceText(body: Buffer, contentType: string, url: string): string {
  const readAs = decideReadAs(body, contentType, url);
  return decodeBody(body, contentType, readAs === 'html' || readAs === 'xml' ? readAs : 'text').text;
}
