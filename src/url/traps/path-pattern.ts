/**
 * URLs that differ only in numbers and parameter values (calendars, facets)
 * share a pattern, and each pattern has a budget.
 */
import { pathStart } from '../host.ts';
import { parameterName } from '../query-parameters.ts';

/** Facet pages can have any number of parameters. This many are enough to tell the spaces apart. */
const MAX_PARAMETERS = 32;

/**
 * The pattern of a URL for the budget of endless spaces: runs of digits in the path become `#`, and the query becomes
 * its sorted distinct names. The host is part of the pattern, so that one table can serve many hosts.
 *
 * Null means "no budget": a URL without a query and with at most one numbered segment is like
 * /item/123, and honest sites have millions of these.
 */
export function pathPattern(url: string): string | null {
  const start = pathStart(url);
  let end = start;
  let numberedSegments = 0;
  let isNumbered = false;
  for (; end < url.length; end++) {
    const code = url.charCodeAt(end);
    if (code === 0x3f || code === 0x23) break;
    if (code === 0x2f) isNumbered = false;
    else if (!isNumbered && isDigit(code)) {
      isNumbered = true;
      numberedSegments++;
    }
  }
  const hasQuery = url.charCodeAt(end) === 0x3f;
  if (!hasQuery && numberedSegments <= 1) return null;
  const path = url.slice(0, start) + withoutNumbers(url.slice(start, end));
  return hasQuery ? `${path}?${namesOf(url.slice(end + 1))}` : path;
}

/**
 * Replaces each run of digits by one `#`. Runs for every new URL, and a regular expression would take twice as long.
 */
function withoutNumbers(text: string): string {
  let out = '';
  let copiedTo = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text.charCodeAt(at))) continue;
    out += `${text.slice(copiedTo, at)}#`;
    do at++;
    while (isDigit(text.charCodeAt(at)));
    copiedTo = at;
  }
  return copiedTo === 0 ? text : out + text.slice(copiedTo);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function namesOf(queryAndFragment: string): string {
  const fragment = queryAndFragment.indexOf('#');
  const query = fragment === -1 ? queryAndFragment : queryAndFragment.slice(0, fragment);
  const names = new Set<string>();
  for (const pair of query.split('&', MAX_PARAMETERS)) names.add(withoutNumbers(parameterName(pair)));
  return [...names].sort().join('&');
}
