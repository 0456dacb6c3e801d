import { NO_FLAWS } from '../core/http-flaws.ts';
import type { RecordBatch } from './record-batch.ts';
import type { ArchivedPayload } from './shared-payloads.ts';
import { targetUri } from './target-uri.ts';
import {
  fieldsBlock,
  metadataHead,
  type RecordFrame,
  type RefersTo,
  requestHead,
  responseHead,
  revisitHead,
  type TruncatedReason,
  warcinfoBlock,
  warcinfoHead,
  warcText,
} from './warc-head.ts';
import type { CaptureAddress } from './warc-reader.ts';

export interface HttpExchange {
  readonly url: string;
  readonly fetchedAtMs: number;
  /** True if only the second of the fetch is known. The record then says so. */
  readonly isWholeSecond?: boolean;
  readonly ip: string | null;
  readonly protocol: 'http/1.1' | 'h2';
  /**
   * Request line and headers, each with CR LF at its end, without the blank
   * line. One byte per character. '' if unknown.
   */
  readonly requestHead: string;
  readonly status: number;
  readonly statusText: string;
  /** Name, value, name, value … as received. */
  readonly rawHeaders: readonly string[];
  /** The payload as it arrived: without transfer coding, with content coding. */
  readonly body: readonly Buffer[];
  readonly truncated: TruncatedReason | null;
  readonly contentType: string;
  /** The rules of HTTP that the response broke. */
  readonly flaws?: readonly string[];
  /** If present, it becomes a metadata record: `via`, `hopsFromSeed` … */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface RecordLocation extends CaptureAddress {
  readonly payloadDigest: string;
  readonly revisit: boolean;
}

/** The first capture of the same payload, with everything that a revisit record says about it. */
export interface FirstCapture extends ArchivedPayload {
  readonly kind: RefersTo['kind'];
  readonly recordId: string | null;
}

export interface JudgedPayload {
  readonly payloadBytes: number;
  /** SHA-1 in base 32, without its prefix. */
  readonly digest: string;
  readonly first: FirstCapture | null;
}

const NO_PAYLOAD: readonly Buffer[] = [];

/**
 * Adds response or revisit, then request, then metadata. Returns the length of the gzip member of the first one.
 * `nextId` returns the id of the record that is added next.
 */
export function addExchange(
  batch: RecordBatch,
  nextId: () => string,
  exchange: HttpExchange,
  { payloadBytes, digest, first }: JudgedPayload,
): number {
  const id = nextId();
  const uri = targetUri(exchange.url);
  const frame: RecordFrame = {
    date: isoDate(exchange.fetchedAtMs, exchange.isWholeSecond),
    targetUri: uri,
    exactUri: uri === exchange.url ? null : warcText(exchange.url),
    ip: exchange.ip === null ? null : warcText(exchange.ip),
    protocol: exchange.protocol,
    flaws: exchange.flaws ?? NO_FLAWS,
  };
  const httpHead = archivedHttpHead(exchange.status, exchange.statusText, exchange.rawHeaders, payloadBytes);
  let length: number;
  if (first === null) {
    const head = responseHead(id, frame, digest, exchange.truncated, httpHead.length + payloadBytes);
    const deflate = payloadBytes > 0 && isCompressible(exchange.contentType) && !hasContentCoding(exchange.rawHeaders);
    length = batch.add(head, httpHead, exchange.body, payloadBytes, deflate);
  } else {
    const refersTo = {
      kind: first.kind,
      recordId: first.recordId,
      targetUri: targetUri(first.url),
      date: isoDate(first.fetchedAtMs),
      file: first.file,
      offset: first.offset,
    };
    // Replay tools answer with the head of a revisit record, and their readers cannot use a 304. So the record has no
    // block, the tools take the head of the first capture, and the head of the 304 becomes metadata.
    const block = first.kind === 'not-modified' ? '' : httpHead;
    length = addText(batch, revisitHead(id, frame, digest, refersTo, block.length), block);
  }
  if (exchange.requestHead !== '') {
    const lineEnd = exchange.requestHead.endsWith('\r\n') ? '' : '\r\n';
    const request = `${exchange.requestHead}${lineEnd}\r\n`;
    addText(batch, requestHead(nextId(), frame, id, request.length), request);
  }
  const isNotModified = first?.kind === 'not-modified';
  if (exchange.metadata !== undefined || isNotModified) {
    const own = Object.entries(exchange.metadata ?? {});
    const fields = fieldsBlock(isNotModified ? [...own, ...headFields(httpHead)] : own);
    addText(batch, metadataHead(nextId(), frame, id, fields.length), fields);
  }
  return length;
}

/** The lines of an HTTP head as fields of a metadata record. */
function headFields(httpHead: string): [string, string][] {
  const [statusLine = '', ...headers] = httpHead.trimEnd().split('\r\n');
  return [['http-status-line', statusLine], ...headers.map((header): [string, string] => ['http-header', header])];
}

interface WarcinfoFacts {
  readonly file: string;
  readonly nowMs: number;
  readonly software: string;
  readonly userAgent: string;
  readonly about?: Readonly<Record<string, string>> | undefined;
}

/** Adds the warcinfo record, with which every file begins. */
export function addWarcinfo(
  batch: RecordBatch,
  id: string,
  { file, nowMs, software, userAgent, about = {} }: WarcinfoFacts,
): void {
  const block = warcinfoBlock(software, userAgent, about);
  addText(batch, warcinfoHead(id, isoDate(nowMs), file, block.length), block);
}

function addText(batch: RecordBatch, warcHead: string, block: string): number {
  return batch.add(warcHead, block, NO_PAYLOAD, 0, false);
}

let lastSecond = Number.NaN;
let lastSecondText = '';

/**
 * WARC-Date in milliseconds, or in seconds if no more is known (WARC 1.1 §5.4). Pages arrive in the order of time, so
 * the second is mostly the same as before and is cached.
 */
function isoDate(epochMs: number, isWholeSecond = false): string {
  const ms = Math.floor(epochMs);
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastSecondText = new Date(second * 1000).toISOString().slice(0, -5);
    lastSecond = second;
  }
  return isWholeSecond ? `${lastSecondText}Z` : `${lastSecondText}.${String(ms - second * 1000).padStart(3, '0')}Z`;
}

const TEXT_APPLICATIONS =
  'javascript x-javascript ecmascript json x-ndjson xml xml-dtd rtf wasm x-www-form-urlencoded'.split(' ');
const TEXT_LIKE = new Set([
  '',
  ...TEXT_APPLICATIONS.map((name) => `application/${name}`),
  ...'font/ttf font/otf image/bmp image/x-icon image/vnd.microsoft.icon'.split(' '),
]);

/**
 * Whether deflating bytes of this media type is worth the time. Types that are not known to shrink are stored
 * uncompressed: images, videos, archives and PDF are already compressed inside.
 */
function isCompressible(mediaType: string): boolean {
  const end = mediaType.indexOf(';');
  const type = (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
  return type.startsWith('text/') || type.endsWith('+xml') || type.endsWith('+json') || TEXT_LIKE.has(type);
}

/**
 * Builds the head of a response for a record: the head that the server sent, except for headers that do not describe
 * the stored bytes. In: status, status text, headers as received. Out: latin1 text that ends with the blank line.
 *
 * What always holds: each header is one line, whatever a hostile server sent, and Content-Length is correct.
 */
const LINE_BREAKERS = /[\r\n\0\u0100-\uffff]/;
const NOT_TOKEN = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const ORIGINAL = 'X-Archive-Orig-';

export function archivedHttpHead(
  status: number,
  statusText: string,
  rawHeaders: readonly string[],
  payloadBytes: number,
): string {
  const trueLength = String(payloadBytes);
  let lengthSaid = false;
  let head = `HTTP/1.1 ${status} ${oneLine(statusText)}\r\n`;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    let name = rawHeaders[at]!;
    const value = oneLine(rawHeaders[at + 1]!);
    if (NOT_TOKEN.test(name)) {
      // HTTP/2 pseudo headers are not headers. Any other invalid name is changed to a valid one.
      if (name.startsWith(':')) continue;
      name = name.replace(/[^!#$%&'*+\-.^_`|~0-9A-Za-z]/g, '_');
    }
    if (name === '') continue;
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (value === trueLength && !lengthSaid) lengthSaid = true;
      else name = ORIGINAL + name;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      name = ORIGINAL + name;
    }
    head += `${name}: ${value}\r\n`;
  }
  // These responses have no body by definition (RFC 9110 §8.6), so a length would be invented.
  const bodiless = status === 204 || status === 304 || status < 200;
  if (!lengthSaid && !(bodiless && payloadBytes === 0)) head += `Content-Length: ${trueLength}\r\n`;
  return `${head}\r\n`;
}

/** Whether the bytes arrived compressed. Compressing them again would cost time and save nothing. */
function hasContentCoding(rawHeaders: readonly string[]): boolean {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length !== 16 || name.toLowerCase() !== 'content-encoding') continue;
    const coding = rawHeaders[at + 1]!.trim().toLowerCase();
    if (coding !== '' && coding !== 'identity') return true;
  }
  return false;
}

/**
 * Returns the value as one line. Text is written as latin1, one byte per character, so a character above U+00FF would
 * lose its high byte, and U+010A would become a line feed. Such text is converted to its UTF-8 bytes.
 */
function oneLine(value: string): string {
  if (!LINE_BREAKERS.test(value)) return value;
  // A folded line (RFC 9112 §5.2) means one space. A single line break or NUL is an attempt to add another line.
  const flat = value.replace(/\r?\n[ \t]+/g, ' ').replace(/[\r\n\0]/g, ' ');
  return /[\u0100-\uffff]/.test(flat) ? Buffer.from(flat, 'utf8').toString('latin1') : flat;
}
