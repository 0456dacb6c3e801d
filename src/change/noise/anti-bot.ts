/**
 * Parts of a page that work against robots: random data that is new in each response, and obfuscated mail addresses.
 */
import { decodeHTML } from 'entities';
import type { OutlineNode } from '../../core/page/page-outline.ts';

/**
 * The mail address behind a `data-cfemail`. Every byte is XORed with the first byte, which is random in each response.
 * A reader uses the address, so it is decoded and compared, never ignored. Some sites hide it in random character
 * references as well.
 */
export function decodeCloudflareEmail(hex: string): string | null {
  if (hex.length < 6 || hex.length > 512 || hex.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(hex)) return null;
  const bytes = Buffer.from(hex, 'hex');
  const key = bytes[0]!;
  for (let at = 0; at < bytes.length; at++) bytes[at] = bytes[at]! ^ key;
  return decodeHTML(bytes.subarray(1).toString('utf8'));
}

/** The beginning of a bot manager's script, or a text that such a script always contains. */
const CHALLENGE_SCRIPT =
  /__CF\$cv\$params|\/cdn-cgi\/challenge-platform\/|window\._cf_chl_opt|_Incapsula_Resource|window\._pxAppId|^\s*(?:var|let) dd\s*=\s*\{\s*['"]?(?:rt|cid)\b|bazadebezolkohpepadr|window\._abck/;
const CHALLENGE_SOURCE = /_Incapsula_Resource\?|\/cdn-cgi\/challenge-platform\/|\/akam\/\d+\/|captcha-delivery\.com\//i;
/** Pages of bot managers, and their parameters. All parameters of these pages are drawn anew for each response. */
const CHALLENGE_URL =
  /\/cdn-cgi\/(?:challenge-platform|content|scripts|bm|rum|beacon|zaraz)\b|\/_Incapsula_Resource\b|\/recaptcha\/(?:api2|enterprise)\/(?:anchor|[ab]frame)\b|[?&](?:bm-verify|__cf_chl_\w{1,20})=/i;
/** A challenge is small. The state of an application is larger and may contain one of these words by chance. */
const MAX_CHALLENGE_CHARS = 20_000;

/** The URL of a challenge without its random part; null for every other URL. */
export function withoutChallenge(url: string): string | null {
  const found = CHALLENGE_URL.exec(url);
  return found === null ? null : url.slice(0, found.index) + found[0];
}

/** `text` is the inline text of the script, or '' for none. */
export function isChallengeScript(node: OutlineNode, text: string): boolean {
  for (let at = 0; at < node.attributes.length; at += 2) {
    if (node.attributes[at] === 'src' && CHALLENGE_SOURCE.test(node.attributes[at + 1]!.slice(0, 2_048))) return true;
  }
  return text !== '' && text.length <= MAX_CHALLENGE_CHARS && CHALLENGE_SCRIPT.test(text);
}
