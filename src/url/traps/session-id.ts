/** A session id in the URL gives every visit its own copy of every page. The URL without the id names the page. */
import { pathStart } from '../host.ts';
import { parameterName } from '../query-parameters.ts';

export interface SessionIdFinding {
  readonly reason: 'trap-session-id';
  /** The URL without the id, in normal form. */
  readonly instead: string;
}

/**
 * Lower-case names that carry a session id if the value looks like an id, with the minimum length of the value. A short
 * `sid` may be a story or a section, so short values are ignored.
 */
const SESSION_PARAMETERS = new Map<string, number>([
  ['jsessionid', 1],
  ['cftoken', 6],
  ['sid', 20],
  ...'phpsessid sessid sessionid session_id session-id asp.net_sessionid oscsid zenid xtcsid mscssid'
    .split(' ')
    .map((name) => [name, 16] as const),
]);
const ASP_PREFIX = 'aspsessionid';

/** A segment of ASP.NET without cookies: /(S(lit3py55t21z5v55vlm25s55))/page.aspx */
const ASP_NET_SEGMENT = /^\([A-Z]\([0-9a-z]{20,64}\)\)$/i;
const ID_CHARACTERS = /^[0-9a-z._!~,:*+-]+$/i;

/** Finds a session id in the URL and returns the URL of the page without it. */
export function findSessionId(url: string): SessionIdFinding | null {
  // Every ordinary URL returns here.
  if (!url.includes('?') && !url.includes(';') && !url.includes('(')) return null;
  const fragmentAt = url.indexOf('#');
  const fragment = fragmentAt === -1 ? '' : url.slice(fragmentAt);
  const whole = fragmentAt === -1 ? url : url.slice(0, fragmentAt);
  const question = whole.indexOf('?');
  const query = question === -1 ? '' : whole.slice(question + 1);
  const start = pathStart(url);
  const path = whole.slice(start, question === -1 ? undefined : question);

  const keptPath = pathWithoutSession(path);
  const keptQuery = queryWithoutSession(query);
  if (keptPath === path && keptQuery === query) return null;
  const instead = whole.slice(0, start) + keptPath + (keptQuery === '' ? '' : `?${keptQuery}`) + fragment;
  return { reason: 'trap-session-id', instead };
}

function pathWithoutSession(path: string): string {
  if (!path.includes(';') && !path.includes('(')) return path;
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (ASP_NET_SEGMENT.test(segment)) continue;
    const parts = segment.split(';');
    const bare = parts.filter((part, at) => at === 0 || !isSessionPair(part)).join(';');
    // `..;jsessionid=1` without its parameter would be a dot segment, which names a different page.
    kept.push(bare === '.' || bare === '..' ? segment : bare);
  }
  // If the only segment was dropped, just the empty string before the first slash is left. The page is the root.
  return kept.length === 1 ? '/' : kept.join('/');
}

function queryWithoutSession(query: string): string {
  if (query === '') return query;
  const pairs = query.split('&');
  // A ColdFusion `cfid` alone is a small number like any other. Beside its token it is half of a session id.
  const hasToken = pairs.some((pair) => parameterName(pair).toLowerCase() === 'cftoken' && isSessionPair(pair));
  return pairs
    .filter((pair) => !isSessionPair(pair) && !(hasToken && parameterName(pair).toLowerCase() === 'cfid'))
    .join('&');
}

function isSessionPair(pair: string): boolean {
  const name = parameterName(pair);
  const value = pair.slice(name.length + 1);
  const lowerName = name.toLowerCase();
  const minLength = SESSION_PARAMETERS.get(lowerName) ?? (lowerName.startsWith(ASP_PREFIX) ? 16 : undefined);
  if (minLength === undefined || value.length < minLength) return false;
  // Ids are random characters of an alphabet, so sixteen letters without a digit are a word, not an id.
  return ID_CHARACTERS.test(value) && (minLength === 1 || /\d/.test(value) || /^[A-Z]{24}$/.test(value));
}
