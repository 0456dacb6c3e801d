/** Writes answers. Every answer has the headers that keep a browser from doing more than showing it. */
import type { ServerResponse } from 'node:http';
import { constants, gzipSync } from 'node:zlib';
import type { ApiFault } from './api-error.ts';

/** Small answers do not get smaller by compression. */
const LEAST_TO_COMPRESS = 1_400;

export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Data is never shown as a page, whatever its content. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export function send(response: ServerResponse, { status, type, body, headers }: Answer, isHead = false): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const accepts = String(response.req.headers['accept-encoding'] ?? '');
  const isCompressed = bytes.length >= LEAST_TO_COMPRESS && /\bgzip\b/.test(accepts) && isTextType(type);
  const sent = isCompressed ? gzipSync(bytes, { level: constants.Z_BEST_SPEED }) : bytes;
  response.writeHead(status, {
    ...COMMON_HEADERS,
    'content-type': type,
    'content-length': sent.length,
    'content-security-policy': DATA_POLICY,
    'cache-control': 'no-store',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
    vary: 'accept-encoding',
    ...headers,
  });
  response.end(isHead ? undefined : sent);
}

export function sendJson(response: ServerResponse, json: string, status = 200): void {
  send(response, { status, type: 'application/json', body: json });
}

export function sendFault(response: ServerResponse, { status, code, message, allow }: ApiFault): void {
  const headers: Record<string, string> = {};
  if (allow !== undefined) headers.allow = allow;
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 429 || status === 503) headers['retry-after'] = '5';
  const body = JSON.stringify({ error: { code, message } });
  send(response, { status, type: 'application/json', body, headers });
}

function isTextType(type: string): boolean {
  return /^(?:text\/|application\/(?:json|atom\+xml|javascript|xml)|image\/svg)/.test(type);
}
