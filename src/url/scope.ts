import type { Reason } from '../core/reasons.ts';
import { authorityOf, hostnameOf, pathEnd, pathStart } from './host.ts';
import { compilePattern } from './pattern.ts';
import { publicSuffixes } from './public-suffixes.ts';

/**
 * Which URLs belong to a crawl. In come URLs in normal form, out goes null for "inside" or the reason for "outside".
 * Always: a seed is inside unless an exclude pattern names it, exclude beats include, and the same URL gets the same
 * answer whatever was asked before.
 *
 * http and https of one authority are one host here: a site that moved to https is the same site. Ports tell hosts
 * apart (`example.com` and `example.com:8080`), but not domains.
 */
export { compilePattern } from './pattern.ts';

export const SCOPES = ['page', 'prefix', 'host', 'domain', 'any'] as const;
export type Scope = (typeof SCOPES)[number];

export interface ScopeRules {
  readonly scope: Scope;
  /** In normal form. */
  readonly seeds: readonly string[];
  readonly include: readonly string[];
  /** Regular expressions among the patterns are not run on longer URLs, which are a trap in any case. */
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
    // A crawl on the host of its seeds asks mostly about pages that are inside, so the seeds are looked up last.
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

/** `example.com:8080/a/b?c`: everything two URLs of one page have in common when only the scheme differs. */
function withoutScheme(url: string): string {
  return url.slice(url.indexOf('/') + 2);
}

/** The directory of a seed, from the authority to the last slash of the path: `/docs` reaches all of `/`. */
function directoryOf(seed: string): string {
  const start = pathStart(seed);
  const path = seed.slice(start, pathEnd(seed, start));
  return authorityOf(seed) + path.slice(0, path.lastIndexOf('/') + 1);
}

/**
 * By the public suffix list, private suffixes included, so that a.github.io and b.github.io are two domains. Addresses,
 * `localhost` and the suffixes themselves have no registrable domain and stand for themselves.
 */
function registrableDomain(url: string): string {
  const hostname = hostnameOf(url);
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return publicSuffixes().getDomain(hostname, options) ?? hostname;
}

/** Asks once for each key. The memory is bounded by forgetting everything at once: hosts come back, and are cheap. */
function remembered(keyOf: (url: string) => string, judge: (url: string) => boolean): (url: string) => boolean {
  const known = new Map<string, boolean>();
  return (url) => {
    const key = keyOf(url);
    let verdict = known.get(key);
    if (verdict === undefined) {
      verdict = judge(url);
      if (known.size >= MAX_KNOWN_AUTHORITIES) known.clear();
      // A copy: a slice would keep the page it was found in.
      known.set(Buffer.from(key, 'latin1').toString('latin1'), verdict);
    }
    return verdict;
  };
}
