/**
 * Compares the page in the store with the body in the archive. The body must be decoded for this, which
 * costs more than all other checks.
 */
import { hash } from 'node:crypto';
import { parseHttpMessage, type WarcRecord } from '../archive/warc-parse.ts';
import { decodeBody } from '../fetch/body/decode-body.ts';
import { headerValue } from '../fetch/outcome.ts';
import type { CaptureFacts } from '../store/contract.ts';
import { differs } from './check-record.ts';

/** A larger body is not decoded to compare its digest. Its stored bytes are checked anyway. */
const MAX_DECODED_BYTES = 512 * 1024 * 1024;

/**
 * Returns the difference between the page in the store and the body in the archive. Returns null if the body was cut or
 * its content coding is damaged: how much of it was read then depends on the options of that run.
 */
export async function pageProblem(record: WarcRecord, { page }: CaptureFacts): Promise<string | null> {
  if (page === null || record.type !== 'response' || record.headers.has('warc-truncated')) return null;
  const message = parseHttpMessage(record.block);
  if (message === null) return null;
  const coding = headerValue(message.rawHeaders, 'content-encoding');
  const { decoded, fault } = await decodeBody([message.payload], coding, MAX_DECODED_BYTES, true);
  if (fault !== null) return null;
  return (
    differs('the size of the page', String(page.bytes), String(decoded.length)) ??
    differs('the digest of the page', page.digest, `sha256:${hash('sha256', decoded, 'hex')}`)
  );
}
