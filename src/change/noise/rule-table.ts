/**
 * Every built-in noise rule once, with the content it matches and the reason. docs/noise.md shows this table, and a
 * test keeps both equal. Reports use these names for the rules that explain a difference.
 */
export interface NoiseRule {
  readonly matches: string;
  readonly why: string;
  readonly example: string;
}

export const NOISE_RULES = {
  comment: {
    matches: 'HTML comments',
    why: 'no browser shows them',
    example: '<!-- cached 14:03:22 -->',
  },
  'white-space': {
    matches:
      'runs of spaces and line breaks, and those at the edge of a block; not in pre, code, textarea, script and style',
    why: 'a browser shows a run as one space, and none at the edge of a block',
    example: '<p>\\n  text </p>',
  },
  'attribute-order': {
    matches: 'the order of attributes, and of the words in class',
    why: 'the order means nothing',
    example: 'class="b a"',
  },
  nonce: {
    matches: 'the nonce attribute, and nonces in a Content-Security-Policy; never integrity',
    why: 'drawn anew for each answer',
    example: '<script nonce="4AEemGb0xJptoIGFP3Nd">',
  },
  'csrf-token': {
    matches: 'values that look drawn, in hidden inputs and meta elements with the names frameworks give such tokens',
    why: 'drawn anew for each visitor, read by the server alone',
    example: '<input type="hidden" name="csrf_token" value="9f86d0…">',
  },
  'session-id': {
    matches:
      'session ids in the URLs of links, forms and assets, and in hidden inputs; parameters of URLs that sign them or name a visit and look drawn',
    why: 'names the visitor or the visit, not the page',
    example: 'href="/cart;jsessionid=1A2B3C"',
  },
  'request-id': {
    matches:
      'ids of the request or page view that look drawn, and of the trace, in meta elements and data attributes of such names',
    why: 'names one answer; for the operators alone',
    example: '<meta name="x-request-id" content="c0ffee…">',
  },
  'cache-buster': {
    matches:
      'versions, times and hashes in the URLs of scripts and style sheets; of pictures and frames only moments, long numbers and hashes in parameters such as _ and nocache; of links only moments in parameters such as ts and _',
    why: 'makes browsers load a file anew; it is not what the page says',
    example: '<script src="/app.js?v=1718022">',
  },
  'render-time': {
    matches:
      'a text that is wholly "Page generated in 0.012 s", "Page rendered at …" or the like; without "page" only in the footer',
    why: 'tells of the making of the page, not of its subject',
    example: 'Page generated in 0.042 seconds with 18 queries',
  },
  'server-marker': {
    matches: 'a text that is wholly "Page served by web-03" or the like, with a digit in the name',
    why: 'tells which machine answered',
    example: 'Page served by web-03',
  },
  counter: {
    matches:
      'a text, or a part of it between separators, that is wholly a number of views (ten or more), visitors or people online; not in headings and tables',
    why: 'counts the readers, and the crawler with them',
    example: '1,234 views',
  },
  'relative-time': {
    matches:
      'a text, or a part of it between separators, that is wholly "3 minutes ago" or the like, which gives way to its unit; not in headings, nor in tables outside a time element',
    why: 'moves with the clock while what it speaks of stays; absolute dates are kept',
    example: 'Posted 3 minutes ago',
  },
  clock: {
    matches:
      'a text that is wholly "The time now is 14:03" or the like, if the clock agrees with the Date header of the response to a minute and a half and shows no other day; its time zone is kept',
    why: 'shows when the page was sent',
    example: 'The time now is 14:03:22.',
  },
  'copyright-year': {
    matches:
      'the last year right behind © or "copyright", or behind © and a name at the end of a line, in the footer of the page',
    why: 'the calendar writes it',
    example: '© 2019–2026 Example Ltd',
  },
  advertisement: {
    matches:
      'elements that come from an ad-serving host; elements whose id or class is made of words for advertisements and that are empty, or whose links and pictures all lead to such hosts; never with a price or a date',
    why: 'another one for each visit, and not of the site',
    example: '<div class="ad-slot">',
  },
  analytics: {
    matches:
      'scripts, pixels and frames that count visitors, with nothing to read in them: from known hosts, or inline ones that begin as such a snippet, name no other host, send nothing and read no field',
    why: 'nothing of them is shown',
    example: '<script>window.dataLayer=…gtag(…)</script>',
  },
  consent: {
    matches:
      'frames in which a consent manager asks for cookies, by the id or name that it gives them, without a title of other words; never a banner in the page itself',
    why: 'depends on the visitor, and nothing of the page is in it',
    example: '<iframe id="sp_message_iframe_1172550" title="SP Consent Message">',
  },
  'script-token': {
    matches:
      'in inline scripts and JSON state, but not in application/ld+json: values that look drawn of keys that name tokens, request ids and builds, and the time of the answer',
    why: 'drawn anew for each answer; the rest of the script is kept',
    example: '{"csrfToken":"9f86d0…","items":[…]}',
  },
  'generated-id': {
    matches:
      'element ids made by frameworks, and ids drawn at random that something in the page refers to, with the for, aria and # references to them; numbered in the order of the page',
    why: 'names inside the page, new with each rendering; what refers to what is kept',
    example: '<input id=":r1:">',
  },
  'anti-bot': {
    matches:
      'challenge scripts, pages and parameters; an address that is hidden by Cloudflare or in character references is decoded and kept',
    why: 'blobs against robots, drawn anew for each answer',
    example: '<a data-cfemail="5b3a1b39…">',
  },
} as const satisfies Record<string, NoiseRule>;

export type NoiseRuleName = keyof typeof NOISE_RULES;
/** The names that a report may contain: a rule of the table, a selector of the configuration, or a learned region. */
export type NoiseName = NoiseRuleName | 'selector' | 'learned';

export const NOISE_RULE_NAMES = Object.keys(NOISE_RULES) as NoiseRuleName[];
export const NOISE_NAMES: readonly NoiseName[] = [...NOISE_RULE_NAMES, 'selector', 'learned'];
