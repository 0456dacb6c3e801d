/**
 * The copy read back. In: a URL in its normal form and a time. Out: the newest exchange with it that began no later, from the
 * archive, with its body decoded; null where there is none. Redirects and errors are exchanges too and come as they are:
 * nothing is followed.
 *
 * What always holds: the bytes are those that the store committed for this URL, or it is an ERR_ARCHIVE that names the
 * place; a body whose coding is damaged gives what could be decoded and says so.
 */
import { join } from 'node:path';
import { type Capture, readCapture } from '../archive/warc-reader.ts';
import { OrbweaverError } from '../core/errors.ts';
import { type DecodedBody, decodeBody } from '../fetch/decode-body.ts';
import { headerValue } from '../fetch/outcome.ts';
import type { CaptureRecord, Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { ARCHIVE_FOLDER, keptOptions } from './data-folder.ts';

/** As a time to read at: the newest there is. */
export const LATEST_MS = Number.MAX_SAFE_INTEGER;

export interface PageCopy {
  readonly record: CaptureRecord;
  /** The exchange as archived; its body has its content coding still on it. */
  readonly capture: Capture;
  /** The body as the server's coding meant it: of a charset we know nothing here. */
  readonly body: Buffer;
  /** What kept the body from being decoded whole. */
  readonly fault: DecodedBody['fault'];
}

export async function readCopy(
  store: Pick<Store, 'capturesOf' | 'note'>,
  dir: string,
  url: string,
  atMs: number,
): Promise<PageCopy | null> {
  const [record] = await store.capturesOf(hostOf(url), urlKeyHex(url), atMs, 1);
  if (record === undefined) return null;
  return readRecord(dir, url, record, (await keptOptions(store)).maxBody);
}

/** The exchange with a URL that a record of the store tells of. */
export async function readRecord(dir: string, url: string, record: CaptureRecord, maxBody: number): Promise<PageCopy> {
  const capture = await readCapture(join(dir, ARCHIVE_FOLDER), record);
  // The record is sound by its own digests; this holds it to be the one that was committed, not one put in its place.
  if (capture.url !== url || capture.payloadDigest !== record.payloadDigest) {
    throw new OrbweaverError('ERR_ARCHIVE', `${record.file} at ${record.offset} holds another capture than ${url}`);
  }
  const { decoded, fault } = await decodeBody(
    [capture.body],
    headerValue(capture.rawHeaders, 'content-encoding'),
    // What was stored under a larger --max-body than that of the last run is not cut to less than it is.
    Math.max(maxBody, capture.body.length),
    capture.truncated === null,
  );
  return { record, capture, body: decoded, fault };
}

/** When a URL was fetched, oldest first. */
export async function timesFetched(store: Pick<Store, 'capturesOf'>, url: string): Promise<number[]> {
  const captures = await store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, LATEST_MS);
  return captures.map(({ fetchedAtMs }) => fetchedAtMs).reverse();
}
