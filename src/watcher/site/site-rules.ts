/**
 * Decides which files of a folder are pages, and the URL of each.
 *
 * In: the options of a site, and paths of files below its roots. Out: URL paths in the crawler's normal form
 * (docs/url-normal-form.md), or null for a file that is not served, is not a page or is left out by a pattern. What
 * always holds: nothing is read from the disk after the start; a file has one URL; two files have the same URL only if
 * `before` names one of them for the other.
 */
import { UrlNormalizer } from '../../url/normalize.ts';
import { whyNeverFile, whyNeverFolder } from './never-reported.ts';
import { compilePathPattern, type PathPattern } from './path-pattern.ts';
import {
  INDEX_NAMES,
  readExtensions,
  readNames,
  readRoots,
  readSiteUrl,
  type SiteRoot,
  type SiteRulesOptions,
} from './site-options.ts';

export type { SiteRoot, SiteRulesOptions } from './site-options.ts';

export interface SiteRules {
  /** Scheme and authority, without '/' at the end. */
  readonly site: string;
  /** The URL path of the main page: `/`, or the path in the URL of the site. */
  readonly mainPage: string;
  readonly roots: readonly SiteRoot[];
  /** Whether the walk enters a folder (path below its root, separated by '/'). */
  isWalked(folder: string): boolean;
  /**
   * The URL path of a file of root `root`; null if the file is not a page or would not be served.
   * `path` is below the root, separated by '/'.
   */
  urlOf(root: number, path: string): string | null;
  /**
   * Files of the same root that the web server prefers at this URL, in its order. A file is shadowed if one of them
   * exists. Only files count: a folder `a` does not shadow `a.html`.
   */
  before(root: number, path: string): readonly string[];
  /** The URL of a link in the form that pages are reported: `/docs/index.html?x` and `/docs` are `/docs/`. */
  urlOfLink(path: string): string;
}

/** The longest path that file systems can open. */
const MAX_PATH_CHARS = 4_096;
const NONE: readonly string[] = Object.freeze([]);
/**
 * Characters of a file name that have another meaning in a URL path. Node encodes the
 * circumflex only from version 20 on.
 */
const MISREAD = /[ %?#\\^\u0000-\u001f]/g;
const NEEDS_CARE = /[^\w./~-]/;

export function siteRules(options: SiteRulesOptions): SiteRules {
  const { site, path } = readSiteUrl(options.url);
  return new Site(site, path, readRoots(options.roots, path), options);
}

class Site implements SiteRules {
  readonly site: string;
  readonly mainPage: string;
  readonly roots: readonly SiteRoot[];
  readonly #indexNames: readonly string[];
  /** With their dots. */
  readonly #dropped: readonly string[];
  readonly #types: ReadonlySet<string>;
  readonly #include: readonly PathPattern[];
  readonly #exclude: readonly PathPattern[];
  readonly #normalizer = new UrlNormalizer();
  /** For each root, the prefixes of other roots below its own prefix. The server answers them from the other roots. */
  readonly #taken: readonly (readonly string[])[];
  #lastFolder = '';
  #isLastWalked = true;

  constructor(site: string, mainPage: string, roots: readonly SiteRoot[], options: SiteRulesOptions) {
    this.site = site;
    this.mainPage = mainPage;
    this.roots = roots;
    this.#indexNames = readNames(options.indexNames ?? INDEX_NAMES, 'name of an index file');
    this.#dropped = readExtensions(options.droppedExtensions ?? NONE, 'the dropped extensions');
    const types = readExtensions(options.types ?? NONE, 'the types').map((type) => type.slice(1).toLowerCase());
    this.#types = new Set([...PAGE_EXTENSIONS, ...types, ...(options.assets ? ASSET_EXTENSIONS : NONE)]);
    this.#include = (options.include ?? NONE).map(compilePathPattern);
    this.#exclude = (options.exclude ?? NONE).map(compilePathPattern);
    this.#taken = roots.map(({ prefix }) =>
      roots.map((other) => other.prefix).filter((other) => other !== prefix && other.startsWith(prefix)),
    );
  }

  isWalked(folder: string): boolean {
    if (folder === '') return true;
    if (folder.length > MAX_PATH_CHARS || folder.split('/').some((name) => whyNeverFolder(name) !== null)) return false;
    return !this.#exclude.some((pattern) => pattern.matchesFolder(folder));
  }

  urlOf(root: number, path: string): string | null {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    if (path.length > MAX_PATH_CHARS || !this.#types.has(extensionOf(name)) || whyNeverFile(name) !== null) return null;
    if (slash !== -1 && !this.#isInWalked(path.slice(0, slash))) return null;
    if (this.#exclude.some((pattern) => pattern.matchesFile(path))) return null;
    if (this.#include.length > 0 && !this.#include.some((pattern) => pattern.matchesFile(path))) return null;
    const url = this.#address(root, path.slice(0, slash + 1) + this.#servedName(name));
    return url === null || speaksToCrawlers(url) || this.#taken[root]!.some((prefix) => url.startsWith(prefix))
      ? null
      : url;
  }

  /**
   * As in nginx: `index` serves the first existing name of its list, and `try_files $uri $uri.html` prefers the file as
   * requested to the file with an extension.
   */
  before(_root: number, path: string): readonly string[] {
    const slash = path.lastIndexOf('/');
    const folder = path.slice(0, slash + 1);
    const name = path.slice(slash + 1);
    const index = this.#indexNames.indexOf(name);
    if (index !== -1) return index === 0 ? NONE : this.#indexNames.slice(0, index).map((other) => folder + other);
    const dropped = this.#droppedFrom(name);
    if (dropped === -1) return NONE;
    const bare = path.slice(0, -this.#dropped[dropped]!.length);
    return [bare, ...this.#dropped.slice(0, dropped).map((extension) => bare + extension)];
  }

  urlOfLink(link: string): string {
    const question = link.indexOf('?');
    const path = question === -1 ? link : link.slice(0, question);
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    if (name === '') return path;
    // Without dropped extensions every page has an extension, so a name without one is a folder.
    if (this.#dropped.length === 0 && extensionOf(name) === '') return `${path}/`;
    return path.slice(0, slash + 1) + this.#servedName(name);
  }

  /** Caches the last folder, because a walk asks for all files of one folder in sequence. */
  #isInWalked(folder: string): boolean {
    if (folder !== this.#lastFolder) {
      this.#lastFolder = folder;
      this.#isLastWalked = this.isWalked(folder);
    }
    return this.#isLastWalked;
  }

  /** Empty for an index file. */
  #servedName(name: string): string {
    if (this.#indexNames.includes(name)) return '';
    const dropped = this.#droppedFrom(name);
    return dropped === -1 ? name : name.slice(0, -this.#dropped[dropped]!.length);
  }

  #droppedFrom(name: string): number {
    return this.#dropped.findIndex((extension) => name.endsWith(extension) && name.length > extension.length);
  }

  #address(root: number, path: string): string | null {
    const { prefix } = this.roots[root]!;
    if (!NEEDS_CARE.test(path)) return prefix + path;
    // A name that is not UTF-8 cannot be read from the disk correctly, so it cannot be reported.
    if (path.includes('\ufffd') || hasLoneSurrogate(path)) return null;
    const spelled = path.replace(
      MISREAD,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
    const url = this.#normalizer.normalize(`${this.site}${prefix}${spelled}`);
    return url === null ? null : url.slice(this.site.length);
  }
}

function hasLoneSurrogate(text: string): boolean {
  return /[\ud800-\udfff]/u.test(text);
}

/**
 * The file types that are pages: documents that a crawler stores on their own. The extension decides, without regard to
 * case. A file without an extension is not a page, because servers send it as a byte stream.
 */
export const PAGE_EXTENSIONS: readonly string[] = [
  ...['html', 'htm', 'xhtml', 'xht'],
  // Feeds, and documents in XML.
  ...['xml', 'rss', 'atom', 'rdf'],
  ...['txt', 'pdf', 'ps', 'djvu', 'epub', 'rtf', 'csv'],
  ...['doc', 'docx', 'odt', 'xls', 'xlsx', 'ods', 'ppt', 'pptx', 'odp'],
  // .json and .md are not listed: they are more often data for scripts and sources of
  // pages. The option `types` adds them.
];

/** Parts of pages, reported if the option `assets` is set. */
export const ASSET_EXTENSIONS: readonly string[] = [
  ...['css', 'js', 'mjs', 'json', 'webmanifest', 'wasm'],
  ...['png', 'jpg', 'jpeg', 'jfif', 'gif', 'webp', 'avif', 'svg', 'ico', 'bmp', 'tif', 'tiff', 'apng', 'jxl', 'heic'],
  ...['woff', 'woff2', 'ttf', 'otf', 'eot'],
  ...'mp3 m4a aac ogg oga opus wav flac mid mp4 m4v webm ogv mov avi mkv'.split(' '),
  ...['vtt', 'srt'],
];

/**
 * Files at the root of a site that are for crawlers and are not pages. Sitemaps are included because the watcher writes
 * one itself: reporting its own file would cause an endless sequence of changes.
 */
function speaksToCrawlers(url: string): boolean {
  return url === '/robots.txt' || /^\/sitemap[^/]*\.(?:xml|txt)$/i.test(url);
}

/** The text after the last dot, in lower case; '' if there is no dot or nothing before it. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}
