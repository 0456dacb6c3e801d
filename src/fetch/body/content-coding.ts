/** The content codings that we request and can decode (RFC 9110 §8.4.1). */
export type ContentCoding = 'gzip' | 'br' | 'zstd' | 'deflate';

/** RFC 9110 does not limit stacked codings, but no sane server uses more than two. */
const MAX_CODINGS = 3;

/**
 * The codings in the order in which they must be decoded. Null if one of them cannot be decoded. Words that are not
 * codings ("utf-8", "none") are common on the web and are ignored, as in browsers.
 */
export function parseContentEncoding(header: string): ContentCoding[] | null {
  const codings: ContentCoding[] = [];
  for (const word of header.slice(0, 200).toLowerCase().split(',')) {
    const name = word.trim();
    if (name === 'gzip' || name === 'x-gzip') codings.push('gzip');
    else if (name === 'br' || name === 'zstd' || name === 'deflate') codings.push(name);
    else if (name === 'compress' || name === 'x-compress' || name === 'dcb' || name === 'dcz') return null;
  }
  return codings.length > MAX_CODINGS ? null : codings.reverse();
}

/** "deflate" means the zlib format (RFC 1950), but some servers send the raw stream (RFC 1951). */
export function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}
