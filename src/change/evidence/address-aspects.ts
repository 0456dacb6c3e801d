/**
 * Addresses that differ although they lead to the same: those of one picture, which some servers deliver now through a
 * service that resizes it and now directly, and those of links with a parameter that is drawn or computed for each
 * answer. In: items of regions, `attribute=address`. Out: what is the same, and which parameters differ.
 */
import { decodeUri } from '../../core/decode-uri.ts';
import { isEpoch, looksDrawn } from '../noise/looks-random.ts';

/** These follow the path of a region in the evidence. The second is followed by the name of the parameter. */
export const PICTURES = ' (picture addresses)';
export const PARAMETER = ' ?';

export interface MovedParameter {
  readonly name: string;
  /** One of its values looks drawn, or is a moment. */
  readonly isDrawn: boolean;
}

const MAX_CHARS = 4_000;
const OF_PICTURE = /^(?:src|srcset|poster|data-(?:lazy-)?src(?:set)?|data-original)=/;
const OF_LINK = /^(?:href|src|action|formaction|data-src)=/;
const SIZE_PARAMETER = /^(?:w|h|q|width|height|quality|format|fm|fit|auto|dpr)=/i;
const NAME = /^[\w.[\]%-]{1,40}$/;
const PLACEHOLDER = '(moving)';
/** `Tue Jun 30 2026`, `June 30, 2026` or `2026-06-30T12:30`. */
const MOMENT =
  /^(?:[a-z]{3,9},? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d{1,2},? \d{4}\b|^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/i;

/** Names such as main.jpg are used again in each folder, so the folder counts too. */
const SAME_SEGMENTS = 2;

/**
 * The names of the files with their folder, and the parameters that do not only say the size. The item itself if it has
 * no picture.
 */
export function pictureOf(item: string): string {
  if (!OF_PICTURE.test(item) || item.length > MAX_CHARS) return item;
  const at = item.indexOf('=') + 1;
  const value = item.slice(at);
  if (value.startsWith('data:')) return item;
  const addresses = item.slice(0, at).includes('srcset') ? value.split(/,\s+/) : [value];
  const pictures = addresses.map((address) => fileOf(address.trim().split(/\s+/, 1)[0] as string));
  return item.slice(0, at) + [...new Set(pictures)].join(' ');
}

function fileOf(address: string): string {
  const [path = '', query = ''] = (address.split('#', 1)[0] as string).split('?', 2);
  const meant = query.split('&').filter((pair) => pair !== '' && !SIZE_PARAMETER.test(pair));
  return [path.split('/').slice(-SAME_SEGMENTS).join('/'), ...meant].join('?');
}

/** The parameters whose values differ between two links; null if anything else differs too. */
export function movedParameters(was: string, is: string): readonly MovedParameter[] | null {
  const [before, after] = [linkParts(was), linkParts(is)];
  if (before === null || after === null || before.pairs.length !== after.pairs.length) return null;
  if (before.start !== after.start || before.end !== after.end) return null;
  // The date of the page itself may be in a link of the site, and is no noise there.
  const isAbsolute = /^[\w-]+=(?:https?:)?\/\//.test(was);
  const moved: MovedParameter[] = [];
  for (const [at, [name, value]] of before.pairs.entries()) {
    const [otherName, otherValue] = after.pairs[at] as readonly [string, string];
    if (name !== otherName) return null;
    if (value === otherValue) continue;
    if (!NAME.test(name)) return null;
    moved.push({ name, isDrawn: [value, otherValue].some((one) => isMoving(one, isAbsolute)) });
  }
  return moved;
}

/** A placeholder stands for the values of these parameters. */
export function withoutParameters(item: string, names: ReadonlySet<string>): string {
  const parts = linkParts(item);
  if (parts === null) return item;
  const kept = parts.pairs.map(([name, value]) => (names.has(name) ? `${name}=${PLACEHOLDER}` : `${name}${value}`));
  return parts.start + kept.join('&') + parts.end;
}

interface LinkParts {
  readonly start: string;
  /** Each value with its `=`. */
  readonly pairs: readonly (readonly [name: string, value: string])[];
  readonly end: string;
}

function linkParts(item: string): LinkParts | null {
  const query = item.indexOf('?') + 1;
  if (query === 0 || item.length > MAX_CHARS || !OF_LINK.test(item)) return null;
  const hash = item.indexOf('#', query);
  const end = hash === -1 ? item.length : hash;
  const pairs = item
    .slice(query, end)
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? ([pair, ''] as const) : ([pair.slice(0, at), pair.slice(at)] as const);
    });
  return { start: item.slice(0, query), pairs, end: item.slice(end) };
}

function isMoving(value: string, mayBeDate: boolean): boolean {
  const text = value.slice(1).replaceAll('+', ' ');
  const plain = decodeUri(text) ?? text;
  return looksDrawn(plain) || isEpoch(plain) || (mayBeDate && MOMENT.test(plain));
}
