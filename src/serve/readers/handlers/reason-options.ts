/** Which option would change that a URL is not fetched. */
import type { Reason } from '../../../core/reasons.ts';

const OPTIONS: Partial<Record<Reason, string>> = {
  'out-of-scope': '--scope',
  excluded: '--include, --exclude',
  'too-deep': '--depth',
  'robots-disallowed': '--ignore-robots (only for your own sites)',
  'robots-unreachable': '--ignore-robots (only for your own sites)',
  nofollow: '--ignore-nofollow',
  'private-address': '--allow-private',
  'action-link': '--follow-actions',
  'off-topic': '--topic-threshold, --topic-steps',
  'trap-repeated-segments': '--max-directories',
  'trap-directory-depth': '--max-directories',
  'trap-url-length': '--max-url-length',
  'trap-pattern-budget': '--pattern-budget',
  'trap-sitemap-budget': '--max-sitemaps',
  'guess-unwanted': '--guess',
  'ignored-parameter': '--no-learn-parameters',
  'connect-timeout': '--connect-timeout',
  'headers-timeout': '--headers-timeout',
  'body-timeout': '--body-timeout',
  'total-timeout': '--timeout',
  'headers-too-large': '--max-header-bytes',
  'body-too-large': '--max-body',
  'proxy-failed': '--proxy',
  forbidden: '--auth, --header',
  'too-many-redirects': '--max-redirects',
  'too-many-links': '--max-links',
  'near-duplicate': '--near-duplicate',
};

export function optionFor(reason: Reason): string | null {
  return OPTIONS[reason] ?? null;
}
