/**
 * Reads a real site from a folder of HTML files, for benchmarks that crawl it without a network.
 *
 * In: a start page on disk. Its folder is the site. Out: every page that links lead to, in the order of a breadth-first
 * crawl, the start page first. What always holds: pages are parsed and links are resolved by the crawler's own code,
 * and a link to a file that does not exist is left out.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { resolveOptions } from '../../src/core/options/options.ts';
import { normalizerFor, resolverFor } from '../../src/crawl/links/link-forms.ts';
import { kindsFollowed, linksParsed } from '../../src/crawl/links/links-wanted.ts';
import { attributeCode, LINK_WEIGHTS } from '../../src/graph/link-attributes.ts';
import { parsePage } from '../../src/page/page.ts';
import { emptyPage, type ParsedPage } from '../../src/page/parsed-page.ts';
import { hostOf } from '../../src/url/host.ts';
import { BadOption } from '../options.ts';

export interface SitePage {
  /** The path in the site, with a slash at the start. */
  readonly path: string;
  readonly title: string;
  /** The visible text. It is empty if texts are not wanted. */
  readonly text: string;
  /** One link for each target. */
  readonly links: readonly SiteLink[];
}

export interface SiteLink {
  /** The index of the target in the pages of the site. */
  readonly to: number;
  /** The attributes of the link (E6). */
  readonly code: number;
  /** Empty if texts are not wanted, as are the words around the link. */
  readonly anchor: string;
  readonly around: string;
}

export interface Site {
  readonly name: string;
  readonly pages: readonly SitePage[];
}

export const SITE_HOST = 'http://site.test';
export const SITES_HINT = '<name=file,…>';

const HTML = new Set(['.html', '.htm', '.xhtml']);
const INDEX = 'index.html';
const OPTIONS = resolveOptions([]);
const NORMALIZER = normalizerFor(OPTIONS);
const KINDS = kindsFollowed(OPTIONS);

/** `postgresql=/folder/index.html,python=…`: the names of sites, and their start pages. */
export function readSites(text: string, wantText: boolean): Site[] {
  return text.split(',').map((each) => {
    const [name, file] = each.split('=', 2) as [string, string | undefined];
    if (!file || !isFile(file))
      throw new BadOption(`--sites: "${each}" is not a name, =, and the file of a start page`);
    return readSite(name, file, wantText);
  });
}

function readSite(name: string, startFile: string, wantText: boolean): Site {
  const folder = dirname(startFile);
  const paths = [`/${basename(startFile)}`];
  const places = new Map<string, number>([[paths[0]!, 0]]);
  const pages: SitePage[] = [];
  const placeOf = (url: string): number => {
    const path = hostOf(url) === SITE_HOST ? filePath(folder, pathOf(url)) : null;
    if (path === null) return NOWHERE;
    const place = places.get(path) ?? paths.push(path) - 1;
    places.set(path, place);
    return place;
  };
  // Each URL is looked up on the disk once.
  const targets = new Map<string, number>();
  for (let at = 0; at < paths.length; at++) {
    const path = paths[at]!;
    const page = parseFile(join(folder, path), urlOf(path), wantText);
    const resolve = resolverFor(page, urlOf(path), NORMALIZER, OPTIONS.maxUrlLength);
    const links = new Map<number, SiteLink>();
    for (const { href, kind, nofollow, visibility, position, text, around } of page.links) {
      const url = KINDS.has(kind) && !nofollow ? resolve(href) : null;
      if (url === null) continue;
      const to = targets.get(url) ?? placeOf(url);
      targets.set(url, to);
      if (to === NOWHERE || to === at) continue;
      const code = attributeCode(visibility, position, true);
      const before = links.get(to);
      if (before && LINK_WEIGHTS[before.code]! >= LINK_WEIGHTS[code]!) continue;
      links.set(to, { to, code, anchor: text, around });
    }
    pages.push({ path, title: page.title, text: page.text, links: [...links.values()] });
  }
  return { name, pages };
}

const NOWHERE = -1;

function parseFile(file: string, url: string, wantText: boolean): ParsedPage {
  if (!HTML.has(extname(file))) return emptyPage('other', '');
  const wanted = { ...linksParsed(OPTIONS), wantText, wantAnchors: wantText, wantAround: wantText };
  return parsePage(readFileSync(file), 'text/html', url, wanted);
}

/** A folder stands for its index page, as servers do it. Null if there is no such file. */
function filePath(folder: string, path: string): string | null {
  if (isFile(join(folder, path))) return path;
  const index = join(path, INDEX);
  return isFile(join(folder, index)) ? index : null;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function urlOf(path: string): string {
  return SITE_HOST + encodeURI(path);
}

/** The path without the query. A path that is not valid UTF-8 names no file. */
function pathOf(url: string): string {
  const { pathname } = new URL(url);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
