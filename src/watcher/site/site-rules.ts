/**
 * Which files of a folder are pages, and at which URL each is served.
 *
 * In: the options of a site, and paths of files below its roots. Out: URL paths in the crawler's normal form (docs/url-normal-form.md), or null for what is
 * not served, not a page or left out by a pattern. Always: nothing is read from the disk after the start, a file has one URL, and two
 * files have the same one only where `before` names one of them for the other.
 */
import { UrlNormalizer } from '../../url/normalize.ts';
import { whyNeverFile, whyNeverFolder } from './never-reported.ts';
import { ASSET_EXTENSIONS, extensionOf, PAGE_EXTENSIONS, speaksToCrawlers } from './page-types.ts';
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
  /** Scheme and authority, no '/' at the end. */
  readonly site: string;
  /** The URL path of the main page: `/`, or the path that the site was given with. */
  readonly mainPage: string;
  readonly roots: readonly SiteRoot[];
  /** Whether the walk goes into a folder (path below its root, '/' between). */
  isWalked(folder: string): boolean;
  /** The URL path of a file of root `root`, or null where it is not a page or would not be served. `path` is below the root with '/' between. */
  urlOf(root: number, path: string): string | null;
  /**
   * Files of the same root that the web server would rather serve at this URL, in its order: a file is shadowed when one of these exists.
   * Only files count: a folder `a` does not stand before `a.html`.
   */
  before(root: number, path: string): readonly string[];
  /** The URL that a link leads to as a page is reported: `/docs/index.html?x` and `/docs` are `/docs/`. */
  urlOfLink(path: string): string;
}

/** What the file systems of this world can open. */
const MAX_PATH_CHARS = 4_096;
const NONE: readonly string[] = Object.freeze([]);
/** What a file name may have and a path of a URL would read otherwise. The circumflex is encoded by Node 20 on, and not before. */
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
  /** Of each root, the prefixes of other roots that lie below its own: a server has them answer. */
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
   * By nginx: `index` is answered with the first name of its list that exists, and `try_files $uri $uri.html` with the file
   * as asked for before the one with an extension.
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
    // Without dropped extensions a page has one, so that only a folder is called like this.
    if (this.#dropped.length === 0 && extensionOf(name) === '') return `${path}/`;
    return path.slice(0, slash + 1) + this.#servedName(name);
  }

  /** A walk asks for file after file of one folder. */
  #isInWalked(folder: string): boolean {
    if (folder !== this.#lastFolder) {
      this.#lastFolder = folder;
      this.#isLastWalked = this.isWalked(folder);
    }
    return this.#isLastWalked;
  }

  /** '' for an index. */
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
    // A name that is no UTF-8 cannot be read from the disk as it is, and so not be told.
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
