/**
 * Says where an address in a page leads, for a reader who follows it or sees what it shows. In: the value of an
 * attribute such as href or src, and the targets within the page. Out: what is compared instead of it; null if it says
 * nothing.
 *
 * What always holds: two addresses with the same meaning lead to the same document.
 */
import { isTrackingParameter } from '../../url/tracking-parameters.ts';
import type { InPageTargets } from './in-page-targets.ts';
import type { OwnAddress } from './own-address.ts';

/** A short picture in the page itself stands in for a picture that is not loaded yet. */
const MAX_STAND_IN_CHARS = 512;
const MAX_CHARS = 4_096;

/** `own`: null if the URL of the page is not known. */
export function addressMeaning(address: string, targets: InPageTargets, own: OwnAddress | null): string | null {
  if (address.startsWith('#')) return targets.meaning(address);
  if (address.startsWith('data:') && address.length < MAX_STAND_IN_CHARS) return null;
  // A script makes this address anew in each browser.
  if (address.startsWith('blob:')) return null;
  // Scripts are no content, wherever they are written.
  if (/^javascript:/i.test(address)) return 'javascript:';
  const form = own?.formOf(address) ?? address;
  return form.includes('?') && form.length <= MAX_CHARS ? withoutTracking(form) : form;
}

function withoutTracking(address: string): string {
  const question = address.indexOf('?');
  const hash = address.indexOf('#', question);
  const end = hash === -1 ? address.length : hash;
  const pairs = address.slice(question + 1, end).split('&');
  const kept = pairs.filter((pair) => !isTrackingParameter(pair.split('=', 1)[0] as string));
  if (kept.length === pairs.length) return address;
  return `${address.slice(0, question)}${kept.length === 0 ? '' : `?${kept.join('&')}`}${address.slice(end)}`;
}
