/**
 * Recognises the frames in which consent managers ask for cookies. They come and go with the visitor, the country and
 * the day, and nothing of the page is in them. In: an element. Out: whether it is such a frame.
 *
 * What always holds: a frame counts if it has a title of other words. Banners in the page itself count, too: their
 * words could be those of the page.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { attributeOf } from './advertising/advertisement.ts';

/** Ids and names that these programs give their frames: Sourcepoint, TrustArc, Cookiebot, Google, and the IAB. */
const FRAME =
  /^(?:sp_message_iframe_\d{1,12}|pop-(?:frame|div)\d{3,20}|truste_(?:popframe|cm_frame)|CybotCookiebotDialog\w{0,40}|googlefcPresent|googlefc(?:Loaded|Inactive)|__(?:tcfapi|cmp|uspapi|gpp)Locator)$/;
/** Words for consent in the larger languages. */
const CONSENT =
  /cookie|consent|privacy|gdpr|datenschutz|einwilligung|zustimmung|consentement|confidentialit|consentimiento|privacidad|consentimento|privacidade|consenso|toestemming|samtycke|samtykke|zgod|соглас|同意/i;
const READ = ['title', 'aria-label'];

export function isConsentFrame(node: OutlineNode): boolean {
  if (node.name !== 'iframe') return false;
  if (!FRAME.test(attributeOf(node, 'id')) && !FRAME.test(attributeOf(node, 'name'))) return false;
  return READ.every((name) => {
    const words = attributeOf(node, name);
    return words === '' || (words.length <= 80 && !/\d/.test(words) && CONSENT.test(words));
  });
}
