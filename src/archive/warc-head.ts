import { DIGEST_PREFIX } from './sha1-base32.ts';
import { EXACT_URI } from './target-uri.ts';

/**
 * Builds the texts of WARC 1.1 records: heads without their end (RecordBatch adds the block digest and the blank line),
 * and the blocks that we write ourselves.
 *
 * What always holds: a value is one line of UTF-8, represented with one character per byte.
 */
export const TRUNCATED_REASONS = ['length', 'time', 'disconnect', 'unspecified'] as const;
export type TruncatedReason = (typeof TRUNCATED_REASONS)[number];

const VERSION = 'WARC/1.1\r\n';
const CONFORMS_TO = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';
/** Why a revisit record has no payload (WARC 1.1 §6.7): the payload was the same, or the server answered 304. */
const REVISIT_PROFILES = {
  'same-payload': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
  'not-modified': 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
} as const;
const FIELDS_TYPE = 'application/warc-fields';

/** The values that all records of one exchange share. */
export interface RecordFrame {
  readonly date: string;
  readonly targetUri: string;
  /** The URL itself, if the target URI is an escaped form of it; otherwise null. */
  readonly exactUri: string | null;
  readonly ip: string | null;
  readonly protocol: 'http/1.1' | 'h2';
  /** The rules of HTTP that the response broke (core/http-flaws.ts). Empty for nearly all responses. */
  readonly flaws: readonly string[];
}

export interface RefersTo {
  readonly kind: keyof typeof REVISIT_PROFILES;
  /** Null if the file with the record cannot be read here. */
  readonly recordId: string | null;
  readonly targetUri: string;
  readonly date: string;
  readonly file: string;
  readonly offset: number;
}

export function responseHead(
  id: string,
  frame: RecordFrame,
  payloadDigest: string,
  truncated: TruncatedReason | null,
  blockBytes: number,
): string {
  return (
    `${VERSION}WARC-Type: response\r\n${common(id, frame)}WARC-Payload-Digest: ${DIGEST_PREFIX}${payloadDigest}\r\n` +
    `${truncated === null ? '' : `WARC-Truncated: ${truncated}\r\n`}${flaws(frame)}${content('response', blockBytes)}`
  );
}

/**
 * File name and offset are extensions that archive tools know. With them, the
 * first capture can be read without an index.
 */
export function revisitHead(
  id: string,
  frame: RecordFrame,
  payloadDigest: string,
  first: RefersTo,
  blockBytes: number,
): string {
  return (
    `${VERSION}WARC-Type: revisit\r\n${common(id, frame)}WARC-Payload-Digest: ${DIGEST_PREFIX}${payloadDigest}\r\n` +
    `WARC-Profile: ${REVISIT_PROFILES[first.kind]}\r\n` +
    `${first.recordId === null ? '' : `WARC-Refers-To: <${first.recordId}>\r\n`}` +
    `WARC-Refers-To-Target-URI: ${first.targetUri}\r\nWARC-Refers-To-Date: ${first.date}\r\n` +
    `WARC-Refers-To-Filename: ${first.file}\r\nWARC-Refers-To-File-Offset: ${first.offset}\r\n` +
    `${flaws(frame)}${content('response', blockBytes)}`
  );
}

export function requestHead(id: string, frame: RecordFrame, concurrentTo: string, blockBytes: number): string {
  return (
    `${VERSION}WARC-Type: request\r\n${common(id, frame)}WARC-Concurrent-To: <${concurrentTo}>\r\n` +
    content('request', blockBytes)
  );
}

export function metadataHead(id: string, frame: RecordFrame, concurrentTo: string, blockBytes: number): string {
  return (
    `${VERSION}WARC-Type: metadata\r\nWARC-Record-ID: <${id}>\r\nWARC-Date: ${frame.date}\r\n` +
    `WARC-Target-URI: ${frame.targetUri}\r\nWARC-Concurrent-To: <${concurrentTo}>\r\n` +
    `Content-Type: ${FIELDS_TYPE}\r\nContent-Length: ${blockBytes}\r\n`
  );
}

export function warcinfoHead(id: string, date: string, file: string, blockBytes: number): string {
  return (
    `${VERSION}WARC-Type: warcinfo\r\nWARC-Record-ID: <${id}>\r\nWARC-Date: ${date}\r\nWARC-Filename: ${file}\r\n` +
    `Content-Type: ${FIELDS_TYPE}\r\nContent-Length: ${blockBytes}\r\n`
  );
}

export function warcinfoBlock(
  software: string,
  userAgent: string,
  about: Readonly<Record<string, string>> = {},
): string {
  const fields = {
    software,
    format: 'WARC File Format 1.1',
    conformsTo: CONFORMS_TO,
    robots: 'obey',
    'http-header-user-agent': userAgent,
    ...about,
  };
  return fieldsBlock(Object.entries(fields));
}

/** A block of application/warc-fields, with one `name: value` per line. Names may be repeated. */
export function fieldsBlock(fields: Iterable<readonly [string, string]>): string {
  let block = '';
  for (const [name, value] of fields) {
    block += `${name.replace(/[^A-Za-z0-9_.-]/g, '_')}: ${warcText(value)}\r\n`;
  }
  return block;
}

/** A value of a WARC header or field: UTF-8 (WARC 1.1 §4), one character per byte, on one line. */
export function warcText(value: string): string {
  if (!/[^\x20-\x7e]/.test(value)) return value;
  return Buffer.from(value.replace(/[\x00-\x1f\x7f]+/g, ' '), 'utf8').toString('latin1');
}

function common(id: string, frame: RecordFrame): string {
  return (
    `WARC-Record-ID: <${id}>\r\nWARC-Date: ${frame.date}\r\nWARC-Target-URI: ${frame.targetUri}\r\n` +
    `${frame.exactUri === null ? '' : `${EXACT_URI}: ${frame.exactUri}\r\n`}` +
    `${frame.ip === null ? '' : `WARC-IP-Address: ${frame.ip}\r\n`}` +
    `${frame.protocol === 'h2' ? 'WARC-Protocol: h2\r\n' : ''}`
  );
}

/** An extension of ours, which other tools skip. */
function flaws({ flaws: names }: RecordFrame): string {
  return names.length === 0 ? '' : `X-HTTP-Flaws: ${names.join(', ')}\r\n`;
}

function content(message: 'request' | 'response', blockBytes: number): string {
  return `Content-Type: application/http; msgtype=${message}\r\nContent-Length: ${blockBytes}\r\n`;
}
