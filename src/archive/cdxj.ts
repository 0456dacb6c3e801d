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
 * One line of a CDXJ index, without its line end: key, time, and a JSON object whose values are all strings. An index is
 * such lines in byte order; readers search it by halving.
 */
export function cdxjLine(capture: IndexedCapture): string {
  const { url, fetchedAtMs, mime, status, payloadDigest, file, offset, length, revisit } = capture;
  const fields: Record<string, string> = { url, mime: revisit ? 'warc/revisit' : mime === '' ? 'unk' : mime };
  // pywb takes the status of a revisit from the record itself and leaves it out here.
  if (!revisit) fields.status = String(status);
  fields.digest = payloadDigest.startsWith(DIGEST_PREFIX) ? payloadDigest.slice(DIGEST_PREFIX.length) : payloadDigest;
  fields.length = String(length);
  fields.offset = String(offset);
  fields.filename = file;
  // Only text that is no web URL can have white space in its key.
  const key = surt(url).replace(/\s/g, encodeURIComponent);
  return `${key} ${timestamp14(fetchedAtMs)} ${safeJson(fields)}`;
}
