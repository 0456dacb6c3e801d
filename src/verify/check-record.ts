/**
 * Checks one record by itself and against the store. In: a record whose gzip member is sound. Out: the
 * problem as a sentence, or null.
 */
import { hash } from 'node:crypto';
import { DIGEST_PREFIX } from '../archive/sha1-base32.ts';
import { exactUrl } from '../archive/target-uri.ts';
import { digestProblem, messageOf, parseHttpMessage, type WarcRecord } from '../archive/warc-parse.ts';
import { decodeBody } from '../fetch/body/decode-body.ts';
import { headerValue } from '../fetch/outcome.ts';
import type { CaptureFacts } from '../store/contract.ts';

const TYPES: ReadonlySet<string> = new Set(['warcinfo', 'response', 'revisit', 'request', 'metadata']);
const PLAIN = /^[\x20-\x7e]*$/;
/** The crawl cuts the media type at this length (crawl/unit/pipeline.ts). */
const MAX_MEDIA_TYPE_CHARS = 100;
/** Checks the record by itself. */
export function ownProblem(record: WarcRecord): string | null {
  const { headers, type } = record;
  if (!TYPES.has(type)) return `orbweaver does not write records of type "${type}"`;
  if (!headers.get('warc-block-digest')?.startsWith(DIGEST_PREFIX)) return 'the record has no block digest';
  const isAnswer = type === 'response' || type === 'revisit';
  if (isAnswer && !headers.has('warc-payload-digest')) return 'the record has no payload digest';
  if (Number.isNaN(Date.parse(headers.get('warc-date') ?? ''))) return 'the record has no date';
  return digestProblem(record);
}

/** The id of the record without its angle brackets. */
export function recordIdOf({ headers }: WarcRecord): string {
  return (headers.get('warc-record-id') ?? '').replace(/^<|>$/g, '');
}

/** Compares the record with the store's capture at its offset. */
export function captureProblem(record: WarcRecord, { url, capture }: CaptureFacts): string | null {
  const { headers, type } = record;
  if (type !== 'response' && type !== 'revisit')
    return `the database has a response here, but the record is of type ${type}`;
  const message = messageOf(record);
  if (message === null) return 'the record holds no HTTP message';
  const [, status = ''] = message.startLine.split(' ');
  const differing = [
    differs('the URL', url, exactUrl(headers)),
    differs('the kind of record', capture.revisit ? 'revisit' : 'response', type),
    differs('the payload', capture.payloadDigest, headers.get('warc-payload-digest') ?? ''),
    differs('the status', String(capture.status), status),
    differs('the length', String(capture.length), String(record.length)),
    timeProblem(capture.fetchedAtMs, headers.get('warc-date') ?? ''),
    typeProblem(capture.contentType, headerValue(message.rawHeaders, 'content-type')),
  ];
  return differing.find((problem) => problem !== null) ?? null;
}

/**
 * The store keeps the responses of a URL in the order of their commits. If the clock was set back before a fetch, the
 * time in the store is later than the time in the record. It is never earlier.
 */
function timeProblem(storedMs: number, date: string): string | null {
  const writtenMs = Date.parse(date);
  return Math.ceil(storedMs) >= writtenMs ? null : differs('the time', new Date(storedMs).toISOString(), date);
}

/** Characters that are not allowed in a header line are replaced when it is written (archive/exchange-records.ts). */
function typeProblem(stored: string, header: string): string | null {
  if (!PLAIN.test(stored) || !PLAIN.test(header)) return null;
  const [type = ''] = header.split(';', 1);
  return differs('the content type', stored, type.trim().toLowerCase().slice(0, MAX_MEDIA_TYPE_CHARS));
}

export function differs(what: string, stored: string, written: string): string | null {
  return stored === written ? null : `${what} is "${stored}" in the database, but "${written}" in the archive`;
}

/** A larger body is not decoded to compare its digest. Its stored bytes are checked anyway. */
const MAX_DECODED_BYTES = 512 * 1024 * 1024;

/**
 * Compares the page in the store with the body in the archive. The body must be decoded for this, which costs more than
 * all other checks. Returns null if the body was cut or its content coding is damaged: how much of it was read then
 * depends on the options of that run.
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
