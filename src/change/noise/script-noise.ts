/**
 * Cleans inline scripts and JSON state. A script is kept, except for values whose key suggests that they are random in
 * each response. Only an analytics snippet, recognised by its beginning, is removed completely.
 */
import { AD_HOSTS, ANALYTICS_HOSTS, isHostIn } from '../../url/ad-hosts.ts';
import { isEpoch, looksDrawn, looksRandom } from './looks-random.ts';
import type { NoiseLog } from './noise-log.ts';
import { scriptPairs } from './script-pairs.ts';

/** A longer script is compared as it is. */
const MAX_SCRIPT_CHARS = 2_000_000;
/** A snippet shows its purpose at the beginning. An application may call these functions anywhere. */
const SNIPPET_HEAD_CHARS = 500;

const SNIPPET =
  /GoogleAnalyticsObject|\bgtag\(|\bga\('(?:create|send)'|\b_gaq\b|gtm\.start|\bdataLayer\b|googletag\.(?:cmd|pubads)|adsbygoogle|\bfbq\(|\b_paq\b|\b_hmt\b|\bym\(\d|yandex_metrika|\bNREUM\b|\bhj=|_hjSettings|\bmixpanel\b|\bamplitude\b|_satellite\b|_sf_async_config|BOOMR|_comscore|\bquantserve\b|_qevents|plausible\.q|\bpiwik|\bmatomo|\bmunchkin|\b_linkedin_partner_id|\bttq\.|\btwq\(|\bpintrk\(|\bsnaptr\(|\b_etracker|\bwtSmart|\bpbjs\.que|apstag\.|_taboola\b|\bcriteo_q\b/;
const CLARITY = /\bclarity\b.{0,40}\bscript\b/;
/** Signs of application state or visible output, which a snippet does not contain. */
const STATE =
  /__(?:INITIAL|PRELOADED|APOLLO|NEXT_DATA|NUXT|STATE|REDUX|SERVER|APP)|initialState|hydrat|innerHTML|innerText|textContent|createTextNode|insertAdjacent|document\.write|createRoot|\.render\(|\.html\(|\.text\(/i;
/** Functions that a snippet leaves to the script it loads, but that a script which steals card numbers needs. */
const REACHES_OUT =
  /\bfetch\s*\(|XMLHttpRequest|sendBeacon|WebSocket|EventSource|document\s*\.\s*(?:cookie|forms)|\.value\b|\blocalStorage|querySelector|getElementById|\beval\s*\(|\batob\s*\(|fromCharCode|\bimport\s*\(|new\s+(?:Image|Function)\b/;
const HOST = /\/\/([a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8})/gi;
const MAX_SNIPPET_CHARS = 20_000;

export function isAnalyticsSnippet(text: string): boolean {
  if (text.length > MAX_SNIPPET_CHARS) return false;
  const head = withoutComments(text.slice(0, SNIPPET_HEAD_CHARS));
  return (
    (SNIPPET.test(head) || CLARITY.test(head)) && !STATE.test(text) && !REACHES_OUT.test(text) && namesKnownHosts(text)
  );
}

function withoutComments(text: string): string {
  let kept = '';
  let at = 0;
  for (let start = text.indexOf('/*'); start !== -1; start = text.indexOf('/*', at)) {
    const end = text.indexOf('*/', start + 2);
    if (end === -1) break;
    kept += text.slice(at, start);
    at = end + 2;
  }
  return kept + text.slice(at);
}

function namesKnownHosts(text: string): boolean {
  for (const [, host] of text.matchAll(HOST)) {
    const name = host!.toLowerCase();
    if (!isHostIn(AD_HOSTS, name) && !isHostIn(ANALYTICS_HOSTS, name)) return false;
  }
  return true;
}

/** Whether the text of a script is a program or state. JSON-LD and similar data are shown to readers by other sites. */
export function isScriptWithTokens(type: string): boolean {
  return (
    type === '' ||
    /^(?:[0-9a-f]{8,64}-)?(?:module|text\/javascript|application\/(?:javascript|json|x-javascript))$/i.test(type)
  );
}

/**
 * Keys whose values are noise if they look random: a `buildId` may be a
 * version, and a `requestId` may belong to an office.
 */
const IF_DRAWN =
  /^(?:\w{0,24}(?:csrf|xsrf)\w{0,24}|authenticity_?token|request_?verification_?token|form_?build_?id|\w{0,16}request_?id|trace_?id|span_?id|trace_?parent|correlation_?id|page_?view_?id|page_?load_?id|impression_?id|cf_?ray|ray_?id|build_?id|sesskey|(?:theme|js|asset|static|cache)_?(?:rev|hash|buster))$/i;
const NONCE = /^\w{0,16}nonce$/i;
const IF_RANDOM =
  /^(?:\w{0,24}token|\w{0,16}session_?(?:id|key)|sid|phpsessid|jsessionid|\w{0,8}visitor_?id|anonymous_?id|device_?id|client_?id|signature|sig|hmac)$/i;
const IF_MOMENT =
  /^(?:server_?(?:time|date|now|timestamp)|render(?:ed)?_?(?:at|time|timestamp|duration|ms)|request_?(?:time|timestamp|start)|\w{0,16}response_?time|current_?(?:time|timestamp)|page_?(?:time|generated|rendered)|generation_?time)$/i;
/**
 * Keys that mean the time of the response only at the outer level of the state, together with a token. Elsewhere they
 * are the date of an article or a kick-off.
 */
const IF_OUTER_MOMENT = /^(?:timestamp|ts|now|time|generated_?at|generated)$/i;
const MOMENT =
  /^(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:Z|UTC|[+-]\d\d:?\d\d)?|\d{1,6}(?:\.\d{1,9})?(?:\s?m?s)?)$/;

export function cleanScript(text: string, log: NoiseLog): string {
  if (
    text.length > MAX_SCRIPT_CHARS ||
    !/csrf|xsrf|nonce|token|_?id\b|Id\b|ray|time|now|ts\b|_at\b|At\b|sess|rev\b|hash|buster|sig|hmac|generated|elapsed|parent|render/i.test(
      text,
    )
  ) {
    return text;
  }
  const depth = new BraceDepth(text);
  const hasToken = holdsToken(text);
  let kept = '';
  let keptTo = 0;
  for (const pair of scriptPairs(text)) {
    const { value, valueEnd } = pair;
    const mayBeMoment = hasToken && depth.before(pair.index) <= 1;
    if (!isNoise(lastName(pair.key), value, mayBeMoment) || !log.takes('script-token', pair.text)) continue;
    kept += `${text.slice(keptTo, valueEnd - value.length)}*`;
    keptTo = valueEnd;
  }
  return keptTo === 0 ? text : kept + text.slice(keptTo);
}

/** Whether the script contains a token for this response. */
function holdsToken(text: string): boolean {
  for (const { key, value } of scriptPairs(text)) if (isToken(lastName(key), value)) return true;
  return false;
}

/** `window.app.csrfToken` → `csrfToken`. */
function lastName(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

function isNoise(key: string, value: string, mayBeMoment: boolean): boolean {
  if (isToken(key, value)) return true;
  if (IF_MOMENT.test(key)) return MOMENT.test(value) || isEpoch(value);
  return mayBeMoment && IF_OUTER_MOMENT.test(key) && isEpoch(value);
}

function isToken(key: string, value: string): boolean {
  if (IF_DRAWN.test(key)) return looksDrawn(value);
  if (NONCE.test(key)) return value.length >= 8 && !/^\d{1,9}$/.test(value);
  // The address of a wallet or a contract is the subject of its page.
  return IF_RANDOM.test(key) && looksRandom(value) && !value.startsWith('0x');
}

/**
 * The depth of braces at an index. Indexes must rise from call to call. It is exact for JSON; after unbalanced braces
 * of a program the depth is infinite.
 */
class BraceDepth {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #isQuoted = false;

  constructor(text: string) {
    this.#text = text;
  }

  before(place: number): number {
    for (; this.#at < place; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x5c) this.#at++;
      else if (code === 0x22) this.#isQuoted = !this.#isQuoted;
      else if (this.#isQuoted) continue;
      else if (code === 0x7b || code === 0x5b) this.#depth++;
      else if (code === 0x7d || code === 0x5d)
        this.#depth = this.#depth === 0 ? Number.POSITIVE_INFINITY : this.#depth - 1;
    }
    return this.#depth;
  }
}
