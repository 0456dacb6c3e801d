/**
 * Parses robots.txt as RFC 9309 describes it. In: the bytes of any file that was served under that name. Out: plain
 * data: the groups of agents with their rules in the order of the file, the sitemaps, and the URL of a watcher's
 * report. match.ts turns this data into answers.
 *
 * What always holds: nothing throws, every line is read once, and at most 500 KiB are read. This limit also bounds the
 * number of rules (64,000 of the shortest kind), agents and groups, so they need no limits of their own.
 */

/** RFC 9309 2.5: the parsing limit must be at least 500 kibibytes. */
export const MAX_ROBOTS_BYTES = 512_000;
/** A host that asks for more than one hour between two requests gets one hour. */
const MAX_CRAWL_DELAY_SECONDS = 3_600;
const MAX_SITEMAPS = 10_000;

export interface RobotsRule {
  readonly allow: boolean;
  /** The pattern as written, one character per octet (latin1), so that even broken UTF-8 is compared octet by octet. */
  readonly pattern: string;
}

export interface RobotsGroup {
  /** Product tokens in lower case, or `*`. */
  readonly agents: readonly string[];
  readonly rules: readonly RobotsRule[];
  readonly crawlDelays: readonly CrawlDelay[];
}

/**
 * A delay applies to the agents of its group from index `fromAgent` up to, but not including, `toAgent`. A Crawl-delay
 * must not end a group (RFC 9309 2.2.4), so the agents before and after it still share their rules. But a site does not
 * mean to give one crawler the delay that is written below the name of another crawler.
 */
export interface CrawlDelay {
  readonly seconds: number;
  readonly fromAgent: number;
  readonly toAgent: number;
}

export interface RobotsFile {
  readonly groups: readonly RobotsGroup[];
  readonly sitemaps: readonly string[];
  /**
   * URL of the report of the site's watcher (docs/watcher-report.md), or ''
   * if the file names none. The first one counts.
   */
  readonly report: string;
}

/**
 * The keys, with misspellings that are common enough to know their meaning. Reading them as meant is the polite choice.
 */
const KEYS = new Map<string, 'agent' | 'allow' | 'disallow' | 'delay' | 'sitemap' | 'report'>([
  ['user-agent', 'agent'],
  ['useragent', 'agent'],
  ['user agent', 'agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'delay'],
  ['crawldelay', 'delay'],
  ['crawl delay', 'delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['orbweaver-report', 'report'],
]);

interface OpenGroup extends RobotsGroup {
  readonly agents: string[];
  readonly rules: RobotsRule[];
  readonly crawlDelays: CrawlDelay[];
}

export function parseRobotsTxt(text: string | Buffer): RobotsFile {
  const groups: OpenGroup[] = [];
  const sitemaps = new Set<string>();
  let group: OpenGroup | null = null;
  let delayFromAgent = 0;
  let isBehindDelay = false;
  let report = '';

  for (const line of linesOf(text)) {
    const record = splitRecord(line);
    if (record === null) continue;
    const [key, value] = record;
    switch (key) {
      case 'agent':
        // A user-agent line after a rule begins a new group. After another user-agent line it joins the group. Lines of
        // other kinds in between change nothing (2.2.4).
        if (group === null || group.rules.length > 0) {
          group = { agents: [], rules: [], crawlDelays: [] };
          groups.push(group);
          delayFromAgent = 0;
        } else if (isBehindDelay) delayFromAgent = group.agents.length;
        isBehindDelay = false;
        group.agents.push(agentToken(value));
        break;
      case 'allow':
      case 'disallow':
        // An empty rule ends the list of agents and has no other effect. Rules before the first agent belong to nobody.
        group?.rules.push({ allow: key === 'allow', pattern: value });
        break;
      case 'delay': {
        const seconds = parseDelay(value);
        isBehindDelay = true;
        if (seconds === null || group === null) break;
        group.crawlDelays.push({ seconds, fromAgent: delayFromAgent, toAgent: group.agents.length });
        break;
      }
      case 'sitemap':
        if (value !== '' && sitemaps.size < MAX_SITEMAPS) sitemaps.add(Buffer.from(value, 'latin1').toString('utf8'));
        break;
      case 'report':
        report ||= Buffer.from(value, 'latin1').toString('utf8');
        break;
    }
  }
  return { groups, sitemaps: [...sitemaps], report };
}

/**
 * The product token of a user-agent line: letters, digits, `_` and `-`, without version or remark, in lower case. The
 * RFC does not allow digits, but real crawlers use them. `*` stands for all crawlers.
 */
export function agentToken(value: string): string {
  const text = value.trim();
  if (/^\*(?:\s|$)/.test(text)) return '*';
  return /^[\w-]*/.exec(text)![0].toLowerCase();
}

/** The lines of the first 500 KiB, one character per octet. A line that the limit cuts in two is left out. */
function linesOf(text: string | Buffer): string[] {
  const isText = typeof text === 'string';
  const bytes = isText ? Buffer.from(text.slice(0, MAX_ROBOTS_BYTES + 1), 'utf8') : text;
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const lines = bytes.toString('latin1', hasByteOrderMark ? 3 : 0, MAX_ROBOTS_BYTES).split(/\r\n?|\n/);
  // Half a line is a different rule: `Disallow: /` instead of `Disallow: /private`. If the file has exactly the length
  // of the limit, the caller may have cut it there, so the last line is dropped in this case too.
  if (bytes.length >= MAX_ROBOTS_BYTES) lines.pop();
  return lines;
}

function splitRecord(line: string): readonly [NonNullable<ReturnType<typeof KEYS.get>>, string] | null {
  const hash = line.indexOf('#');
  const content = (hash === -1 ? line : line.slice(0, hash)).trim();
  if (content === '') return null;
  const colon = content.indexOf(':');
  let name: string;
  let value: string;
  if (colon !== -1) {
    name = content.slice(0, colon);
    value = content.slice(colon + 1);
  } else {
    // `Disallow /private`: a missing colon is accepted if the line has exactly two words.
    const words = content.split(/\s+/, 3);
    if (words.length !== 2) return null;
    name = words[0]!;
    value = words[1]!;
  }
  // No key is longer. A very long name of a hostile file is not even converted to lower case.
  if (name.length > 32) return null;
  const key = KEYS.get(name.trim().toLowerCase());
  return key === undefined ? null : [key, value.trim()];
}

function parseDelay(value: string): number | null {
  const match = /^\d{1,9}(?:\.\d{1,9})?|^\.\d{1,9}/.exec(value);
  return match === null ? null : Math.min(Number(match[0]), MAX_CRAWL_DELAY_SECONDS);
}
