import { parseRobotsTxt, type RobotsFile } from './parse-robots-txt.ts';

/**
 * Decides what the response to a request for /robots.txt means for the host (RFC 9309 2.3.1). There are always three
 * possible verdicts: rules to obey, everything allowed, or nothing allowed for now.
 *
 * The fetcher handles redirects: it follows up to `MAX_REDIRECTS` of them, also to other hosts, and the rules found
 * there apply to the host of the first request. A 3xx status arrives here only if the fetcher gave up.
 */
export type RobotsVerdict =
  | { readonly kind: 'rules'; readonly file: RobotsFile }
  | { readonly kind: 'allow-all' }
  | { readonly kind: 'disallow-all'; readonly retryAfterMs: number };

/** 2.3.1.2: crawlers should follow at least five consecutive redirects. We follow exactly five. */
export const MAX_REDIRECTS = 5;
/** 2.4: a cached file should not be used for more than 24 hours, unless the host is unreachable. */
export const MAX_CACHE_MS = 24 * 60 * 60 * 1000;
/** 2.3.1.4: if the host is unreachable for a long time, for example 30 days, the file may be treated as unavailable. */
export const UNREACHABLE_FORGIVEN_MS = 30 * 24 * 60 * 60 * 1000;
const DEFAULT_ROBOTS_RETRY_MS = 10 * 60 * 1000;
const MIN_ROBOTS_RETRY_MS = 10 * 1000;

export interface RobotsAnswer {
  /** The last status of the redirect chain. It has no meaning if `unreachable` is true. */
  readonly status: number;
  readonly body: string | Buffer | null;
  /** No complete response arrived: an error of DNS, connection or TLS, a timeout, or broken HTTP. */
  readonly unreachable: boolean;
  /** The wait that Retry-After asked for, if the response had this header. */
  readonly retryAfterMs?: number | null;
  /** How long every request for the file has failed, including this one. */
  readonly unreachableForMs?: number;
}

export function judgeRobotsAnswer(answer: RobotsAnswer): RobotsVerdict {
  const { status, body, unreachable } = answer;
  if (unreachable) return forbidForNow(answer);
  if (status >= 200 && status <= 299) return { kind: 'rules', file: parseRobotsTxt(body ?? '') };
  // 2.3.1.2: too many redirects count as "unavailable".
  if (status >= 300 && status <= 399) return { kind: 'allow-all' };
  // The RFC counts 429 among the 4xx, where a crawler *may* fetch everything. But a host that asks for fewer requests
  // does not permit that, so 429 counts as overloaded, like a 5xx.
  if (status === 429) return forbidForNow(answer);
  // 2.3.1.3: an unavailable file (401 and 403 included) means that there are no rules.
  if (status >= 400 && status <= 499) return { kind: 'allow-all' };
  return forbidForNow(answer);
}

function forbidForNow({ retryAfterMs, unreachableForMs }: RobotsAnswer): RobotsVerdict {
  if (unreachableForMs !== undefined && unreachableForMs >= UNREACHABLE_FORGIVEN_MS) return { kind: 'allow-all' };
  const wishedMs = retryAfterMs ?? DEFAULT_ROBOTS_RETRY_MS;
  return { kind: 'disallow-all', retryAfterMs: Math.min(Math.max(wishedMs, MIN_ROBOTS_RETRY_MS), MAX_CACHE_MS) };
}
