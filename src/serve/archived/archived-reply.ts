/**
 * Shows a stored response as it was. In: an open copy, a URL and a time. Out: status, headers and body.
 *
 * What always holds: no script of the response runs, nothing is sent, and everything that it refers to is an archived
 * response of the same copy and time. Two layers see to it: the references are rewritten (copy/mirror/rewrite, static),
 * and the headers forbid the rest (archived-headers.ts).
 */
import { ReferenceCounts } from '../../copy/files/file-form.ts';
import { typeOfBody } from '../../copy/files/plan-copy.ts';
import { rewriteWithCharset } from '../../copy/mirror/rewrite/rewrite-body.ts';
import type { OrbweaverError } from '../../core/errors.ts';
import { normalizerFor } from '../../crawl/links/link-forms.ts';
import type { Where } from '../../crawl/place/crawl-place.ts';
import { keptOptions } from '../../crawl/place/data-folder.ts';
import { isUnreadable } from '../../crawl/place/read-archived.ts';
import { headerValue } from '../../fetch/outcome.ts';
import { decodeBody } from '../../page/encoding/charset.ts';
import { decodeLegacy } from '../../page/encoding/legacy-codec.ts';
import type { Store } from '../../store/contract.ts';
import { urlPart } from './archived-address.ts';
import { archivedHeaders, downloadHeaders } from './archived-headers.ts';
import { type CopyToShow, type FoundResponse, findResponse, type NoResponse } from './find-response.ts';
import { type Notice, noticePage } from './notice-page.ts';
import { shownAs } from './shown-types.ts';

/** Larger documents are not rewritten, and therefore not shown. */
const MAX_DOCUMENT_BYTES = 16_000_000;
const MAX_BYTES = 128_000_000;
/**
 * A document type that gives elements attributes, or entities with markup: the scan cannot see what the parser makes of
 * it. Plain names, as drawing programs write them, are harmless.
 */
const HIDES_MARKUP = /<!ATTLIST|<!ENTITY[^<>]*[&%<]/i;
const HTML = 'text/html; charset=utf-8';

export interface ArchivedQuestion {
  readonly store: Store;
  readonly where: Where;
  readonly url: string;
  readonly atMs: number;
}

export interface ArchivedReply {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export async function replyArchived({ store, where, url, atMs }: ArchivedQuestion): Promise<ArchivedReply> {
  const options = await keptOptions(store);
  const copy: CopyToShow = { store, where, sizes: options, normalizer: normalizerFor(options) };
  const asked = copy.normalizer.normalize(url);
  if (asked === null) return missingReply({ url, missing: 'unknown', laterMs: null }, atMs);
  try {
    const found = await findResponse(copy, asked, atMs);
    return 'page' in found ? showResponse(copy, found) : missingReply(found, atMs);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return noticeReply(404, { title: 'This response cannot be read', text: (error as OrbweaverError).message, url });
  }
}

function showResponse(copy: CopyToShow, { url, page }: FoundResponse): ArchivedReply {
  const { body, record } = page;
  const mediaType = typeOfBody(record.contentType.toLowerCase(), body, url);
  const { as, type } = shownAs(mediaType);
  // Errors of the site were shown as pages, too.
  const status = record.status >= 200 && record.status !== 204 && record.status !== 205 ? record.status : 200;
  const contentType = headerValue(page.capture.rawHeaders, 'content-type');
  if (body.length > MAX_BYTES) return tooLarge(url, body.length);
  if (as === 'picture' || as === 'font' || as === 'media') return { status, type, headers: archivedHeaders(as), body };
  if (as === 'download' || body.length > MAX_DOCUMENT_BYTES) {
    return { status: 200, type: 'application/octet-stream', headers: downloadHeaders(url, mediaType), body };
  }
  if (as === 'page' || as === 'style') {
    const given = { body, url, type, contentType, path: 'page' };
    const links = { normalizer: copy.normalizer, pathOf: urlPart, counts: new ReferenceCounts(), isStatic: true };
    const { bytes, charset } = rewriteWithCharset(given, links);
    const utf8 = inUtf8(bytes, charset);
    const isSafe = type === 'text/html' || !HIDES_MARKUP.test(utf8.toString('latin1'));
    if (isSafe) return { status, type: `${type}; charset=utf-8`, headers: archivedHeaders(as), body: utf8 };
  }
  const { text } = decodeBody(body, contentType, 'text');
  return { status, type: 'text/plain; charset=utf-8', headers: archivedHeaders('text'), body: Buffer.from(text) };
}

/** All documents are sent in one charset, so no browser reads other characters than the scan did. */
function inUtf8(bytes: Buffer, charset: string): Buffer {
  return charset === 'utf-8' || charset === '' ? bytes : Buffer.from(decodeLegacy(bytes, charset));
}

function missingReply({ url, missing, laterMs }: NoResponse, atMs: number): ArchivedReply {
  const time = isoTime(atMs);
  if (missing === 'later' && laterMs !== null) {
    const link = { href: `../${laterMs}/${urlPart(url)}`, label: `Show the response of ${isoTime(laterMs)}` };
    const text = `The first response of this page in the copy is newer than ${time}.`;
    return noticeReply(404, { title: 'Not in the copy at that time', text, url, link });
  }
  if (missing === 'too-many-redirects') {
    const text = 'The redirects of this page do not end.';
    return noticeReply(404, { title: 'Too many redirects', text, url });
  }
  const text = 'The copy has no response of this address. It was not fetched, or the link leads out of the crawl.';
  return noticeReply(404, { title: 'Not in the copy', text, url });
}

function tooLarge(url: string, bytes: number): ArchivedReply {
  const text = `The response has ${bytes} bytes, which is more than this server sends. The command "orbweaver show" writes it to a file.`;
  return noticeReply(413, { title: 'This response is too large', text, url });
}

function noticeReply(status: number, notice: Notice): ArchivedReply {
  return { status, type: HTML, headers: archivedHeaders('page'), body: noticePage(notice) };
}

function isoTime(ms: number): string {
  return ms <= 8.64e15 ? new Date(ms).toISOString() : 'now';
}
