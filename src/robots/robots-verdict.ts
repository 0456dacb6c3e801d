import { parseRobotsTxt, type RobotsFile } from './parse-robots-txt.ts';

/**
 * What an answer to the request for /robots.txt means for the host (RFC 9309 2.3.1). Always one of three: rules to obey,
 * everything allowed, or nothing allowed for now.
 *
 * Redirects are the fetcher's: it follows `MAX_REDIRECTS` of them, to other hosts too, and the rules
 * found there hold for the host first asked. A 3xx that arrives here is one it gave up on.
 */
export type RobotsVerdict =
  | { readonly kind: 'rules'; readonly file: RobotsFile }
  | { readonly kind: 'allow-all' }
  | { readonly kind: 'disallow-all'; readonly retryAfterMs: number };

/** 2.3.1.2: crawlers should follow at least five consecutive redirects. We follow just as many. */
export const MAX_REDIRECTS = 5;
/** 2.4: a cached file should not be used for more than 24 hours, unless the host is unreachable. */
export const MAX_CACHE_MS = 24 * 60 * 60 * 1000;
/** 2.3.1.4: after a long time unreachable, 30 days for example, the file may be taken as unavailable. */
export const UNREACHABLE_FORGIVEN_MS = 30 * 24 * 60 * 60 * 1000;
export const DEFAULT_ROBOTS_RETRY_MS = 10 * 60 * 1000;
const MIN_ROBOTS_RETRY_MS = 10 * 1000;

export interface RobotsAnswer {
  /** The last status of the chain; of no meaning when unreachable. */
  readonly status: number;
  readonly body: string | Buffer | null;
  /** No complete response came: DNS, connection, TLS, time-out or broken HTTP. */
  readonly unreachable: boolean;
  /** What Retry-After asked for, if it did. */
  readonly retryAfterMs?: number | null;
  /** For how long every request for the file has failed, this one included. */
  readonly unreachableForMs?: number;
}

export function judgeRobotsAnswer(answer: RobotsAnswer): RobotsVerdict {
  const { status, body, unreachable } = answer;
  if (unreachable) return forbidForNow(answer);
  if (status >= 200 && status <= 299) return { kind: 'rules', file: parseRobotsTxt(body ?? '') };
  // 2.3.1.2: too many redirects count as unavailable.
  if (status >= 300 && status <= 399) return { kind: 'allow-all' };
  // The RFC counts 429 among the 4xx, where a crawler *may* take everything. A host that has just asked for fewer
  // requests has not said that, so it counts as overloaded, like a 5xx.
  if (status === 429) return forbidForNow(answer);
  // 2.3.1.3: no file to be had (401 and 403 included) means no rules.
  if (status >= 400 && status <= 499) return { kind: 'allow-all' };
  return forbidForNow(answer);
}

function forbidForNow({ retryAfterMs, unreachableForMs }: RobotsAnswer): RobotsVerdict {
  if (unreachableForMs !== undefined && unreachableForMs >= UNREACHABLE_FORGIVEN_MS) return { kind: 'allow-all' };
  const wishedMs = retryAfterMs ?? DEFAULT_ROBOTS_RETRY_MS;
  return { kind: 'disallow-all', retryAfterMs: Math.min(Math.max(wishedMs, MIN_ROBOTS_RETRY_MS), MAX_CACHE_MS) };
}
