import { agentToken } from './parse-robots-txt.ts';

/**
 * The requests that a page makes to crawlers in its X-Robots-Tag headers and robots meta elements. In:
 * the texts of both. Out: two answers. What always holds: directives for everyone and directives for us
 * count, directives for other crawlers do not. If two directives differ, the more restrictive one wins,
 * so `index` and `follow` never cancel anything.
 */
export interface PageDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export interface DirectiveSources {
  /** One string per header line. */
  readonly xRobotsTag: readonly string[];
  readonly metaRobots: readonly { readonly name: string; readonly content: string }[];
}

/** Directives with a value after a colon. Any other word before a colon is the name of a crawler. */
const VALUED_DIRECTIVES = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);
/** More than any honest page has. The text after this limit is not read. */
const MAX_DIRECTIVES_CHARS = 8_192;
/** A date such as `Sunday, 25 Jun 2010 15:00:00 GMT` contains at most one comma. One part more costs nothing. */
const MAX_DATE_PARTS = 3;

export function parseRobotsDirectives(
  sources: DirectiveSources,
  productToken: string,
  nowMs: number = Date.now(),
): PageDirectives {
  const ownToken = agentToken(productToken);
  const found = { noindex: false, nofollow: false };
  for (const header of sources.xRobotsTag) readDirectives(header, ownToken, true, nowMs, found);
  for (const { name, content } of sources.metaRobots) {
    const lowerName = name.trim().toLowerCase();
    const isForUs = lowerName === 'robots' || (ownToken !== '' && lowerName === ownToken);
    if (isForUs) readDirectives(content, ownToken, false, nowMs, found);
  }
  return found;
}

/**
 * A header may name a crawler (`otherbot: noindex, nofollow`). The directives up to the next name are for that crawler.
 */
function readDirectives(
  text: string,
  ownToken: string,
  mayNameAgents: boolean,
  nowMs: number,
  found: { noindex: boolean; nofollow: boolean },
): void {
  const parts = text.slice(0, MAX_DIRECTIVES_CHARS).toLowerCase().split(',');
  let isForUs = true;
  for (let at = 0; at < parts.length; at++) {
    let part = parts[at]!.trim();
    let colon = part.indexOf(':');
    // `otherbot: unavailable_after: <date>` has both a name and a value.
    while (mayNameAgents && colon !== -1 && !VALUED_DIRECTIVES.has(part.slice(0, colon).trim())) {
      const agent = agentToken(part.slice(0, colon));
      isForUs = agent === '*' || agent === ownToken;
      part = part.slice(colon + 1).trim();
      colon = part.indexOf(':');
    }
    if (!isForUs) continue;
    const valued = colon === -1 ? '' : part.slice(0, colon).trim();
    if (valued === 'unavailable_after') {
      const dateTexts = [part.slice(colon + 1), ...parts.slice(at + 1, at + MAX_DATE_PARTS)];
      if (isPast(dateTexts, nowMs)) found.noindex = true;
    }
    // The `none` of `max-image-preview: none` is not the directive `none`.
    if (VALUED_DIRECTIVES.has(valued)) continue;
    for (const word of part.split(/[\s;]+/)) {
      if (word === 'noindex' || word === 'none') found.noindex = true;
      if (word === 'nofollow' || word === 'none') found.nofollow = true;
    }
  }
}

/** Joins the texts again, one by one, until they form a readable date: a date may contain a comma. */
function isPast(texts: readonly string[], nowMs: number): boolean {
  let text = '';
  for (const [index, next] of texts.entries()) {
    text += index === 0 ? next : `,${next}`;
    const dateMs = parseDate(text.trim());
    if (!Number.isNaN(dateMs)) return dateMs <= nowMs;
  }
  return false;
}

/** Reads a date without a time zone as UTC, because the answer must not depend on where the crawler runs. */
function parseDate(text: string): number {
  // `Date.parse` would invent a year if the text has none.
  if (text.length > 64 || !/\d{4}/.test(text)) return Number.NaN;
  const isoTime = /^\d{4}-\d\d-\d\dt[\d:.]+$/.test(text);
  if (isoTime) return Date.parse(`${text.toUpperCase()}Z`);
  const hasZone = /(?:\b[a-z]{1,5}|[+-]\d\d:?\d\d)$/.test(text);
  const isIsoDay = /^\d{4}-\d\d-\d\d$/.test(text);
  return Date.parse(hasZone || isIsoDay ? text.toUpperCase() : `${text.toUpperCase()} GMT`);
}
