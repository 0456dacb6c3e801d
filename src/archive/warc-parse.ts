import { DIGEST_PREFIX, sha1Base32 } from './sha1-base32.ts';

/** One record as read: the place of its member, its headers with lower-case names, its block. */
export interface WarcRecord {
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly block: Buffer;
}

export interface HttpMessage {
  readonly startLine: string;
  /** Name, value, name, value … */
  readonly rawHeaders: readonly string[];
  readonly payload: Buffer;
}

const BLANK_LINE = Buffer.from('\r\n\r\n', 'latin1');
const MAX_HEAD_BYTES = 4 * 1024 * 1024;

/** Parses the plain bytes of a member. Null if they are not a record: no version line, no length or a wrong length. */
export function parseWarcRecord(plain: Buffer, offset: number, length: number): WarcRecord | null {
  const headEnd = plain.subarray(0, MAX_HEAD_BYTES).indexOf(BLANK_LINE);
  if (headEnd < 0) return null;
  const [version, ...lines] = plain.toString('utf8', 0, headEnd).split('\r\n');
  if (version !== 'WARC/1.1' && version !== 'WARC/1.0') return null;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const block = plain.subarray(headEnd + 4, Math.max(headEnd + 4, plain.length - 4));
  if (headers.get('content-length') !== String(block.length)) return null;
  if (!plain.subarray(headEnd + 4 + block.length).equals(BLANK_LINE)) return null;
  return { offset, length, type: headers.get('warc-type') ?? '', headers, block };
}

/**
 * The HTTP message of a record; null if there is none. A revisit record without a block stands for a 304: its head is
 * in the metadata record of the exchange.
 */
export function messageOf({ type, block }: Pick<WarcRecord, 'type' | 'block'>): HttpMessage | null {
  return type === 'revisit' && block.length === 0 ? NOT_MODIFIED : parseHttpMessage(block);
}

const NOT_MODIFIED: HttpMessage = { startLine: 'HTTP/1.1 304 Not Modified', rawHeaders: [], payload: Buffer.alloc(0) };

/** Parses the HTTP message in the block of a response, revisit or request. */
export function parseHttpMessage(block: Buffer): HttpMessage | null {
  const headEnd = block.subarray(0, MAX_HEAD_BYTES).indexOf(BLANK_LINE);
  if (headEnd < 0) return null;
  const [startLine = '', ...lines] = block.toString('latin1', 0, headEnd).split('\r\n');
  if (startLine === '') return null;
  const rawHeaders: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) rawHeaders.push(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return { startLine, rawHeaders, payload: block.subarray(headEnd + 4) };
}

/**
 * The mismatch between the record and its own digests, or null if there is none.
 * Digests of other kinds than ours are ignored.
 */
export function digestProblem(record: WarcRecord): string | null {
  const { headers, block, type } = record;
  if (!matches(headers.get('warc-block-digest'), block)) return 'the block does not match its digest';
  const payloadDigest = headers.get('warc-payload-digest');
  // The payload of a revisit is in another record.
  if (payloadDigest === undefined || type === 'revisit') return null;
  const message = parseHttpMessage(block);
  if (message === null) return 'the record contains no HTTP message';
  return matches(payloadDigest, message.payload) ? null : 'the payload does not match its digest';
}

function matches(digest: string | undefined, bytes: Buffer): boolean {
  return !digest?.startsWith(DIGEST_PREFIX) || digest === DIGEST_PREFIX + sha1Base32([bytes]);
}
