/**
 * The addresses of archived pages: `/archived/<key>/<copy>/<time>/<URL>`, with the time in milliseconds and the URL in
 * base64url. The addresses of one time differ only in their last part, so a reference in a page is that part alone,
 * and no page can name another folder by it.
 *
 * The key is made at each start of the server, and only the API tells it. Requests of archived pages come from
 * documents without an origin, so their headers cannot tell them from requests of other sites; the key does.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 18;
/** A longer address is refused by HTTP servers, because request headers have a limit. */
const MAX_URL_BYTES = 8_000;
const MAX_TIME_DIGITS = 16;
const PATH = /^\/archived\/([\w-]{1,100})\/([^/]{1,300})\/(\d{1,16})\/([\w-]{1,11000})$/;

export interface ArchivedAddress {
  /** The name of the copy. */
  readonly copy: string;
  readonly atMs: number;
  readonly url: string;
}

export function newArchivedKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/** What all archived pages of a copy begin with. */
export function archivedRoot(key: string, copy: string): string {
  return `/archived/${key}/${encodeURIComponent(copy)}`;
}

/** The address of a URL at a time; null if the URL is too long for one. */
export function archivedPath(root: string, atMs: number, url: string): string | null {
  const part = urlPart(url);
  return part === null ? null : `${root}/${String(Math.trunc(atMs)).slice(0, MAX_TIME_DIGITS)}/${part}`;
}

/** The last part of the address of a URL; null if the URL is too long. */
export function urlPart(url: string): string | null {
  return Buffer.byteLength(url) > MAX_URL_BYTES ? null : Buffer.from(url).toString('base64url');
}

/** Null if the path is no address of an archived page, or if its key is another one. */
export function readArchivedPath(path: string, key: string): ArchivedAddress | null {
  const [, givenKey, copy, time, part] = PATH.exec(path) ?? [];
  if (givenKey === undefined || !timingSafeEqual(digestOf(givenKey), digestOf(key))) return null;
  const url = Buffer.from(part!, 'base64url').toString();
  try {
    return { copy: decodeURIComponent(copy!), atMs: Number(time), url };
  } catch {
    return null;
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
