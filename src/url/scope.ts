import type { Reason } from '../core/reasons.ts';
import { authorityOf, hostnameOf, pathEnd, pathStart } from './host.ts';
import { compilePattern } from './pattern.ts';
import { publicSuffixes } from './public-suffixes.ts';

/**
 * Decides which URLs belong to a crawl. In: URLs in normal form. Out: null for "inside", or the reason for "outside".
 * What always holds: a seed is inside unless an exclude pattern matches it, exclude wins over include, and the answer
 * for a URL does not depend on earlier questions.
 *
 * http and https of one authority are one host here, because a site that moved to https is the same site. Ports
 * separate hosts (`example.com` and `example.com:8080`), but not domains.
 */
export { compilePattern } from './pattern.ts';

const SCOPES = ['page', 'prefix', 'host', 'domain', 'any'] as const;
export type Scope = (typeof SCOPES)[number];

export interface ScopeRules {
  readonly scope: Scope;
  /** URLs in normal form. */
  readonly seeds: readonly string[];
  readonly include: readonly string[];
  /** Regular expressions of the patterns are not run on longer URLs. These URLs are a trap in any case. */
  readonly maxUrlLength?: number;
  readonly exclude: readonly string[];
}

export type ScopeJudge = (url: string) => Reason | null;

const MAX_KNOWN_AUTHORITIES = 10_000;

export function compileScope(rules: ScopeRules): ScopeJudge {
  const seeds = new Set(rules.seeds.map(withoutScheme));
  const isWithin = compileReach(rules.scope, rules.seeds, seeds);
  const include = rules.include.map((text) => compilePattern(text, rules.maxUrlLength));
  const exclude = rules.exclude.map((text) => compilePattern(text, rules.maxUrlLength));

  return (url) => {
    // In a crawl of the seeds' own host most URLs are inside, so the seeds are looked up last.
    const within = isWithin(url);
    if (!within && !seeds.has(withoutScheme(url))) return 'out-of-scope';
    if (exclude.length > 0 && exclude.some((matches) => matches(url))) return 'excluded';
    if (include.length === 0 || include.some((matches) => matches(url))) return null;
    return seeds.has(withoutScheme(url)) ? null : 'excluded';
  };
}

function compileReach(scope: Scope, seeds: readonly string[], seedTexts: Set<string>): (url: string) => boolean {
  switch (scope) {
    case 'any':
      return () => true;
    case 'page':
      return (url) => seedTexts.has(withoutScheme(url));
    case 'prefix': {
      const directories = [...new Set(seeds.map(directoryOf))];
      return (url) => {
        const text = withoutScheme(url);
        return directories.some((directory) => text.startsWith(directory));
      };
    }
    case 'host': {
      const authorities = new Set(seeds.map(authorityOf));
      return (url) => authorities.has(authorityOf(url));
    }
    case 'domain': {
      const domains = new Set(seeds.map(registrableDomain));
      return remembered(authorityOf, (url) => domains.has(registrableDomain(url)));
    }
  }
}

/** `example.com:8080/a/b?c`: the text that two URLs share if they differ only in the scheme. */
function withoutScheme(url: string): string {
  return url.slice(url.indexOf('/') + 2);
}

/** The directory of a seed, from the authority to the last slash of the path. The seed `/docs` includes all of `/`. */
function directoryOf(seed: string): string {
  const start = pathStart(seed);
  const path = seed.slice(start, pathEnd(seed, start));
  return authorityOf(seed) + path.slice(0, path.lastIndexOf('/') + 1);
}

/**
 * The registrable domain by the public suffix list. Private suffixes count, so a.github.io and b.github.io are two
 * domains. IP addresses, `localhost` and the suffixes themselves have no registrable domain and stand for themselves.
 */
function registrableDomain(url: string): string {
  const hostname = hostnameOf(url);
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return publicSuffixes().getDomain(hostname, options) ?? hostname;
}

/** Caches the answer for each key. A full cache is cleared completely: the hosts come back, and an answer is cheap. */
function remembered(keyOf: (url: string) => string, judge: (url: string) => boolean): (url: string) => boolean {
  const known = new Map<string, boolean>();
  return (url) => {
    const key = keyOf(url);
    let verdict = known.get(key);
    if (verdict === undefined) {
      verdict = judge(url);
      if (known.size >= MAX_KNOWN_AUTHORITIES) known.clear();
      // Stores a copy: a slice would keep the page that contains it in memory.
      known.set(Buffer.from(key, 'latin1').toString('latin1'), verdict);
    }
    return verdict;
  };
}
