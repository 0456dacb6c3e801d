/**
 * The settings of the watcher. In: flags, environment, configuration and options of a program. Out: frozen settings.
 *
 * What always holds: every site has its own URL, its own log and at most one folder per prefix; a misspelt name is
 * refused with the right one. The folders are checked on the file system later (site/site-options.ts, state-folder.ts).
 */
import { resolve } from 'node:path';
import { didYouMean } from '../core/did-you-mean.ts';
import { OrbweaverError } from '../core/errors.ts';
import { flagName, type OptionSource, resolveTable } from '../core/options/option-table.ts';
import { unknownName, withoutLogin } from '../core/options/secret-values.ts';
import { addressList } from './admit/client-address.ts';
import { readSiteUrl, type SiteRoot } from './site/site-options.ts';
import { type SiteRules, siteRules } from './site/site-rules.ts';
import {
  SITE_OPTIONS,
  type SiteOptions,
  WATCH_OPTION_NAMES,
  WATCH_OPTIONS,
  type WatchOptionValues,
} from './watch-options.ts';

export interface SiteSettings extends SiteOptions {
  /** Scheme and authority, without `/` at the end. */
  readonly site: string;
  /** The path of the main page, which begins and ends with `/`. */
  readonly path: string;
  /** Empty if a program serves everything and there are no files. */
  readonly roots: readonly SiteRoot[];
}

export interface WatchSettings extends WatchOptionValues {
  readonly sites: readonly SiteSettings[];
}

/** A site as the user named it. */
export interface NamedSite extends Pick<SiteSettings, 'site' | 'path' | 'roots'> {
  /** Options of this site only; null if there are none. */
  readonly own: OptionSource | null;
}

/** The content of a configuration file, or of the options that a program gives. */
export interface WatchConfig {
  readonly options: Readonly<Record<string, unknown>>;
  readonly sites: readonly NamedSite[];
}

const ENVIRONMENT_PREFIX = 'ORBWEAVER_WATCHER_';
const SITE_KEYS = ['url', 'root', 'roots'] as const;
const MAX_SITES = 1_000;

export function resolveWatch(sources: readonly OptionSource[], sites: readonly NamedSite[]): WatchSettings {
  if (sites.length === 0) {
    throw new OrbweaverError('ERR_USAGE', 'no site to watch: give <root> --url <site>, or --site <url>=<folder>');
  }
  if (sites.length > MAX_SITES)
    throw new OrbweaverError('ERR_USAGE', `one process can watch at most ${MAX_SITES} sites; start another process`);
  const settings = resolveTable(WATCH_OPTIONS, sources);
  const joined = new Map<string, SiteSettings>();
  for (const { site, path, roots, own } of sites) {
    const before = joined.get(site);
    const options = resolveTable(SITE_OPTIONS, own === null ? sources : withOwn(sources, own));
    const twin = [...joined.keys()].find((each) => each !== site && new URL(each).host === new URL(site).host);
    if (twin !== undefined) {
      throw new OrbweaverError(
        'ERR_BAD_OPTION',
        `${twin} and ${site} have the same host, so requests cannot tell them apart; keep only one of them`,
      );
    }
    const all = [...(before?.roots ?? []), ...roots];
    for (const { prefix } of roots) {
      if (all.filter((each) => each.prefix === prefix).length > 1) {
        throw new OrbweaverError('ERR_BAD_OPTION', `${site}${prefix} has two folders; remove one of them`);
      }
    }
    // The main page is at the shortest path: `https://a.example/docs/` is a part of `https://a.example/`.
    const main = before !== undefined && before.path.length < path.length ? before.path : path;
    joined.set(site, { ...splitNames(options), ...before, site, path: main, roots: all });
  }
  refuseSharedLogs([...joined.values()]);
  for (const site of joined.values()) checkAdmission(site);
  return Object.freeze({ ...settings, sites: [...joined.values()] });
}

/**
 * The rules of a site; null if it has no folder. Making them writes nothing, so errors in the settings are reported
 * before anything is written.
 */
export function rulesOf(settings: SiteSettings): SiteRules | null {
  if (settings.roots.length === 0) return null;
  return siteRules({
    ...settings,
    url: settings.site + settings.path,
    roots: settings.roots.map(({ folder, prefix }) => `${folder}=${prefix}`),
    indexNames: settings.index,
    droppedExtensions: settings.dropExtension,
  });
}

/** A log line does not name the site, so a crawler that takes one lease would get the leases of all sites. */
function refuseSharedLogs(sites: readonly SiteSettings[]): void {
  const siteOf = new Map<string, string>();
  for (const { site, accessLog } of sites) {
    if (accessLog === null) continue;
    const path = resolve(accessLog);
    const other = siteOf.get(path);
    if (other !== undefined) {
      const how = 'give each site its own "access-log" in its entry of "sites" in a --config file';
      throw new OrbweaverError(
        'ERR_BAD_OPTION',
        `--access-log ${accessLog} is the log of ${other} and of ${site}, and its lines do not name the site; ${how}`,
      );
    }
    siteOf.set(path, site);
  }
}

/**
 * Runs before anything is written. Checks the addresses of known crawlers, and that at
 * least one crawler may take the lease.
 */
function checkAdmission({ site, leaseFor, leaseKeys, leaseFrom }: SiteSettings): void {
  addressList(leaseFrom, '--lease-from');
  if (leaseFor === 'anyone' || leaseKeys !== null || leaseFrom.length > 0) return;
  const how = 'name known crawlers with --lease-keys or --lease-from';
  throw new OrbweaverError('ERR_BAD_OPTION', `--lease-for known: nobody may take the lease of ${site}; ${how}`);
}

/** Names can be given one by one or separated by commas. */
function splitNames(options: SiteOptions): SiteOptions {
  const split = (texts: readonly string[]) => texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  const { index, dropExtension, types, leaseFrom } = options;
  const names = { index: split(index), dropExtension: split(dropExtension), types: split(types) };
  return { ...options, ...names, leaseFrom: split(leaseFrom) };
}

/** Flags and the environment override the configuration of one site, which overrides the rest of the configuration. */
function withOwn(sources: readonly OptionSource[], own: OptionSource): OptionSource[] {
  const place = sources.findIndex(({ from }) => from.startsWith('configuration'));
  return place < 0 ? [...sources, own] : [...sources.slice(0, place), own, ...sources.slice(place)];
}

/** The sites of the command line: `<root> --url <site>`, and each `--site <url>=<folder>`. */
export function namedSites(
  words: readonly string[],
  url: string | undefined,
  siteFlags: readonly string[],
): readonly NamedSite[] {
  const sites: NamedSite[] = siteFlags.map((text) => {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1) {
      throw new OrbweaverError('ERR_BAD_OPTION', `--site needs <url>=<folder>, not "${withoutLogin(text)}"`);
    }
    return siteOf(text.slice(0, at), text.slice(at + 1));
  });
  if (words.length > 1) {
    throw new OrbweaverError(
      'ERR_USAGE',
      'only one folder can come before the flags; add others with --site <url>=<folder>',
    );
  }
  const [root] = words;
  if (root !== undefined && url !== undefined) sites.unshift(siteOf(url, root));
  else if (root !== undefined) {
    throw new OrbweaverError('ERR_USAGE', `the folder ${root} has no URL; add --url https://www.example.org/`);
  } else if (url !== undefined) {
    throw new OrbweaverError('ERR_USAGE', `--url ${withoutLogin(url)} has no folder; name the folder before the flags`);
  }
  return sites;
}

function siteOf(url: string, folder: string): NamedSite {
  const { site, path } = readSiteUrl(url);
  return { site, path, roots: [{ folder, prefix: path }], own: null };
}

/**
 * Reads a configuration: options by their flag names or in the spelling of programs, and
 * `sites` or one `url` with its `root`.
 */
export function readConfig(given: unknown, from: string): WatchConfig {
  const { sites: list, ...rest } = objectOf(given, from);
  const { options, site } = readPart(rest, from, WATCH_OPTION_NAMES);
  if (list !== undefined && !Array.isArray(list)) {
    throw new OrbweaverError('ERR_CONFIG', `${from}: "sites" must be a list of { "url": …, "root": … }`);
  }
  const more = ((list as unknown[] | undefined) ?? []).map((each, place): NamedSite => {
    const name = `${from}, site ${place + 1}`;
    const part = readPart(objectOf(each, name), name, Object.keys(SITE_OPTIONS));
    if (part.site === null) throw new OrbweaverError('ERR_CONFIG', `${name} has no "url"`);
    return { ...part.site, own: { from: name, given: part.options } };
  });
  return { options, sites: [...(site === null ? [] : [site]), ...more] };
}

function objectOf(given: unknown, from: string): Readonly<Record<string, unknown>> {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  throw new OrbweaverError('ERR_CONFIG', `${from} must be an object of options, such as { "url": …, "root": … }`);
}

function readPart(
  given: Readonly<Record<string, unknown>>,
  from: string,
  names: readonly string[],
): { options: Record<string, unknown>; site: NamedSite | null } {
  const options: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(given)) {
    if ((SITE_KEYS as readonly string[]).includes(written) || value === undefined) continue;
    const name = names.find((each) => flagName(each) === written || each === written);
    if (name === undefined) {
      const hint = didYouMean(written, [...names.map(flagName), ...SITE_KEYS, 'sites']);
      throw new OrbweaverError('ERR_UNKNOWN_OPTION', `${from}: unknown option ${unknownName(written)}${hint}`);
    }
    options[name] = value;
  }
  if (given.url === undefined) {
    if (given.root === undefined && given.roots === undefined) return { options, site: null };
    throw new OrbweaverError('ERR_CONFIG', `${from}: a "root" needs a "url"`);
  }
  const { site, path } = readSiteUrl(String(given.url));
  return { options, site: { site, path, roots: rootsOf(given, path, from), own: null } };
}

/** `root` is a folder at the path of the URL; `roots` are folders by the path under which they are served. */
function rootsOf(
  { root, roots }: Readonly<Record<string, unknown>>,
  prefix: string,
  from: string,
): readonly SiteRoot[] {
  if (root !== undefined && typeof root !== 'string') {
    throw new OrbweaverError('ERR_CONFIG', `${from}: "root" must be the path of one folder; use "roots" for several`);
  }
  const found: SiteRoot[] = root === undefined ? [] : [{ folder: root, prefix }];
  if (roots === undefined) return found;
  for (const [path, folder] of Object.entries(objectOf(roots, `${from}: "roots"`))) {
    if (typeof folder !== 'string' || !path.startsWith('/') || /[?#\s]/.test(path)) {
      throw new OrbweaverError(
        'ERR_CONFIG',
        `${from}: "roots" must map URL paths to folders, such as {"/docs/": "/srv/docs"}`,
      );
    }
    found.push({ folder, prefix: path.endsWith('/') ? path : `${path}/` });
  }
  return found;
}

/** Reads `ORBWEAVER_WATCHER_LISTEN` and similar variables. */
export function watchOptionsFromEnvironment(env: NodeJS.ProcessEnv): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(ENVIRONMENT_PREFIX) || value === undefined) continue;
    const written = variable.slice(ENVIRONMENT_PREFIX.length).toLowerCase().replaceAll('_', '-');
    Object.assign(
      given,
      readPart({ [written]: value }, `environment variable ${variable}`, WATCH_OPTION_NAMES).options,
    );
  }
  return given;
}
