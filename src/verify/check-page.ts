/**
 * The page of the store, held against the body that the archive has. It is unpacked for that, which costs more than all
 * other checks.
 */
import { hash } from 'node:crypto';
import { parseHttpMessage, type WarcRecord } from '../archive/warc-parse.ts';
import { decodeBody } from '../fetch/decode-body.ts';
import { headerValue } from '../fetch/outcome.ts';
import type { CaptureFacts } from '../store/contract.ts';
import { differs } from './check-record.ts';

/**
 * A page whose body is larger than this is not unpacked to compare its digest: its stored bytes were checked all the
 * same.
 */
const MOST_DECODED_BYTES = 512 * 1024 * 1024;

/**
 * What differs between the page of the store and the body in the archive. Null where the body was cut, or its coding is
 * damaged:
 * then how much of it was read depends on the options of that run.
 */
export async function pageProblem(record: WarcRecord, { page }: CaptureFacts): Promise<string | null> {
  if (page === null || record.type !== 'response' || record.headers.has('warc-truncated')) return null;
  const message = parseHttpMessage(record.block);
  if (message === null) return null;
  const coding = headerValue(message.rawHeaders, 'content-encoding');
  const { decoded, fault } = await decodeBody([message.payload], coding, MOST_DECODED_BYTES, true);
  if (fault !== null) return null;
  return (
    differs('the size of the page', String(page.bytes), String(decoded.length)) ??
    differs('the digest of the page', page.digest, `sha256:${hash('sha256', decoded, 'hex')}`)
  );
}
