/**
 * The file extensions of media types. A browser that opens a file from a disk knows its type by the extension alone, so
 * the extension of a file in a mirror must agree with the type that the server sent.
 */

/** Not a type of the web: the tables of a page, which become a folder of CSV files. */
export const TABLES_TYPE = 'text/x-orbweaver-tables';
/** Types that a page gets by the export. */
const MADE_OF_PAGES: readonly string[] = ['text/markdown', TABLES_TYPE];

/** The first extension is added to a name that has none of them. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/html': 'html htm shtml',
  'application/xhtml+xml': 'xhtml xht',
  'text/css': 'css',
  'text/javascript': 'js mjs',
  'application/json': 'json map webmanifest',
  'application/manifest+json': 'webmanifest json',
  'application/ld+json': 'jsonld json',
  'application/feed+json': 'json',
  'application/xml': 'xml rss atom rdf xsl xslt xsd osd',
  'application/rss+xml': 'xml rss rdf',
  'application/atom+xml': 'xml atom',
  'application/xslt+xml': 'xsl xslt',
  'image/svg+xml': 'svg',
  'image/png': 'png apng',
  'image/apng': 'png apng',
  'image/jpeg': 'jpg jpeg jpe jfif',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/tiff': 'tif tiff',
  'image/x-icon': 'ico cur',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
  'application/vnd.ms-fontobject': 'eot',
  'video/mp4': 'mp4 m4v',
  'video/webm': 'webm',
  'video/ogg': 'ogv ogg',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg oga opus',
  'audio/wav': 'wav',
  'audio/mp4': 'm4a mp4',
  'audio/webm': 'weba webm',
  'text/vtt': 'vtt',
  'text/csv': 'csv',
  'text/markdown': 'md markdown',
  [TABLES_TYPE]: 'tables',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/wasm': 'wasm',
  'application/epub+zip': 'epub',
};

/** Other names of the same types. */
const SAME_TYPE: Readonly<Record<string, string>> = {
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'application/ecmascript': 'text/javascript',
  'text/ecmascript': 'text/javascript',
  'text/x-javascript': 'text/javascript',
  'text/jscript': 'text/javascript',
  'text/json': 'application/json',
  'text/xml': 'application/xml',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'image/ico': 'image/x-icon',
  'image/x-ms-bmp': 'image/bmp',
  'application/font-woff': 'font/woff',
  'application/x-font-woff': 'font/woff',
  'application/font-woff2': 'font/woff2',
  'application/x-font-ttf': 'font/ttf',
  'application/font-sfnt': 'font/ttf',
  'font/sfnt': 'font/ttf',
  'application/x-font-otf': 'font/otf',
  'application/vnd.ms-opentype': 'font/otf',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'application/x-pdf': 'application/pdf',
};

/**
 * Extensions whose files a browser runs or reads for references. A file of another type must not have one of them:
 * it would not be rewritten, and could reach the network.
 */
const ACTIVE: ReadonlySet<string> = new Set(
  'html htm shtml shtm xhtml xht svg svgz xml xsl xslt rss atom rdf mht mhtml hta url lnk webloc desktop'.split(' '),
);
const LONGEST_EXTENSION = 12;
const HTML = /^(?:html?|shtml?|xhtml?|xht)$/;

/** How the content of a file is rewritten. */
export type RewriteAs = 'html' | 'xhtml' | 'xml' | 'css' | 'nothing';

/** The usual name of a media type. `mediaType` has no parameters. */
export function usualType(mediaType: string): string {
  return Object.hasOwn(SAME_TYPE, mediaType) ? SAME_TYPE[mediaType]! : mediaType;
}

export function rewriteAs(mediaType: string): RewriteAs {
  const type = usualType(mediaType);
  if (type === 'text/html') return 'html';
  if (type === 'application/xhtml+xml') return 'xhtml';
  if (type === 'text/css') return 'css';
  return type === 'application/xml' || type.endsWith('+xml') ? 'xml' : 'nothing';
}

/**
 * Splits the last segment of a path into a stem and the extension that its file needs, both without the dot. The
 * extension is '' for a file of an unknown type that has none.
 */
export function splitName(name: string, mediaType: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.');
  const written = dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
  const has = /^[a-z0-9]+$/.test(written) && written.length <= LONGEST_EXTENSION;
  const kept = { stem: has ? name.slice(0, dot) : name, extension: has ? name.slice(dot + 1) : '' };
  const added = (extension: string) => ({ stem: name, extension });
  const known = extensionsOf(mediaType);
  // A page in another form is no HTML any more, so its name should not say so.
  if (MADE_OF_PAGES.includes(mediaType) && HTML.test(written)) return { stem: kept.stem, extension: known![0]! };
  if (known !== null) return known.includes(written) ? kept : added(known[0]!);
  if (has && !ACTIVE.has(written)) return kept;
  if (mediaType === 'text/plain') return added('txt');
  return has ? added('bin') : kept;
}

function extensionsOf(mediaType: string): readonly string[] | null {
  const type = usualType(mediaType);
  const known = Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : undefined;
  if (known !== undefined) return known.split(' ');
  return type.endsWith('+xml') ? ['xml'] : null;
}
