/**
 * Removes the parts of a URL in a page that are random in each visit. Links keep their exact target except for session
 * ids, tokens and the moment of the response. Scripts and style sheets also lose versions and hashes. Pictures lose
 * only parameters that exist to defeat caches, because a new version of a picture is a new picture.
 */
import { decodeHTML } from 'entities';
import { findSessionId } from '../../url/traps/session-id.ts';
import { decodeCloudflareEmail, withoutChallenge } from './anti-bot.ts';
import { isEpoch, looksDrawn, looksRandom } from './looks-random.ts';
import type { NoiseLog } from './noise-log.ts';

/** The documents of frames have the role of pictures: what defeats caches in their URLs is no other document. */
export type UrlRole = 'link' | 'code' | 'picture';

/** Longer URLs are not examined: no site has such links, and data URLs are pictures. */
const MAX_URL_CHARS = 4_096;
/** Makes an absolute URL of a relative reference. No URL of a page begins with it. */
const STAND_IN_ORIGIN = 'http://relative.invalid';

const VERSION_PARAMETER =
  /^(?:v|ver|version|rev|revision|build|buildid|hash|t|ts|time|timestamp|mtime|cache|cv|bust|vsn)$/i;
const BUSTER_PARAMETER =
  /^(?:_|__|_t|_ts|cb|cachebust|cachebuster|cache-buster|nocache|no_cache|no-cache|rand|random|rnd|_dc|dc_rnd|ord)$/i;
/** `/style.css?1718022` and `?9f86d081`: the whole query is the version. */
const BARE_VERSION = /^(?:\d{6,14}|[0-9a-f]{6,64}|v?\d+(?:\.\d+){0,4})$/i;
/** `main.9f86d081.js`, `chunk-9f86d081884c.css`, `index-BkT3x9aZ.js`: the last part before the extension. */
const HASHED_NAME = /[._/-]([0-9A-Za-z]{8,64})(\.(?:min\.|module\.|bundle\.|chunk\.)?(?:js|mjs|css))$/;
/** `/_next/static/Xy12AbCd34EfGh56/_buildManifest.js` */
const HASHED_FOLDER =
  /\/(_next\/static|_nuxt|static|assets|build|dist|cache|minify|bundles?)\/([0-9A-Za-z_-]{16,64})\//;
/** The hash of a whole file, anywhere in the path. */
const LONG_HASH = /(?<![0-9a-z])(?=[0-9a-f]{0,64}[a-f])(?=[0-9a-f]{0,64}\d)[0-9a-f]{16,64}(?![0-9a-z])/gi;
/** `/static/version1718022334/` */
const VERSION_FOLDER = /\/(?:version|v|build|rev)[-_]?\d{8,14}\//;

export function cleanUrl(url: string, role: UrlRole, log: NoiseLog): string {
  if (url.length > MAX_URL_CHARS) return url;
  let cleaned = url;
  // Every ordinary link fails these checks.
  if (/[?;(]/.test(url)) cleaned = withoutTokens(withoutSession(cleaned, log), log);
  if (url.includes('&#')) cleaned = withReadableAddress(cleaned, log);
  if (/\/cdn-cgi\/|_Incapsula_|bm-verify|__cf_chl|\/recaptcha\//.test(url)) cleaned = withoutBlobs(cleaned, log);
  return role === 'link' ? withoutMoment(cleaned, log) : withoutVersion(cleaned, role, log);
}

function withoutSession(url: string, log: NoiseLog): string {
  const absolute = /^https?:\/\//i.test(url);
  const prefix = absolute
    ? ''
    : url.startsWith('//')
      ? 'http:'
      : url.startsWith('/')
        ? STAND_IN_ORIGIN
        : `${STAND_IN_ORIGIN}/`;
  const found = findSessionId(prefix + url);
  if (found === null || !found.instead.startsWith(prefix) || !log.takes('session-id', url)) return url;
  return found.instead.slice(prefix.length);
}

/** Parameters that sign a URL or name a visit. They are noise if they look drawn. */
const TOKEN_PARAMETER =
  /^(?:\w{0,24}(?:token|nonce|csrf|xsrf|signature|hmac)|sig|policy|key-pair-id|expires|(?:visitor|visit|consent|request|correlation|trace|incident|session)_?id|state|code_challenge|login_challenge|hdne[at]s?|_nc_\w{2,5}|oh|oe)$/i;
/** Storage services sign a URL with these parameters. They have no other use, so their values need not look drawn. */
const SIGNING_PARAMETER =
  /^x-(?:amz|goog)-(?:algorithm|credential|date|expires|signedheaders|signature|security-token)$/i;
/** Names of the moment of the response in a link: `/login?from=%2Fx&ts=1718022334`. */
const MOMENT_PARAMETER = /^(?:t|ts|time|timestamp|_|_t|_ts|cb|cache-?bust(?:er)?|no[-_]?cache)$/i;
/** A JSON Web Token. */
const JWT = /^eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,1000}$/;
const MAX_PARAMETERS = 64;

function withoutTokens(url: string, log: NoiseLog): string {
  const cleaned = withoutParameters(url, isToken);
  return cleaned !== url && log.takes('session-id', url) ? cleaned : url;
}

function withoutMoment(url: string, log: NoiseLog): string {
  const cleaned = withoutParameters(url, (name, value) => MOMENT_PARAMETER.test(name) && isEpoch(value));
  return cleaned !== url && log.takes('cache-buster', url) ? cleaned : url;
}

/** Entities of the written page are decoded already, so every `&` separates. */
function withoutParameters(url: string, isLeftOut: (name: string, value: string) => boolean): string {
  const question = url.indexOf('?');
  if (question === -1) return url;
  const hash = url.indexOf('#', question);
  const end = hash === -1 ? url.length : hash;
  const pairs = url.slice(question + 1, end).split('&');
  if (pairs.length > MAX_PARAMETERS) return url;
  const kept = pairs.filter((pair) => {
    const equals = pair.indexOf('=');
    return equals < 1 || !isLeftOut(pair.slice(0, equals), pair.slice(equals + 1));
  });
  if (kept.length === pairs.length) return url;
  return `${url.slice(0, question)}${kept.length === 0 ? '' : `?${kept.join('&')}`}${url.slice(end)}`;
}

function isToken(name: string, value: string): boolean {
  return JWT.test(value) || SIGNING_PARAMETER.test(name) || (TOKEN_PARAMETER.test(name) && looksDrawn(value));
}

/** A mail address in character references, which many sites choose at random to hide it from robots. */
function withReadableAddress(url: string, log: NoiseLog): string {
  return url.startsWith('mailto:') && log.takes('anti-bot', url) ? decodeHTML(url) : url;
}

function withoutBlobs(url: string, log: NoiseLog): string {
  const protection = /\/cdn-cgi\/l\/email-protection#([0-9a-f]{6,512})$/i.exec(url);
  if (protection !== null) {
    const address = decodeCloudflareEmail(protection[1]!);
    return address !== null && log.takes('anti-bot', url) ? `mailto:${address}` : url;
  }
  const kept = withoutChallenge(url);
  return kept !== null && log.takes('anti-bot', url) ? kept : url;
}

function withoutVersion(url: string, role: 'code' | 'picture', log: NoiseLog): string {
  const question = url.indexOf('?');
  const path = question === -1 ? url : url.slice(0, question);
  const query = question === -1 ? '' : url.slice(question + 1);
  const keptPath = role === 'code' ? withoutHash(path) : path;
  const keptQuery = query === '' ? '' : withoutBusters(query, role);
  if ((keptPath === path && keptQuery === query) || !log.takes('cache-buster', url)) return url;
  return keptQuery === '' ? keptPath : `${keptPath}?${keptQuery}`;
}

function withoutBusters(query: string, role: 'code' | 'picture'): string {
  if (role === 'code' && BARE_VERSION.test(query)) return '';
  const pairs = query.split('&');
  const kept = pairs.filter((pair) => {
    const equals = pair.indexOf('=');
    if (equals === -1) return true;
    const name = pair.slice(0, equals);
    // Only a number or a hash is dropped: the picture of `?random=cat` differs from the picture of `?random=dog`.
    if (BUSTER_PARAMETER.test(name)) return !isBuster(pair.slice(equals + 1), role);
    return !(role === 'code' && VERSION_PARAMETER.test(name) && isVersion(pair.slice(equals + 1)));
  });
  return kept.length === pairs.length ? query : kept.join('&');
}

/**
 * Whether a value is empty, a hash, or digits, letters and points with at least one digit. There are two patterns,
 * because one pattern for all of this would backtrack.
 */
function isVersion(value: string): boolean {
  return value === '' || (/^[\w.-]+$/.test(value) && /\d/.test(value)) || /^[a-f]{6,64}$/.test(value);
}

/** `?random=1` may select a picture; a timestamp or a hash does not. */
function isBuster(value: string, role: 'code' | 'picture'): boolean {
  if (role === 'code' && /^[\d.]*$/.test(value)) return true;
  return /^\d{6,20}(?:\.\d{1,20})?$|^0\.\d{6,20}$/.test(value) || /^(?=\D{0,64}\d)[0-9a-f-]{6,64}$/i.test(value);
}

function withoutHash(path: string): string {
  let cleaned = path.replace(VERSION_FOLDER, '/*/').replace(LONG_HASH, '*');
  const folder = HASHED_FOLDER.exec(cleaned);
  if (folder !== null && isHash(folder[2]!)) cleaned = cleaned.replace(`/${folder[2]}/`, '/*/');
  const name = HASHED_NAME.exec(cleaned);
  if (name === null || !isHash(name[1]!)) return cleaned;
  return `${cleaned.slice(0, name.index + 1)}*${name[2]}`;
}

/** Whether a text is a hash: it has digits among its letters and is not a word followed by a number (`bootstrap5`). */
function isHash(text: string): boolean {
  if (/^[0-9a-f]+$/i.test(text)) return /\d/.test(text);
  return (
    /\d/.test(text) &&
    (looksRandom(text, 12) ||
      (text.length <= 12 && /[a-z]/.test(text) && /[A-Z]/.test(text) && !/^[A-Z]?[a-z]+\d+$/.test(text)))
  );
}
