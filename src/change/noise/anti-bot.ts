/** What stands in a page against robots: blobs that are drawn anew for each answer, and addresses that are merely veiled. */
import type { OutlineNode } from '../../core/page-outline.ts';

/**
 * The address behind a `data-cfemail`: every byte is veiled with the first one, which is drawn anew for each answer. The address is
 * what a reader follows, so it is decoded and compared, never ignored.
 */
export function decodeCloudflareEmail(hex: string): string | null {
  if (hex.length < 6 || hex.length > 512 || hex.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(hex)) return null;
  const bytes = Buffer.from(hex, 'hex');
  const key = bytes[0]!;
  for (let at = 0; at < bytes.length; at++) bytes[at] = bytes[at]! ^ key;
  return bytes.subarray(1).toString('utf8');
}

/** How a script of a bot manager begins, or what it cannot do without. */
const CHALLENGE_SCRIPT =
  /__CF\$cv\$params|\/cdn-cgi\/challenge-platform\/|window\._cf_chl_opt|_Incapsula_Resource|window\._pxAppId|^\s*(?:var|let) dd\s*=\s*\{\s*['"]?(?:rt|cid)\b|bazadebezolkohpepadr|window\._abck/;
const CHALLENGE_SOURCE = /_Incapsula_Resource\?|\/cdn-cgi\/challenge-platform\/|\/akam\/\d+\/|captcha-delivery\.com\//i;
/** A challenge is small beside the state of an application, which may carry one of these words by chance. */
const MAX_CHALLENGE_CHARS = 20_000;

/** `text` is the script's own text, '' for none. */
export function isChallengeScript(node: OutlineNode, text: string): boolean {
  for (let at = 0; at < node.attributes.length; at += 2) {
    if (node.attributes[at] === 'src' && CHALLENGE_SOURCE.test(node.attributes[at + 1]!.slice(0, 2_048))) return true;
  }
  return text !== '' && text.length <= MAX_CHALLENGE_CHARS && CHALLENGE_SCRIPT.test(text);
}
