/**
 * What becomes of a reference in a mirror. In: a reference as written. Out: the relative URL of its file, or its
 * absolute URL if the mirror does not have it, or null if it stays as written.
 */
import { encodeQuery, encodesQueries } from '../../../page/encoding/legacy-codec.ts';
import { trimUrl } from '../../../page/html/scan-tag.ts';
import { relativeUrl } from '../../files/file-names.ts';

/** A document that is rewritten. */
export interface DocumentPlace {
  /** Its own file in the mirror. */
  readonly path: string;
  readonly url: string;
  /** The base of its references. */
  readonly base: string;
  /** The name of its charset. */
  readonly charset: string;
  /** The normal form of a reference, as the crawl resolves it. */
  readonly resolve: (href: string) => string | null;
  /** The file of a URL in normal form. */
  readonly pathOf: (url: string) => string | null;
}

export interface Target {
  readonly isLocal: boolean;
  readonly href: string;
}

/** References with these schemes reach neither the network nor another file. */
const HARMLESS = /^(?:data|blob|about|javascript|mailto|tel|sms|urn|clsid|java):$/;
/** A base with which all relative references of a document would be long. */
const MAX_BASE_CHARS = 65_536;

export function findTarget(href: string, place: DocumentPlace): Target | null {
  const written = trimUrl(href);
  const isOwnFragment = written.startsWith('#') && place.base === place.url;
  if (isOwnFragment || (written === '' && place.base === place.url)) return null;
  const encoded = encodesQueries(place.charset) ? encodeQuery(written, place.charset) : written;
  const url = URL.parse(encoded, place.base);
  if (url === null || HARMLESS.test(url.protocol)) return null;
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  const normal = isWeb ? place.resolve(written) : null;
  const path = normal === null ? null : place.pathOf(normal);
  if (path === null) return { isLocal: false, href: url.href };
  return { isLocal: true, href: relativeUrl(place.path, path) + url.hash };
}

/** The base of a document with this `<base href>` (HTML standard 4.2.3). */
export function baseOf(written: string | null, url: string): string {
  const base = written === null ? null : URL.parse(written, url);
  const isUsable = base !== null && base.href.length <= MAX_BASE_CHARS && !/^(?:data|javascript):/.test(base.protocol);
  return isUsable ? base.href : url;
}
