/**
 * Why a URL has no page: the closed list. Every URL that was not fetched, or was fetched with a defect, has one of
 * these reasons. `explain`, `export` and the statistics use them. A test keeps docs/errors.md equal to this table.
 *
 * What the web does is data: no reason is ever thrown as an error.
 */
export const REASONS = {
  // Decided before a request.
  'bad-url': 'the text is no http or https URL',
  'out-of-scope': 'the scope rules of this crawl leave it out',
  excluded: 'an --exclude pattern matches it, or no --include pattern does',
  'too-deep': 'it is more links away from the seeds than --depth allows',
  'robots-disallowed': "the host's robots.txt disallows it",
  'robots-unreachable': "the host's robots.txt could not be read (5xx or no answer), which forbids all until it can",
  nofollow: 'the page asks that its links are not followed',
  'private-address':
    'its host has a private, loopback or link-local address that this crawl may not reach (--allow-private)',
  'off-topic': 'it promises less for the topic of the crawl than --topic-threshold asks for',
  'trap-repeated-segments': 'its path repeats the same segments over and over',
  'trap-directory-depth': 'its path has more directories than allowed',
  'trap-url-length': 'the URL is longer than allowed',
  'trap-session-id': 'it differs from a known URL only by a session id',
  'trap-pattern-budget': 'too many URLs of the same path pattern (endless calendars, facet combinations)',
  'trap-sitemap-chain': 'too many sitemaps or feeds that refer to each other lead to it',
  'trap-sitemap-budget': 'its host has more sitemaps than --max-sitemaps allows',
  'ignored-parameter': 'it differs from another URL only by a parameter that was found never to change the content',
  // Failures of the network.
  'dns-failed': 'the host name has no address',
  'connect-failed': 'no connection to the host (refused or unreachable)',
  'connect-timeout': 'no connection within the time allowed',
  'tls-failed': 'the TLS handshake failed or the certificate is not valid',
  'connection-reset': 'the connection broke before the response was complete',
  'headers-timeout': 'no response headers within the time allowed',
  'body-timeout': 'the body stalled for longer than allowed',
  'total-timeout': 'the whole request took longer than allowed',
  'headers-too-large': 'the response headers are larger than allowed',
  'bad-response': 'the response is not valid HTTP (broken chunking, wrong length, garbage)',
  'bad-encoding': 'the body does not decode as its Content-Encoding says',
  'body-too-large': 'the decoded body is larger than --max-body; what came before is kept',
  'proxy-failed': 'the proxy refused or could not be reached',
  // Answers of the server.
  'not-found': 'the server says 404',
  gone: 'the server says 410',
  forbidden: 'the server says 401, 403 or 451',
  'client-error': 'the server says another 4xx',
  'server-error': 'the server says 5xx',
  'rate-limited': 'the server says 429, or 503 with Retry-After',
  'gone-by-watcher': 'the watcher of its site says that it was deleted; nobody asked for it again',
  'temporary-redirect': 'the server says that it is elsewhere for the time being (302, 303 or 307)',
  'too-many-redirects': 'the chain of redirects is longer than allowed',
  'redirect-loop': 'the redirects lead back to where they began',
  'bad-redirect': 'the redirect has no usable Location',
  // Found in the response.
  'too-many-links': 'the page has more links than allowed; the first ones are kept',
  'cpu-budget': 'comparing it with the version before took more CPU time than one page may have; it counts as changed',
  noindex: 'the page asks not to be indexed',
  'duplicate-canonical': 'the page names another URL as its canonical one',
  'duplicate-content': 'another page has the same content',
  'near-duplicate': 'another page says nearly the same',
  'set-aside': 'it failed three times in a row and is left alone for a day',
  'internal-error': 'a fault of ours, logged with the URL; the crawl goes on',
} as const;

export type Reason = keyof typeof REASONS;
