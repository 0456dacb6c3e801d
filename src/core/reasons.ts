/**
 * Why a URL has no page: the closed list. Every URL that was not fetched, or was fetched with a defect, has one of
 * these reasons. `explain`, `export` and the statistics use them. A test keeps docs/errors.md equal to this table.
 *
 * What the web does is data: no reason is ever thrown as an error.
 */
export const REASONS = {
  // Decided before a request.
  'bad-url': 'the text is not an http or https URL',
  'out-of-scope': 'it is outside the scope of this crawl',
  excluded: 'an --exclude pattern matches it, or no --include pattern matches it',
  'too-deep': 'it is more links away from the seeds than --depth allows',
  'robots-disallowed': "the host's robots.txt disallows it",
  'robots-unreachable':
    "the host's robots.txt could not be read (5xx or no response); until it can, no page may be fetched",
  nofollow: 'the page asks crawlers not to follow its links',
  'private-address':
    'its host has a private, loopback or link-local address that this crawl may not use (--allow-private)',
  'action-link':
    'following it would change something (log out, delete, buy, vote …), and the crawl is logged in (--follow-actions)',
  'off-topic': 'its expected relevance to the topic is below --topic-threshold',
  'trap-repeated-segments': 'its path repeats the same segments over and over',
  'trap-directory-depth': 'its path has more directories than --max-directories allows',
  'trap-url-length': 'the URL is longer than --max-url-length allows',
  'trap-session-id': 'it differs from a known URL only by a session id',
  'trap-pattern-budget':
    'too many URLs of its host have the same path pattern, and nothing new comes of them (endless calendars, combinations of filters)',
  'trap-sitemap-chain': 'the chain of sitemaps or feeds that leads to it is too long',
  'trap-sitemap-budget': 'its host has more sitemaps than --max-sitemaps allows',
  'no-sitemap': 'robots.txt names no sitemap, so this usual place of a sitemap was tried once, and no sitemap is there',
  'guess-abandoned': 'it is only a guess (--guess), and most guesses about its host were wrong',
  'guess-unwanted': 'it is only a guess, and this crawl follows no guesses (--guess)',
  'ignored-parameter': 'it differs from another URL only by a parameter that does not change the content',
  // Failures of the network.
  'dns-failed': 'the host name has no address',
  'connect-failed': 'the connection to the host failed (refused or unreachable)',
  'connect-timeout': 'connecting to the host took longer than --connect-timeout',
  'tls-failed': 'the TLS handshake failed or the certificate is invalid',
  'connection-reset': 'the connection broke before the response was complete',
  'headers-timeout': 'the response headers took longer than --headers-timeout',
  'body-timeout': 'the body stalled for longer than --body-timeout',
  'total-timeout': 'the request took longer than --timeout',
  'headers-too-large': 'the response headers are larger than --max-header-bytes',
  'bad-response': 'the response is not valid HTTP (broken chunking, wrong length, garbage)',
  'bad-encoding': 'the body cannot be decoded as its Content-Encoding declares',
  'partial-content': 'the server sent only a part of the page (206), although the whole page was requested',
  'body-too-large': 'the decoded body is larger than --max-body; the beginning is kept',
  'proxy-failed': 'the proxy refused the request or could not be reached',
  // Responses of the server.
  'not-found': 'the server says 404',
  gone: 'the server says 410',
  forbidden: 'the server says 401, 403 or 451',
  'client-error': 'the server says another 4xx',
  'server-error': 'the server says 5xx',
  'rate-limited': 'the server says 429, or 503 with Retry-After',
  'gone-by-watcher': 'the watcher of its site reported it as deleted; it was not requested again',
  'temporary-redirect': 'the server redirects it temporarily (302, 303 or 307)',
  'too-many-redirects': 'the chain of redirects is longer than --max-redirects allows',
  'redirect-loop': 'the redirects form a loop',
  'bad-redirect': 'the redirect has no usable Location header',
  // Found in the response.
  'too-many-links': 'the page has links to more URLs than --max-links; the first ones are kept',
  'cpu-budget': 'comparing it with the previous version took too much CPU time; it counts as changed',
  'document-too-large': 'the document is too large to be read, or unpacks to too much; it is kept without links',
  'document-too-slow': 'reading the document took too much time; it is kept without links',
  'document-too-much-memory': 'reading the document took too much memory; it is kept without links',
  'document-encrypted': 'the document needs a password; it is kept without links',
  'document-damaged': 'no part of the document can be read; it is kept without links',
  'document-partial': 'only a part of the document could be read; the links of that part are used',
  noindex: 'the page asks not to be indexed',
  'duplicate-canonical': 'the page names another URL as its canonical URL, and resembles that page',
  'duplicate-content': 'another page has the same content',
  'near-duplicate': 'another page has nearly the same text',
  'soft-404': 'its host gives the same answer for a path that does not exist; the page is kept',
  'set-aside': 'it failed three times in a row and is not tried again for a day',
  'internal-error': 'a bug in Orbweaver, logged with the URL; the crawl continues',
} as const;

export type Reason = keyof typeof REASONS;
