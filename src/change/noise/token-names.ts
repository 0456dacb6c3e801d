/**
 * Names that frameworks use for tokens and ids of a visit, in form fields, meta
 * elements and data attributes. All are in lower case.
 */
import { looksDrawn, looksRandom } from './looks-random.ts';

/** The value is made for each visit and need not look random: a state in base64, a number of milliseconds. */
const ALWAYS =
  /^(?:__viewstate(?:generator|encrypted|fieldcount)?|__eventvalidation|__requestdigest|honeypot_time|ak_js|javax\.faces\.viewstate|faces-viewstate)$/;
/** Noise only if the value looks random: a `form_key` may also name a form. */
const CSRF =
  /^(?:[\w-]{0,24}(?:csrf|xsrf)[\w-]{0,24}|authenticity_token|__requestverificationtoken|_?wpnonce|[\w-]{0,24}_nonce|_ajax_nonce|form_build_id|form_token|form_key|antibot_key|wpedittoken|edittoken|logintoken|akismet_comment_nonce|_token|h-captcha-response|g-recaptcha-response|cf-turnstile-response)$/;
/** The operator of the site sets the name of the parameter, so it is not random. */
const CSRF_CONSTANT = /^csrf[-_]?(?:param|header|name|field)$/;
/** These names have other uses too. */
const TOKEN = /^(?:[\w-]{0,24}token|nonce|sig|state|challenge|creation_time|form_time|loaded_at)$/;
const SESSION = /^(?:phpsessid|jsessionid|sid|sessid|session|session[-_]?id|oscsid|zenid|asp\.net_sessionid)$/;

/**
 * Names for the request or the response. Noise only if the value looks random: a conference has sessions with ids, and
 * an office has requests with ids.
 */
const REQUEST =
  /^(?:(?:x-|x_|http-)?(?:amzn-|amz-)?(?:request|correlation|transaction|pageview|page-view|page-load|impression|hit)[-_]?(?:id|key)|instance-id|pod-name|visitor-(?:payload|hmac|id)|[\w-]{0,24}session-?id|client-request-id|html-safe-nonce|request-start|build-?id|rid|server-?time|generated-?at|rendered-?at)$/;
/** Names for one response, whatever the value is. */
const TRACE =
  /^(?:(?:x-|sentry-)?(?:trace|span)[-_]?id|traceparent|tracestate|sentry-trace|baggage|cf-ray|ray-id|cf-request-id)$/;

const DATA_REQUEST =
  /^data-(?:(?:x-)?(?:request|correlation|pageview|page-view|page-load|impression|session|visitor|hit)-?(?:id|key)|rid|server-?time|render-?(?:id|ts)|rendered-?at|react-checksum|build-?id|pageview|csa-c-id)$/;
const DATA_TRACE = /^data-(?:(?:trace|span)-?id|ray|cf-ray|cf-beacon|cf-settings|google-query-id|ved|hveid)$/;
const DATA_TOKEN = /^data-(?:[\w-]{0,24}(?:csrf|xsrf|nonce)[\w-]{0,12})$/;
const DATA_IF_RANDOM = /^data-(?:[\w-]{0,24}(?:token|signature|hmac|uid|uuid|guid|key|hash)|drupal-selector)$/;

export type TokenKind = 'csrf-token' | 'csrf-token if drawn' | 'csrf-token if random' | 'session-id' | null;

export function fieldKind(name: string): TokenKind {
  if (CSRF_CONSTANT.test(name)) return null;
  if (ALWAYS.test(name)) return 'csrf-token';
  if (CSRF.test(name)) return 'csrf-token if drawn';
  if (SESSION.test(name)) return 'session-id';
  return TOKEN.test(name) ? 'csrf-token if random' : null;
}

/** Whether a meta element with this name and content identifies one request. */
export function isRequestId(name: string, value: string): boolean {
  return TRACE.test(name) || (REQUEST.test(name) && looksDrawn(value));
}

/** The kind of noise in a data attribute, by its whole name. */
export function dataKind(name: string, value: string): 'request-id' | 'csrf-token' | null {
  if (DATA_TRACE.test(name)) return 'request-id';
  if (DATA_REQUEST.test(name)) return looksDrawn(value) ? 'request-id' : null;
  if (DATA_TOKEN.test(name)) return looksDrawn(value) ? 'csrf-token' : null;
  return DATA_IF_RANDOM.test(name) && looksRandom(value) ? 'request-id' : null;
}
