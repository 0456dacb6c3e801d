/**
 * Sends responses: heads, small texts, and bodies at the speed of the reader. What always
 * holds: a body is never copied for a reader.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { spliceBefore } from '../report/gzip-splice.ts';
import { isGone, whenGone } from './on-disconnect.ts';

/** Headers of every response. */
const ALWAYS = { 'X-Content-Type-Options': 'nosniff', Vary: 'Accept-Encoding' } as const;

/** Sends a sentence, or an empty body if the status says everything. */
export function answerText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.destroyed || response.headersSent) return;
  const body = Buffer.from(text);
  const length = status === 304 ? {} : { 'Content-Length': body.length };
  const type = status === 304 ? {} : { 'Content-Type': 'text/plain; charset=utf-8' };
  response.writeHead(status, {
    ...ALWAYS,
    'Cache-Control': 'no-store',
    ...type,
    ...length,
    ...closing(request),
    ...headers,
  });
  response.end(request.method === 'HEAD' || status === 304 ? undefined : body);
}

/**
 * Sends an own head in front of lines that many readers share. Resolves when the
 * response is sent or will never be sent.
 */
export async function answerReport(
  request: IncomingMessage,
  response: ServerResponse,
  head: string,
  gzipped: Buffer,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const headBytes = Buffer.from(head);
  const parts = acceptsGzip(request) ? spliceBefore(headBytes, gzipped) : null;
  const plainBytes = headBytes.length + gzipped.readUInt32LE(gzipped.length - 4);
  const length = parts === null ? plainBytes : parts.reduce((sum, part) => sum + part.length, 0);
  const coding = parts === null ? {} : { 'Content-Encoding': 'gzip' };
  const type = { 'Content-Type': 'application/jsonl', 'Content-Length': length };
  response.writeHead(200, { ...ALWAYS, ...type, ...coding, ...closing(request), ...headers });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  if (parts !== null) {
    for (const part of parts) response.write(part);
    response.end();
    return;
  }
  response.write(headBytes);
  const gunzip = createGunzip();
  gunzip.end(gzipped);
  await pour(gunzip, response);
}

/** Sends a text that is made while it is sent. */
export async function answerStream(
  request: IncomingMessage,
  response: ServerResponse,
  contentType: string,
  pieces: AsyncIterable<string>,
): Promise<void> {
  const isGzipped = acceptsGzip(request);
  const coding = isGzipped ? { 'Content-Encoding': 'gzip' } : {};
  const type = { 'Content-Type': contentType, 'Cache-Control': 'no-cache' };
  response.writeHead(200, { ...ALWAYS, ...type, ...coding, ...closing(request) });
  if (request.method === 'HEAD') response.end();
  else await pour(isGzipped ? gzipOf(pieces) : pieces, response);
}

/** Sends at the speed of the reader. If the reader disconnects, sending stops without an error. */
async function pour(pieces: AsyncIterable<string | Buffer>, response: ServerResponse): Promise<void> {
  for await (const piece of pieces) {
    if (!isGone(response.req, response) && !response.write(piece)) await drained(response);
    if (isGone(response.req, response)) return;
  }
  response.end();
}

/** Resolves when the response is drained or closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      resolve();
    };
    response.once('drain', done);
    whenGone(response.req, response, done);
  });
}

function gzipOf(pieces: AsyncIterable<string>): AsyncIterable<Buffer> {
  const gzip = createGzip();
  // An error of the source is thrown by the returned stream.
  pipeline(Readable.from(pieces), gzip, () => undefined);
  return gzip;
}

function acceptsGzip(request: IncomingMessage): boolean {
  const given = request.headers['accept-encoding'] ?? '';
  const text = (Array.isArray(given) ? given.join(',') : given).slice(0, 1_000).toLowerCase();
  for (const coding of text.split(',')) {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
    if (name !== 'gzip' && name !== 'x-gzip' && name !== '*') continue;
    return !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
  }
  return false;
}

export function isKnownTo(request: IncomingMessage, etag: string): boolean {
  const given = (request.headers['if-none-match'] ?? '').slice(0, 4_000);
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return given.trim() === '*' || given.split(',').some((tag) => bare(tag) === bare(etag));
}

/** Request bodies are never read. A client that sends one loses the connection. */
function closing({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return hasBody ? { Connection: 'close' } : {};
}
