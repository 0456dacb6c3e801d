/**
 * What a reader asks of the archive server of a worker: a range of bytes of a file. In: a range and the secret that the
 * machines of a cluster share. Out: the path and headers of the request, and whether a request may be answered.
 *
 * What always holds: the secret is never sent. A request is signed with it, together with the address of the server, so
 * a false address in the database learns nothing that another server accepts.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isArchiveFileName } from '../../archive/archive-file.ts';

/** A longer record is read in several ranges. */
export const MAX_RANGE_BYTES = 1024 * 1024;
const PATH = '/archive/';
const RANGE = /^bytes=(\d{1,15})-(\d{1,15})$/;
const SCHEME = 'Orbweaver ';

export interface ByteRange {
  readonly file: string;
  /** The first byte. */
  readonly from: number;
  readonly length: number;
}

export interface SignedRequest {
  readonly path: string;
  readonly headers: { readonly range: string; readonly authorization: string };
}

/** `address`: the server, as `host:port`. */
export function requestFor(address: string, secret: string, { file, from, length }: ByteRange): SignedRequest {
  const range = `bytes=${from}-${from + length - 1}`;
  const authorization = SCHEME + signatureOf(secret, [address, file, range]).toString('hex');
  return { path: PATH + file, headers: { range, authorization } };
}

/** Whether the request was signed with the secret, for this server. It takes the same time whatever is wrong. */
export function isSigned(address: string, secret: string, request: { path: string; headers: Headers }): boolean {
  const { path, headers } = request;
  const right = signatureOf(secret, [address, path.slice(PATH.length), headers.range ?? '']);
  const given = Buffer.from((headers.authorization ?? '').slice(SCHEME.length), 'hex');
  return (
    timingSafeEqual(right, Buffer.concat([given, Buffer.alloc(right.length)], right.length)) &&
    given.length === right.length
  );
}

interface Headers {
  readonly range?: string | undefined;
  readonly authorization?: string | undefined;
}

/** Null if the request is for no range of an archive file, or for one that is too long. */
export function rangeOf(path: string, range: string | undefined): ByteRange | null {
  const file = path.startsWith(PATH) ? path.slice(PATH.length) : '';
  const [, first, last] = RANGE.exec(range ?? '') ?? [];
  if (!isArchiveFileName(file) || first === undefined) return null;
  const [from, length] = [Number(first), Number(last) - Number(first) + 1];
  return length >= 1 && length <= MAX_RANGE_BYTES ? { file, from, length } : null;
}

function signatureOf(secret: string, parts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest();
}
