/** A session id in the URL gives every visit its own copy of every page; the URL without it is the page. */
import { pathStart } from '../host.ts';
import { parameterName } from '../query-rules.ts';

export interface SessionIdFinding {
  readonly reason: 'trap-session-id';
  /** The URL without the id, in normal form. */
  readonly instead: string;
}

/**
 * Names, in lower case, that carry a session id when the value looks like one, with the least length of such a value.
 * `sid` alone may be a story or a section: short values are left alone.
 */
const SESSION_PARAMETERS = new Map<string, number>([
  ['jsessionid', 1],
  ['phpsessid', 16],
  ['sid', 20],
  ['sessid', 16],
  ['sessionid', 16],
  ['session_id', 16],
  ['session-id', 16],
  ['asp.net_sessionid', 16],
  ['oscsid', 16],
  ['zenid', 16],
  ['xtcsid', 16],
  ['mscssid', 16],
  ['cftoken', 6],
]);
const ASP_PREFIX = 'aspsessionid';

/** ASP.NET without cookies: /(S(lit3py55t21z5v55vlm25s55))/page.aspx */
const ASP_NET_SEGMENT = /^\([A-Z]\([0-9a-z]{20,64}\)\)$/i;
const ID_CHARACTERS = /^[0-9a-z._!~,:*+-]+$/i;

/** Whether the URL is a page plus a session id, and which page that is. */
export function findSessionId(url: string): SessionIdFinding | null {
  // Every ordinary URL leaves here.
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
    // `..;jsessionid=1` without its parameter would be a dot segment, another page altogether.
    kept.push(bare === '.' || bare === '..' ? segment : bare);
  }
  // A dropped last segment leaves the first, empty one only: the root.
  return kept.length === 1 ? '/' : kept.join('/');
}

function queryWithoutSession(query: string): string {
  if (query === '') return query;
  const pairs = query.split('&');
  // A ColdFusion id alone is a small number like any other; beside its token it is half of a session.
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
  // Ids are drawn from an alphabet at random: sixteen letters without a digit are a word, not an id.
  return ID_CHARACTERS.test(value) && (minLength === 1 || /\d/.test(value) || /^[A-Z]{24}$/.test(value));
}
