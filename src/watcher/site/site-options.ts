/** The options of a site, checked against the disk. Each error message says what to do instead. */
import { realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { OrbweaverError } from '../../core/errors.ts';
import { withoutLogin } from '../../core/options/secret-values.ts';
import { withoutFirst, withoutLast } from '../../core/text/trim-character.ts';
import { hostOf, pathOf } from '../../url/host.ts';
import { lacksScheme, UrlNormalizer } from '../../url/normalize.ts';
import { whyNeverExtension } from './never-reported.ts';

export interface SiteRulesOptions {
  /** Scheme and authority of the site, optionally with the path of its root: `https://www.example.org/blog/`. */
  readonly url: string;
  /** `folder`, or `folder=/prefix/` if it is served at another path. */
  readonly roots: readonly string[];
  /** Index files of a folder; the first existing one is served. Default: index.html, index.htm, index.xhtml. */
  readonly indexNames?: readonly string[];
  /** `['.html']` if the server answers `/a` with a.html. */
  readonly droppedExtensions?: readonly string[];
  /** Patterns of path-pattern.ts. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Further extensions that are pages: `['.md']`. */
  readonly types?: readonly string[];
  /** Also report images, styles, scripts, fonts and media. */
  readonly assets?: boolean;
}

export interface SiteRoot {
  readonly folder: string;
  /** URL path of its files; begins and ends with '/'. */
  readonly prefix: string;
}

export const INDEX_NAMES = ['index.html', 'index.htm', 'index.xhtml'] as const;

/** Scheme and authority, and the path for roots without their own prefix. */
export function readSiteUrl(url: string): { site: string; path: string } {
  const normal = new UrlNormalizer().normalize(url.trim());
  if (normal === null) {
    const hint = lacksScheme(url) ? `write https://${withoutLogin(url)}` : 'write it like https://www.example.org';
    throw new OrbweaverError(
      'ERR_BAD_URL',
      `${JSON.stringify(withoutLogin(url))} is not an http or https URL: ${hint}.`,
    );
  }
  if (/[?#]/.test(url)) {
    const hint = `write ${normal.split('?', 1)[0]} instead of ${withoutLogin(url)}`;
    bad(`The URL of a site must not have a query or fragment: ${hint}.`);
  }
  const path = pathOf(normal);
  return { site: hostOf(normal), path: path.endsWith('/') ? path : `${path}/` };
}

/** `sitePath` is the prefix of roots that name none. */
export function readRoots(texts: readonly string[], sitePath: string): SiteRoot[] {
  if (texts.length === 0) bad('A site needs a root: the folder that its web server serves.');
  const roots = texts.map((text) => readRoot(text, sitePath));
  const places = roots.map(({ folder }) => realpathSync(folder));
  for (const [index, root] of roots.entries()) {
    for (const [other, { folder, prefix }] of roots.entries()) {
      if (other === index) continue;
      if (other < index && prefix === root.prefix) {
        const hint = `give one of them a prefix, such as ${root.folder}=/docs/`;
        bad(`The roots ${folder} and ${root.folder} are both served at ${prefix}: ${hint}.`);
      }
      const outer = places[other]!.endsWith(sep) ? places[other]! : places[other]! + sep;
      if (places[index] === places[other] || places[index]!.startsWith(outer)) {
        bad(`The root ${root.folder} is inside the root ${folder}: remove one of them, or make them two sites.`);
      }
    }
  }
  return roots;
}

export function readNames(names: readonly string[], what: string): readonly string[] {
  for (const name of names) {
    if (name === '' || name.includes('/'))
      bad(`${JSON.stringify(name)} is not a valid ${what}: write a name without a path.`);
  }
  return [...new Set(names)];
}

/** `.html` and `html` are the same. Returns the extensions with their dot. */
export function readExtensions(extensions: readonly string[], option: string): readonly string[] {
  return extensions.map((written) => {
    const extension = written.startsWith('.') ? written.slice(1) : written;
    if (!/^[\w-]+$/.test(extension))
      bad(`${JSON.stringify(written)} is not an extension for ${option}: write it like .html.`);
    const why = whyNeverExtension(extension);
    if (why !== null)
      bad(`Files that end in .${extension} are never reported (${why}): remove the extension from ${option}.`);
    return `.${extension}`;
  });
}

function readRoot(text: string, sitePath: string): SiteRoot {
  // A folder name may contain `=`, but then the folder exists.
  const equals = isThere(text) ? -1 : text.lastIndexOf('=');
  const folder = resolve(equals === -1 ? text : text.slice(0, equals));
  if (text === '' || equals === 0) bad(`The root ${JSON.stringify(text)} names no folder.`);
  const prefix = equals === -1 ? sitePath : readPrefix(text.slice(equals + 1), text);
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) bad(`There is no folder ${folder}: give the folder that the web server serves.`);
  if (!stat.isDirectory()) bad(`${folder} is a file: give the folder that the web server serves.`);
  return { folder, prefix };
}

function readPrefix(written: string, root: string): string {
  if (!written.startsWith('/') || !written.endsWith('/')) {
    const right = `${root.slice(0, root.lastIndexOf('='))}=/${withoutLast(withoutFirst(written, '/'), '/')}/`;
    bad(`The prefix of the root ${root} must begin and end with a slash: write ${right}.`);
  }
  const normal = new UrlNormalizer().normalize(`http://host${written}`);
  const prefix = normal === null ? '' : pathOf(normal);
  const isPath =
    prefix.endsWith('/') &&
    !/[?#]|\/\//.test(written) &&
    !written.split('/').some((part) => part === '..' || part === '.');
  if (!isPath) bad(`The prefix of the root ${root} is not a URL path: write it like folder=/docs/.`);
  return prefix;
}

function isThere(path: string): boolean {
  return path !== '' && statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function bad(message: string): never {
  throw new OrbweaverError('ERR_BAD_OPTION', message);
}
