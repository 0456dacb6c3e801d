/**
 * Reads one stored content of a page. In: the record of a capture with content. Out: its facts and, for a document with
 * text, the text (page/readable-version.ts).
 */
import { hash } from 'node:crypto';
import { readForLooks } from '../change/image/compare-pictures.ts';
import type { Picture } from '../change/image/picture.ts';
import type { BodySizes } from '../crawl/place/body-limits.ts';
import type { Where } from '../crawl/place/crawl-place.ts';
import { type PageCopy, type PlaceStore, readRecord } from '../crawl/place/read-archived.ts';
import { headerValue } from '../fetch/outcome.ts';
import { readableVersion, type VersionText } from '../page/readable-version.ts';
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

/** A page of a copy, and how to read its captures. */
export interface PageToRead {
  readonly store: PlaceStore;
  readonly where: Where;
  readonly url: string;
  readonly sizes: BodySizes;
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
  { store, where, url, sizes }: PageToRead,
  record: CaptureRecord,
  wanted: VersionText,
): Promise<Version> {
  return toVersion(await readRecord(where, url, record, sizes, store), wanted);
}

async function toVersion({ record, capture, body }: PageCopy, wanted: VersionText): Promise<Version> {
  const contentType = headerValue(capture.rawHeaders, 'content-type');
  return {
    fetchedAtMs: record.fetchedAtMs,
    status: record.status,
    contentType: record.contentType,
    bytes: body.length,
    digest: `sha256:${hash('sha256', body, 'hex')}`,
    ...readableVersion(body, contentType, capture.url, wanted),
    picture: isImage(record) ? await readForLooks(body) : null,
  };
}
