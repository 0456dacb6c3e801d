/**
 * One stored content of a page. In: the record of a capture that is one. Out: its facts, and its text where it is a document
 * with text: what a reader sees of HTML, a line for each block, or the source of any text.
 */
import { hash } from 'node:crypto';
import { readForLooks } from '../change/image/compare-pictures.ts';
import type { Picture } from '../change/image/picture.ts';
import { headerValue } from '../fetch/outcome.ts';
import { decodeBody } from '../page/charset.ts';
import { decideReadAs, essenceOf } from '../page/content-kind.ts';
import { parsePage } from '../page/page.ts';
import { isText } from '../page/text-type.ts';
import type { CaptureRecord } from '../store/contract.ts';
import type { Where } from './crawl-place.ts';
import { type PageCopy, type PlaceStore, readRecord } from './read-copy.ts';

export interface VersionFacts {
  readonly fetchedAtMs: number;
  readonly status: number;
  /** The media type, without parameters; '' where the server named none. */
  readonly contentType: string;
  /** Of the decoded body. */
  readonly bytes: number;
  /** `sha256:` and the hexadecimal digits of the decoded body's hash. */
  readonly digest: string;
  readonly title: string;
}

export const VERSION_TEXTS = ['text', 'source'] as const;
/** The readable text of a page, or its markup. */
export type VersionText = (typeof VERSION_TEXTS)[number];

export interface Version extends VersionFacts {
  /** As asked for; null for what is no text, such as an image. */
  readonly text: string | null;
  /** Of an image, where its format is known: what it looks like. */
  readonly picture: Picture | null;
}

export function isImage({ contentType }: Pick<VersionFacts, 'contentType'>): boolean {
  return contentType.startsWith('image/');
}

/** A content, unlike an error, a redirect or "as before". */
export function isContent({ status }: CaptureRecord): boolean {
  return status >= 200 && status <= 299;
}

export async function readVersion(
  where: Where,
  url: string,
  record: CaptureRecord,
  maxBody: number,
  wanted: VersionText,
  store: PlaceStore | null = null,
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
  // Each block is a line, the last one too: else a block added after it would change it.
  if (isPage && wanted === 'text') text = page.text === '' ? '' : `${page.text}\n`;
  else if (isPage || isText(essenceOf(contentType), body)) text = sourceOf(body, contentType, capture.url);
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

function sourceOf(body: Buffer, contentType: string, url: string): string {
  const readAs = decideReadAs(body, contentType, url);
  return decodeBody(body, contentType, readAs === 'html' || readAs === 'xml' ? readAs : 'text').text;
}
