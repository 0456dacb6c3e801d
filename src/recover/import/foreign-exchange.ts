/**
 * Converts a response that another tool archived into our own form. In: a record. Out: the exchange, or the reason why
 * there is none. What always holds: the exchange has a URL in the normal form of the crawl, a date, a status and a
 * payload without transfer coding. The record is not trusted to follow the standard.
 */
import { hash } from 'node:crypto';
import type { HttpExchange } from '../../archive/exchange-records.ts';
import { sha1Base32 } from '../../archive/sha1-base32.ts';
import { exactUrl } from '../../archive/target-uri.ts';
import { TRUNCATED_REASONS } from '../../archive/warc-head.ts';
import { headerValue, headerValues } from '../../fetch/outcome.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import { isWholeSecondDate } from './known-answers.ts';
import { type ForeignRecord, headEnd } from './record-parser.ts';

/** The reasons to leave out a response. */
export const LEFT_OUT = ['no-http-url', 'no-http-message', 'too-large', 'payload-not-found'] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

export interface ForeignAnswer {
  readonly kind: 'answer' | 'revisit';
  readonly exchange: HttpExchange;
  /** True if the digest in the record does not match the payload. */
  readonly isDigestWrong: boolean;
  readonly isDateGuessed: boolean;
}

export interface ReadingRules {
  readonly normalizer: UrlNormalizer;
  readonly maxUrlLength: number;
  /** Used if the record has no readable date. */
  readonly fallbackMs: number;
  readonly nowMs: number;
}

/** No archive is older. An earlier date is a broken date. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
const DAY_MS = 86_400_000;
const STATUS_LINE = /^HTTP\/\d(?:\.\d)?[ \t]+(\d{3})(?:[ \t](.*))?$/;
const MAX_HEADERS = 1_000;

export function readAnswer(record: ForeignRecord, rules: ReadingRules): ForeignAnswer | LeftOut {
  const { headers, type } = record;
  const written = exactUrl(headers).replace(/^<|>$/g, '').trim();
  const url = written.length > 4 * rules.maxUrlLength ? null : rules.normalizer.normalize(written);
  if (url === null || !/^https?:/.test(url)) return 'no-http-url';
  const isRevisit = type === 'revisit';
  const message = type === 'resource' ? resourceOf(record) : (messageOf(record) ?? (isRevisit ? HEADLESS : null));
  if (message === null) return 'no-http-message';
  const writtenDate = headers.get('warc-date') ?? '';
  const { date, isGuessed } = dateOf(writtenDate, rules);
  const body = isRevisit ? EMPTY : withoutTransferCoding(message);
  const truncated = headers.get('warc-truncated')?.toLowerCase() ?? null;
  return {
    kind: isRevisit ? 'revisit' : 'answer',
    isDateGuessed: isGuessed,
    isDigestWrong: !isRevisit && isWrong(headers.get('warc-payload-digest'), [message.payload, body]),
    exchange: {
      url,
      fetchedAtMs: date,
      isWholeSecond: !isGuessed && isWholeSecondDate(writtenDate),
      ip: addressOf(headers.get('warc-ip-address')),
      protocol: /\bh2\b/.test(headers.get('warc-protocol') ?? '') ? 'h2' : 'http/1.1',
      requestHead: '',
      status: message.status,
      statusText: message.statusText,
      rawHeaders: message.rawHeaders,
      body: [body],
      truncated: truncated === null ? null : (TRUNCATED_REASONS.find((known) => known === truncated) ?? 'unspecified'),
      contentType: contentTypeOf(message.rawHeaders),
    },
  };
}

interface Message {
  readonly status: number;
  readonly statusText: string;
  readonly rawHeaders: readonly string[];
  readonly payload: Buffer;
}

const EMPTY = Buffer.alloc(0);
/** A revisit may have no HTTP head. The head of the first capture is used then. */
const HEADLESS: Message = { status: 0, statusText: '', rawHeaders: [], payload: EMPTY };

/** A resource record is only a payload. Its media type is in the record header. */
function resourceOf({ headers, block }: ForeignRecord): Message {
  const type = headers.get('content-type') ?? '';
  return { status: 200, statusText: 'OK', rawHeaders: type === '' ? [] : ['Content-Type', type], payload: block };
}

function messageOf({ block }: ForeignRecord): Message | null {
  const end = headEnd(block);
  // A revisit, or the response to a HEAD request, may end with the last header line.
  const head = block.toString('latin1', 0, end?.at ?? Math.min(block.length, 64 * 1024));
  const [first = '', ...lines] = head.split(/\r?\n/);
  const found = STATUS_LINE.exec(first);
  if (found === null) return null;
  return {
    status: Number(found[1]),
    statusText: found[2]?.trim() ?? '',
    rawHeaders: headersIn(lines),
    payload: end === null ? EMPTY : block.subarray(end.next),
  };
}

function headersIn(lines: readonly string[]): string[] {
  const raw: string[] = [];
  for (const line of lines) {
    // A folded line counts as one space (RFC 9112 §5.2).
    if (/^[ \t]/.test(line)) {
      if (raw.length > 0) raw[raw.length - 1] = `${raw.at(-1)} ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon > 0 && raw.length < 2 * MAX_HEADERS) raw.push(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return raw;
}

export function requestHeadOf({ block }: ForeignRecord): string {
  const end = headEnd(block);
  const head = block.toString('latin1', 0, end?.at ?? 0);
  return head === '' ? '' : `${head.replace(/\r?\n/g, '\r\n')}\r\n`;
}

/** Many tools leave the chunks in the record. Some tools remove the chunks but leave the header. */
function withoutTransferCoding({ rawHeaders, payload }: Message): Buffer {
  const isChunked = headerValues(rawHeaders, 'transfer-encoding').some((value) => /\bchunked\b/i.test(value));
  return isChunked ? (unchunked(payload) ?? payload) : payload;
}

/** Returns null if the bytes are not chunks. Truncated data are returned as far as they go. */
function unchunked(bytes: Buffer): Buffer | null {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\n', at);
    const line = lineEnd < 0 ? '' : bytes.toString('latin1', at, Math.min(lineEnd, at + 1_024)).trim();
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line)?.[1];
    if (size === undefined) return pieces.length === 0 ? null : Buffer.concat(pieces);
    const length = Number.parseInt(size, 16);
    if (length === 0) break;
    pieces.push(bytes.subarray(lineEnd + 1, lineEnd + 1 + length));
    at = lineEnd + 1 + length;
    while (at < bytes.length && (bytes[at] === 0x0d || bytes[at] === 0x0a)) at++;
  }
  return Buffer.concat(pieces);
}

function dateOf(text: string, { fallbackMs, nowMs }: ReadingRules): { date: number; isGuessed: boolean } {
  // CDX files and some tools write fourteen digits.
  const digits = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(text);
  const iso = digits === null ? text : `${digits.slice(1, 4).join('-')}T${digits.slice(4).join(':')}Z`;
  const date = /^\d{4}-/.test(iso) ? Date.parse(iso) : Number.NaN;
  if (date >= EARLIEST_MS && date <= nowMs + DAY_MS) return { date, isGuessed: false };
  return { date: fallbackMs, isGuessed: true };
}

/**
 * Digests are base 32 or hexadecimal, and cover the payload with or without its chunks.
 * Other algorithms are not checked.
 */
function isWrong(digest: string | undefined, payloads: readonly Buffer[]): boolean {
  const found = /^sha-?1:([A-Z2-7]{32}|[0-9a-f]{40})=*$/i.exec(digest ?? '');
  if (found === null) return false;
  const stated = found[1]!.toUpperCase();
  const digestOf = (payload: Buffer) =>
    stated.length === 32 ? sha1Base32([payload]) : hash('sha1', payload, 'hex').toUpperCase();
  return !payloads.some((payload) => stated === digestOf(payload));
}

function addressOf(text: string | undefined): string | null {
  return text !== undefined && /^[0-9a-f.:]{2,45}$/i.test(text) ? text : null;
}

function contentTypeOf(rawHeaders: readonly string[]): string {
  return headerValue(rawHeaders, 'content-type').split(';', 1)[0]!.trim().toLowerCase().slice(0, 100);
}
