import { safeJson } from '../core/safe-text.ts';
import { timestamp14 } from './archive-file.ts';
import { DIGEST_PREFIX } from './sha1-base32.ts';
import { surt } from './surt.ts';

export interface IndexedCapture {
  readonly url: string;
  readonly fetchedAtMs: number;
  /** The media type, without parameters. */
  readonly mime: string;
  readonly status: number;
  readonly payloadDigest: string;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly revisit: boolean;
}

/**
 * One line of a CDXJ index, without its line end: key, time, and a JSON object whose values are all strings. An index
 * has its lines in byte order, so that readers can use a binary search.
 */
export function cdxjLine(capture: IndexedCapture): string {
  const { url, fetchedAtMs, mime, status, payloadDigest, file, offset, length, revisit } = capture;
  const fields: Record<string, string> = { url, mime: revisit ? 'warc/revisit' : mime === '' ? 'unk' : mime };
  // pywb reads the status of a revisit from the record and omits it here.
  if (!revisit) fields.status = String(status);
  fields.digest = payloadDigest.startsWith(DIGEST_PREFIX) ? payloadDigest.slice(DIGEST_PREFIX.length) : payloadDigest;
  fields.length = String(length);
  fields.offset = String(offset);
  fields.filename = file;
  // Only text that is not a web URL can have white space in its key.
  const key = surt(url).replace(/\s/g, encodeURIComponent);
  return `${key} ${timestamp14(fetchedAtMs)} ${safeJson(fields)}`;
}
