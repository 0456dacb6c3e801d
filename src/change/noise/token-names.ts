/** Names under which frameworks put tokens and ids of the visit: of form fields, meta elements and data attributes. All in lower case. */

/** Whatever the value: the name is used for nothing else. */
const CSRF =
  /^(?:[\w-]{0,24}(?:csrf|xsrf)[\w-]{0,24}|authenticity_token|__requestverificationtoken|__viewstate(?:generator|encrypted|fieldcount)?|__eventvalidation|__requestdigest|_?wpnonce|[\w-]{0,24}_nonce|_ajax_nonce|form_build_id|form_token|form_key|antibot_key|honeypot_time|wpedittoken|edittoken|logintoken|ak_js|akismet_comment_nonce|_token|javax\.faces\.viewstate|faces-viewstate|h-captcha-response|g-recaptcha-response|cf-turnstile-response)$/;
/** The parameter's name is set by whoever runs the site. */
const CSRF_CONSTANT = /^csrf[-_]?(?:param|header|name|field)$/;
/** Used for other things, too. */
const TOKEN = /^(?:[\w-]{0,24}token|nonce|hash|signature|sig|state|challenge|creation_time|form_time|loaded_at)$/;
const SESSION = /^(?:phpsessid|jsessionid|sid|sessid|session|session[-_]?id|oscsid|zenid|asp\.net_sessionid)$/;

const REQUEST =
  /^(?:(?:x-|x_|http-)?(?:amzn-|amz-|cf-|sentry-)?(?:request|trace|span|correlation|transaction|pageview|page-view|page-load|impression|hit)[-_]?(?:id|key)|traceparent|tracestate|sentry-trace|baggage|cf-ray|ray-id|server|server-?name|hostname|host-?name|x-server|x-served-by|served-by|backend|node-name|instance-id|pod-name|render-?time|rendered-?at|generated-?at|generation-?time|server-?time|page-generated|visitor-(?:payload|hmac|id)|[\w-]{0,24}session-?id|client-request-id|html-safe-nonce|request-start|build-?id|rid)$/;

const DATA_ATTRIBUTE =
  /^data-(?:(?:x-)?(?:request|trace|span|correlation|pageview|page-view|page-load|impression|session|visitor|hit)-?(?:id|key)|rid|ray|cf-ray|server|server-?name|server-?time|hostname|render-?(?:time|id|ts)|rendered-?at|react-checksum|reactid|build-?id|pageview|ved|cf-beacon|cf-settings|google-query-id|hveid|tracking-id|csa-c-id)$/;
const DATA_TOKEN = /^data-(?:[\w-]{0,24}(?:csrf|xsrf|nonce)[\w-]{0,12})$/;
const DATA_IF_RANDOM = /^data-(?:[\w-]{0,24}(?:token|signature|hmac|uid|uuid|guid|key|hash)|drupal-selector)$/;

export type TokenKind = 'csrf-token' | 'csrf-token if random' | 'session-id' | null;

export function fieldKind(name: string): TokenKind {
  if (CSRF_CONSTANT.test(name)) return null;
  if (CSRF.test(name)) return 'csrf-token';
  if (SESSION.test(name)) return 'session-id';
  return TOKEN.test(name) ? 'csrf-token if random' : null;
}

export function isRequestName(name: string): boolean {
  return REQUEST.test(name);
}

/** Of a data attribute, by its whole name. */
export function dataKind(name: string): 'request-id' | 'csrf-token' | 'if random' | null {
  if (DATA_ATTRIBUTE.test(name)) return 'request-id';
  if (DATA_TOKEN.test(name)) return 'csrf-token';
  return DATA_IF_RANDOM.test(name) ? 'if random' : null;
}
