const TEXT_LIKE = new Set([
  '',
  'application/javascript',
  'application/x-javascript',
  'application/ecmascript',
  'application/json',
  'application/ld+json',
  'application/manifest+json',
  'application/x-ndjson',
  'application/xml',
  'application/xml-dtd',
  'application/rtf',
  'application/wasm',
  'application/x-www-form-urlencoded',
  'font/ttf',
  'font/otf',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
]);

/**
 * Whether deflating bytes of this media type is worth the time. What is not known to shrink is stored: images, films,
 * archives and PDF are compressed inside already.
 */
export function isCompressible(mediaType: string): boolean {
  const end = mediaType.indexOf(';');
  const type = (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
  return type.startsWith('text/') || type.endsWith('+xml') || type.endsWith('+json') || TEXT_LIKE.has(type);
}
