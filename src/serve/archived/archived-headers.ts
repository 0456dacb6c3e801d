/** The headers of archived responses. They hold also where a page was rewritten wrongly. */
import { pathOfFile, proposeFile } from '../../copy/files/file-names.ts';
import type { ShownAs } from './shown-types.ts';

/**
 * The page has no origin, runs nothing, sends nothing and navigates only itself. `'self'` means this server, although
 * the page has no origin. Frames in the page have ancestors without an origin, which no policy for ancestors can name;
 * the key in the address keeps other sites from showing archived pages.
 */
const POLICY = [
  'sandbox',
  "default-src 'none'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "media-src 'self' data:",
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  // A page without an origin is of another origin than its own images.
  'cross-origin-resource-policy': 'cross-origin',
  // Browsers do not open a sandboxed page that asks for more.
  'cross-origin-opener-policy': 'unsafe-none',
  'accept-ranges': 'none',
  'cache-control': 'private, max-age=300',
};
const MAX_NAME_CHARS = 120;

export function archivedHeaders(as: ShownAs): Record<string, string> {
  // Browsers ask for fonts, masks and subtitles as for data of another origin.
  const isAsset = as === 'font' || as === 'picture' || as === 'media';
  return { ...HEADERS, ...(isAsset && { 'access-control-allow-origin': '*' }) };
}

/** A download with a name that is safe on every file system and agrees with the type. */
export function downloadHeaders(url: string, mediaType: string): Record<string, string> {
  const name = pathOfFile(proposeFile(url, mediaType), url, 0)
    .split('/')
    .at(-1)!
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
  const ascii = name.replace(/[^\w.() +-]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return {
    ...archivedHeaders('download'),
    'content-disposition': `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
  };
}
