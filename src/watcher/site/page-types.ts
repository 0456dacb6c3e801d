/**
 * Which files are pages: what a crawler keeps as a document of its own. By extension, without regard to case; a file without one
 * is no page, since servers send it as a mere stream of bytes.
 */
export const PAGE_EXTENSIONS: readonly string[] = [
  ...['html', 'htm', 'xhtml', 'xht'],
  // Feeds, and documents in XML.
  ...['xml', 'rss', 'atom', 'rdf'],
  ...['txt', 'pdf', 'ps', 'djvu', 'epub', 'rtf', 'csv'],
  ...['doc', 'docx', 'odt', 'xls', 'xlsx', 'ods', 'ppt', 'pptx', 'odp'],
  // Not .json and .md, which are data for scripts and what pages are made from, more often than pages: `types` adds them.
];

/** Parts of pages, reported where `assets` asks for them. */
export const ASSET_EXTENSIONS: readonly string[] = [
  ...['css', 'js', 'mjs', 'json', 'webmanifest', 'wasm'],
  ...['png', 'jpg', 'jpeg', 'jfif', 'gif', 'webp', 'avif', 'svg', 'ico', 'bmp', 'tif', 'tiff', 'apng', 'jxl', 'heic'],
  ...['woff', 'woff2', 'ttf', 'otf', 'eot'],
  ...[
    'mp3',
    'm4a',
    'aac',
    'ogg',
    'oga',
    'opus',
    'wav',
    'flac',
    'mid',
    'mp4',
    'm4v',
    'webm',
    'ogv',
    'mov',
    'avi',
    'mkv',
  ],
  ...['vtt', 'srt'],
];

/**
 * Files at the root of a site that speak to crawlers of the site, and are no pages of it. Sitemaps are among them because the
 * watcher writes one itself: a report of its own writing would never come to rest.
 */
export function speaksToCrawlers(url: string): boolean {
  return url === '/robots.txt' || /^\/sitemap[^/]*\.(?:xml|txt)$/i.test(url);
}

/** What follows the last dot, in lower case; '' where there is none or nothing before it. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}
